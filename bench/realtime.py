#!/usr/bin/env python3
"""What a step in real time costs, and how the cost of an implicit step grows with the size of a model; prints Markdown.

  realtime.py [runs=15]

Dry runs (`--realtime --dry`) of two examples with the method that real time takes by default, Radau IIA of two stages. Of
several runs the smallest mean and the smallest p99.9 count: another process on the core delays a sample, nothing hastens it.
A step takes about as long as a thousandth of the time between two ticks of the system's clock, so p99.9 may be that of the
ticks; therefore also p99.9 when of each sample the shortest of several runs counts (`--repeat`): that of the program alone.

Environment: ORDINATE, the program; BENCH_BUILD, a folder for the models."""
import json, math, os, subprocess, sys
from native_build import BUILD

EXAMPLES = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "examples")
# example, what it is, bar in µs
STEPS = [("reactor.eq", "reactor, 7 states", 3.0), ("dae-spring.eq", "springs, 3 equations, index 1", 1.5)]
CALM = 3.0            # p99.9 may be so many times the mean
SIZES = (200, 20000)
PROPORTION = 2.0      # how much more a state may cost in the large chain than in the small one
# heat that moves into a chain of cells from its left end, the faster the warmer; the front stays within the small chain
CHAIN = """u[0] = 1
u[{n}+1] = 0
for k in 1..{n}: u[k]' = 1e4*(1 + u[k]^2)*(u[k-1] - 2*u[k] + u[k+1])
for k in 1..{n}: init u[k] = 0
"""


def summary(words):
    done = subprocess.run([os.environ["ORDINATE"], "run", *words, "--summary", "json", "-q"], capture_output=True, text=True, timeout=300)
    if done.returncode:
        raise RuntimeError(f"exit code {done.returncode}: {done.stderr.strip()[:300]}")
    return json.loads(done.stdout)


def met(good):
    return "met" if good else "not met"


def realtime(runs, bars):
    print("| model | mean µs | p99.9 µs | p99.9 / mean | of the program alone | samples |\n|---|---|---|---|---|---|")
    for example, what, bar in STEPS:
        mean, late = math.inf, math.inf
        words = [os.path.join(EXAMPLES, example), "--realtime", "--dry", "-t", "30", "--no-error"]
        for _ in range(runs):
            s = summary(words)["realtime"]
            mean, late = min(mean, s["compute"]["mean"] * 1e6), min(late, s["compute"]["p999"] * 1e6)
        alone = summary([*words, "--repeat", str(runs)])["realtime"]["compute"]
        alone = alone["p999"] / alone["mean"]
        print(f"| {what} | {mean:.2f} | {late:.2f} | {late / mean:.2f} | {alone:.2f} | {s['samples']} |")
        bars.append(f"bar: one step in real time, {what}: mean | {mean:.2f} µs | {bar} µs | – | {met(mean <= bar)}")
        bars.append(f"bar: one step in real time, {what}: p99.9 / mean, with the ticks of the system | {late / mean:.2f} | {CALM:g} | – | {met(late <= CALM * mean)}")
        bars.append(f"bar: one step in real time, {what}: p99.9 / mean, of the program alone | {alone:.2f} | {CALM:g} | – | {met(alone <= CALM)}")


def chain(bars):
    print("\n### A chain of cells\n\n| method | states | steps | µs per step | ns per step and state |\n|---|---|---|---|---|")
    os.makedirs(BUILD, exist_ok=True)
    for method in ("radau5", "bdf"):
        per_state = {}
        for n in SIZES:
            path = os.path.join(BUILD, f"chain-{n}.eq")
            open(path, "w").write(CHAIN.format(n=n))
            repeat = "15" if n < 1000 else "3"
            s = summary([path, "-t", "0.1", "-m", method, "--at", "0.1", "--no-error", "--repeat", repeat])
            took = s["seconds"]["solve"] / s["steps"]
            per_state[n] = took / n
            print(f"| {method} | {n} | {s['steps']} | {took * 1e6:.1f} | {took / n * 1e9:.0f} |")
        found = per_state[SIZES[1]] / per_state[SIZES[0]]
        bars.append(f"bar: a step and state in a chain of {SIZES[1]} cells / of {SIZES[0]}, {method} | {found:.2f} | {PROPORTION:g} | – | {met(found <= PROPORTION)}")


def main():
    args = dict(a.split("=") for a in sys.argv[1:] if "=" in a)
    bars = []
    realtime(int(args.get("runs", "3" if "quick" in sys.argv else "15")), bars)
    chain(bars)
    print("\n" + "\n".join(bars))


if __name__ == "__main__":
    main()
