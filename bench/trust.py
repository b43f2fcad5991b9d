#!/usr/bin/env python3
"""What the global error costs, and how long orbits and digits take; prints Markdown.

  trust.py [repeats=15]

Environment: ORDINATE, the program."""
import json, os, subprocess, sys, time

EXAMPLES = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "examples")
MODELS = [("kepler.eq", []), ("lorenz.eq", ["-t", "20"]), ("pendulum.eq", []), ("van-der-pol.eq", []), ("robertson.eq", [])]
# method, rtol, bar in per cent of the run
COSTS = [("taylor", "1e-6", 30), ("taylor", "1e-12", 30), ("dp8", "1e-6", 30), ("dp8", "1e-12", 30), ("radau", "1e-6", 30),
         ("bdf", "1e-6", 30), ("rk4", "1e-6", 150), ("dp5", "1e-6", 150)]
PERIODIC = 0.1   # seconds for all states of the Duffing equation


def run(words):
    done = subprocess.run([os.environ["ORDINATE"], *words], capture_output=True, text=True, timeout=300)
    if done.returncode:
        raise RuntimeError(f"{words}: exit code {done.returncode}: {done.stderr.strip()[:300]}")
    return done.stdout


def solved(model, more, method, rtol, repeats, extra=()):
    words = ["run", os.path.join(EXAMPLES, model), *more, "-m", method, "--rtol", rtol, "--atol", f"{float(rtol) * 1e-3:g}",
             "--max-steps", "200000", "--repeat", str(repeats), "--summary", "json", "-q", *extra]
    return json.loads(run(words))["seconds"]["solve"]


def command(model, more, method, rtol, repeats, extra=()):
    """The shortest time of a whole command, rows written to a file."""
    words = ["run", os.path.join(EXAMPLES, model), *more, "-m", method, "--rtol", rtol, "--atol", f"{float(rtol) * 1e-3:g}",
             "--max-steps", "200000", "-q", "-o", os.devnull, *extra]
    shortest = float("inf")
    for _ in range(repeats):
        begin = time.perf_counter()
        run(words)
        shortest = min(shortest, time.perf_counter() - begin)
    return shortest


def met(good):
    return "met" if good else "not met"


def main():
    repeats, bars = int(sys.argv[1]) if len(sys.argv) > 1 and sys.argv[1].isdigit() else 15, []
    names = [model.removesuffix(".eq") for model, _ in MODELS]
    print("What the error adds to the time of the solver, model by model, and, in the last column, to that of the whole command that")
    print("writes the 501 rows to a file.\n")
    print(f"| method | rtol | {' | '.join(names)} | mean | whole command |\n|---|---|{'---|' * (len(names) + 2)}")
    for method, rtol, bar in COSTS:
        costs, wholes = [], []
        for model, more in MODELS:
            try:
                plain = solved(model, more, method, rtol, repeats, ["--no-error"])
                costs.append(100 * (solved(model, more, method, rtol, repeats) / plain - 1))
                whole = command(model, more, method, rtol, repeats, ["--no-error"])
                wholes.append(100 * (command(model, more, method, rtol, repeats) / whole - 1))
            except RuntimeError:
                costs.append(None)   # an explicit method on a stiff model
        known = [cost for cost in costs if cost is not None]
        mean = sum(known) / len(known)
        cells = " | ".join("–" if cost is None else f"{cost:.0f} %" for cost in costs)
        whole = sum(wholes) / len(wholes)
        print(f"| {method} | {rtol} | {cells} | {mean:.0f} % | {whole:.0f} % |")
        bars.append(f"bar: global error of {method}, rtol {rtol}: cost, of the run | {mean:.0f} % | {bar} % | – | {met(mean <= bar)}")
    print("\n| other | seconds, whole process |\n|---|---|")
    others = [("all periodic states of the Duffing equation", ["periodic", os.path.join(EXAMPLES, "duffing.eq")], PERIODIC),
              ("limit cycle of van der Pol, μ = 100", ["periodic", "-e", "x'' = 100*(1 - x^2)*x' - x; init x = 2, x' = 0"], None),
              ("15 digits of Lorenz to t = 100", ["run", os.path.join(EXAMPLES, "lorenz.eq"), "-t", "100", "--digits", "15", "--summary", "json", "-q"], None),
              ("15 digits of Arenstorf, five periods", ["run", os.path.join(EXAMPLES, "arenstorf.eq"), "-t", "5*17.0652165601579625588917206249", "--digits", "15", "--summary", "json", "-q"], None)]
    for what, words, bar in others:
        took = float("inf")
        for _ in range(5 if bar else 1):
            begin = time.perf_counter()
            run(words)
            took = min(took, time.perf_counter() - begin)
        print(f"| {what} | {took:.3f} |")
        if bar:
            bars.append(f"bar: {what} | {took:.3f} s | {bar} s | – | {met(took <= bar)}")
    print()
    print("\n".join(bars))


main()
