#!/usr/bin/env python3
"""How long linear algebra of control takes, beside python-control and SciPy in the same run; prints Markdown.

Environment: ANSWERS, the program `answers` of the crate `ordinate-control`."""
import json, os, subprocess, time, warnings
import control
import numpy as np
import scipy.linalg

SIZES = [(2, 200), (4, 200), (14, 100), (50, 10), (100, 5)]
BARS = {14: 1e-3, 100: 0.3}     # seconds of lqr
warnings.filterwarnings("ignore")


def system(n):
    """Random, with some modes to the right: eigenvalues in a disc around −0.4."""
    random = np.random.default_rng(n)
    a = random.standard_normal((n, n)) / np.sqrt(n) - 0.4 * np.eye(n)
    return a, random.standard_normal((n, max(1, n // 7))), np.eye(n), np.eye(max(1, n // 7))


def ordinate(questions):
    lines = "".join(json.dumps(question) + "\n" for question in questions)
    done = subprocess.run([os.environ["ANSWERS"]], input=lines, capture_output=True, text=True, timeout=300, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def fastest(work, times):
    best = float("inf")
    for _ in range(times):
        begin = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - begin)
    return best


def main():
    print("| | states | Ordinate | python-control | SciPy's equation alone | difference of the gains |\n|---|---|---|---|---|---|")
    bars = []
    for discrete in (False, True):
        name = "dlqr" if discrete else "lqr"
        regulator = control.dlqr if discrete else control.lqr
        equation = scipy.linalg.solve_discrete_are if discrete else scipy.linalg.solve_continuous_are
        for n, times in SIZES:
            a, b, q, r = system(n)
            if discrete:
                a = scipy.linalg.expm(0.2 * a)
            question = dict(ask=name, a=a.tolist(), b=b.tolist(), q=q.tolist(), r=r.tolist(), times=times)
            answer = ordinate([question])[0]
            if "error" in answer:
                raise RuntimeError(f"{name}, n = {n}: {answer['error']}")
            theirs = regulator(a, b, q, r, method="scipy")[0]
            apart = np.max(np.abs(np.array(answer["gain"]) - theirs)) / np.max(np.abs(theirs))
            took = [fastest(lambda: regulator(a, b, q, r, method="scipy"), times), fastest(lambda: equation(a, b, q, r), times)]
            ms = lambda seconds: f"{seconds * 1e3:.3g} ms"
            print(f"| {name} | {n} | {ms(answer['seconds'])} | {ms(took[0])} | {ms(took[1])} | {apart:.0e} |")
            if not discrete and n in BARS:
                met = "met" if answer["seconds"] <= BARS[n] else "not met"
                bars.append(f"bar: lqr, {n} states | {ms(answer['seconds'])} | {ms(BARS[n])} | – | {met}")
    print()
    print("\n".join(bars))


if __name__ == "__main__":
    main()
