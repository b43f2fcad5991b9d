#!/usr/bin/env python3
"""The race on stiff and algebraic problems: radau beside Hairer's RADAU, bdf beside diffsol's BDF, and both beside SciPy's
Radau and LSODA; prints Markdown.

  stiff.py [only=robertson,pendulum] [rounds=5] [quick]

Every solver runs all tolerances, in rounds that take turns; the smallest time of each counts. The time at an error is read
off a straight line through the points (log error, log time) around it, because single errors scatter by luck.
Error = max over components of |y - ref| / max(1, |ref|) at the end.

Environment: ORDINATE, the program; DIFFSOL and RADAU, the programs of diffsol/ and radau/, which may be missing; BENCH_BUILD,
a folder for the models."""
import json, math, os, subprocess, sys, time
from native_build import BUILD
from stiff_problems import PROBLEMS

ERRORS = [1e-4, 1e-6, 1e-8]
TOLERANCES = [10 ** (-k / 2) for k in range(3, 25)]
ENOUGH = 3e-10        # tighter tolerances than the first that reaches this are left out
WINDOW = 1.5          # decades of error on both sides of the one that is read off
NAMES = {"Radau": "SciPy Radau", "LSODA": "SciPy LSODA"}
PEERS = {"radau": "RADAU", "bdf": "diffsol"}
BARS = {"radau": 1.5, "bdf": 1.2}


def model(p):
    os.makedirs(BUILD, exist_ok=True)
    path = os.path.join(BUILD, "stiff-" + p.name.replace(" ", "-") + ".eq")
    open(path, "w").write(p.text + "\n")
    return path


def command(p, method, rtol, repeat):
    """without the estimate of the global error, which no peer has"""
    return [os.environ["ORDINATE"], "run", model(p), "-t", repr(p.t1), "-m", method, "--rtol", repr(rtol), "--atol",
            repr(rtol * p.scale), "--at", repr(p.t1), "--no-error", "--summary", "json", "-q", "--repeat", str(repeat)]


def call(words, seconds=300):
    done = subprocess.run(words, capture_output=True, text=True, timeout=seconds)
    if done.returncode:
        raise RuntimeError(f"exit code {done.returncode}: {done.stderr.strip()[:200]}")
    return json.loads(done.stdout)


def ordinate(method):
    def run(p, rtol, seconds, before):
        repeat = 5 if before is None else max(3, min(2000, int(seconds / before)))
        s = call(command(p, method, rtol, repeat))
        return s["seconds"]["solve"], s["steps"], [s["final"][name] for name in p.y]
    return run


def peer(variable):
    def run(p, rtol, seconds, before):
        s = call([os.environ[variable], p.name, repr(rtol), repr(rtol * p.scale), repr(seconds)])
        return s["time"], s["steps"], s["y"]
    return run


def scipy(method):
    def run(p, rtol, seconds, before):
        from scipy.integrate import solve_ivp
        begin = time.perf_counter()
        s = solve_ivp(p.f, (0.0, p.t1), p.y0, method=method, rtol=rtol, atol=rtol * p.scale)
        took = time.perf_counter() - begin
        if not s.success:
            raise RuntimeError(s.message)
        return took, len(s.t) - 1, [float(v) for v in s.y[:, -1]]
    return run


TOOLS = {"radau": ordinate("radau"), "RADAU": peer("RADAU"), "bdf": ordinate("bdf"), "diffsol": peer("DIFFSOL"),
         "Radau": scipy("Radau"), "LSODA": scipy("LSODA")}


def takes_part(tool, p):
    if tool in ("Radau", "LSODA"):
        return p.f is not None
    return tool not in PEERS.values() or (p.compiled and tool.upper() in os.environ)


def error(p, y):
    if not all(math.isfinite(v) for v in y):
        return math.inf
    return max(abs(v - r) / max(1.0, abs(r)) for v, r in zip(y, p.ref, strict=True))


def measure(p, rounds, seconds):
    """points[tool] = {rtol: [error, smallest time, steps]}; a setting that fails is named and left out"""
    tools = [tool for tool in TOOLS if takes_part(tool, p)]
    points = {tool: {} for tool in tools}
    done = set()
    for turn in range(rounds):
        for rtol in TOLERANCES:
            for tool in tools:
                found = points[tool].get(rtol)
                if (tool, rtol) in done or (turn and not found):
                    continue
                try:
                    took, steps, y = TOOLS[tool](p, rtol, seconds, found and found[1])
                except Exception as reason:
                    print(f"{tool} on {p.name} at {rtol:.0e}: {str(reason)[:200]}", file=sys.stderr)
                    continue
                e = error(p, y)
                points[tool][rtol] = [e, min(took, found[1] if found else took), steps]
                if turn == 0 and e < ENOUGH:
                    done.update((tool, r) for r in TOLERANCES if r < rtol)
    return points


def read_off(points, wanted):
    """the time at an error; None if it is not reached. Without points on both sides: the fastest that is good enough"""
    good = [(max(e, 1e-16), took) for e, took, _ in points.values() if math.isfinite(e)]
    enough = [took for e, took in good if e <= wanted]
    if not enough:
        return None
    near = [(math.log(e / wanted), math.log(took)) for e, took in good if abs(math.log10(e / wanted)) <= WINDOW]
    if len(near) < 3 or all(x <= 0 for x, _ in near) or all(x > 0 for x, _ in near):
        return min(enough)
    mean_x, mean_y = (sum(v) / len(near) for v in zip(*near))
    spread = sum((x - mean_x) ** 2 for x, _ in near)
    slope = sum((x - mean_x) * (y - mean_y) for x, y in near) / spread if spread else 0.0
    return math.exp(mean_y - slope * mean_x)


def geometric(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else math.inf


def verdict(ours, peer, wanted, ratios, missed, unknown):
    worst = max(ratios, key=ratios.get, default=None)
    found = f"{geometric(list(ratios.values())):.2f}, at most {ratios[worst]:.2f} ({worst})" if ratios else "–"
    lost = f", not reached: {', '.join(missed)}" if missed else ""
    lost += f", no {peer} on: {', '.join(unknown)}" if unknown else ""
    met = "not met" if missed or (ratios and ratios[worst] > BARS[ours]) else "not measured" if unknown or not ratios else "met"
    print(f"bar: {ours} / {peer}, error {wanted:.0e}, geometric mean and worst | {found}{lost} | {BARS[ours]} | – | {met}")


def main():
    args = dict(a.split("=") for a in sys.argv[1:] if "=" in a)
    quick = "quick" in sys.argv
    rounds = int(args.get("rounds", "1" if quick else "5"))
    problems = [p for p in PROBLEMS if "only" not in args or p.name in args["only"].split(",")]
    points = {}
    for p in problems:
        points[p.name] = measure(p, rounds, 0.05)
        print(p.name, {tool: len(found) for tool, found in points[p.name].items()}, file=sys.stderr, flush=True)
    us = lambda took: f"{took * 1e6:.1f}" if took else "–"
    ratio = lambda a, b: f"{a / b:.2f}" if a and b else "–"
    bars = []
    for wanted in ERRORS:
        print(f"\n### At error {wanted:.0e}\n")
        print("| problem | radau µs | RADAU µs | ratio | bdf µs | diffsol µs | ratio | SciPy Radau µs | SciPy LSODA µs |\n"
              "|---|---|---|---|---|---|---|---|---|")
        found = {"radau": ({}, [], []), "bdf": ({}, [], [])}
        for p in problems:
            at = {tool: read_off(points[p.name].get(tool, {}), wanted) for tool in TOOLS}
            for ours, theirs in PEERS.items():
                if at[ours] and at[theirs]:
                    found[ours][0][p.name] = at[ours] / at[theirs]
                elif not at[ours] or p.compiled:
                    found[ours][2 if at[ours] else 1].append(p.name)
            print(f"| {p.name} | {us(at['radau'])} | {us(at['RADAU'])} | {ratio(at['radau'], at['RADAU'])} | {us(at['bdf'])} | {us(at['diffsol'])} | "
                  f"{ratio(at['bdf'], at['diffsol'])} | {us(at['Radau'])} | {us(at['LSODA'])} |")
        bars += [(ours, theirs, wanted, *found[ours]) for ours, theirs in PEERS.items()]
    if not quick:
        print("\n### What each run did\n\n| problem | solver | rtol: error, steps |\n|---|---|---|")
        for p in problems:
            for tool, found in points[p.name].items():
                some = [f"{rtol:.0e}: {e:.0e}, {steps}" for rtol, (e, _, steps) in sorted(found.items(), reverse=True)][1::4]
                print(f"| {p.name} | {NAMES.get(tool, tool)} | {'; '.join(some)} |")
    print()
    for bar in bars:
        verdict(*bar)


if __name__ == "__main__":
    main()
