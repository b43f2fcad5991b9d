#!/usr/bin/env python3
"""auto beside the four methods that it chooses from, at equal true error; prints Markdown.

  auto.py [only=lorenz,robertson] [rounds=3] [quick] [all] [points]

Every smooth model of the gallery (no event happens in it) that auto runs in more than 0.1 ms, and Kuramoto's oscillators. Each
method runs all tolerances, atol = rtol / 1000, without the estimate of the global error, in rounds that take turns; the smallest
time counts. Error = max over 21 rows and all columns of |y - ref| / max |ref| of that column; the reference is taylor's or
radau's at the tightest tolerance, the one of the two that the other agrees with better than 1e-8. The time at an error is read off a
straight line through the points (log error, log time) around it.

Environment: ORDINATE, the program; BENCH_BUILD, a folder for the models and rows."""
import csv, json, math, os, subprocess, sys
from stiff import geometric, read_off

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.environ.get("BENCH_BUILD", "/tmp")
METHODS = ["taylor", "dp8", "radau", "bdf"]
ERRORS = [1e-4, 1e-7]
TOLERANCES = [10.0 ** -k for k in range(2, 12)]
ENOUGH = 3e-9         # tighter tolerances than the first that reaches this are left out
SHORTEST = 1e-4       # seconds
SLOW = 10             # a method that is so many times slower than the fastest is not measured further
BAR = 1.3
KURAMOTO = """param N = {n}, K = 2
for i in 1..N: th[i]' = (i - (N + 1)/2)/(N/2) + K/N*(S*cos(th[i]) - C*sin(th[i]))
s[0] = 0
c[0] = 0
for i in 1..N: s[i] = s[i-1] + sin(th[i])
for i in 1..N: c[i] = c[i-1] + cos(th[i])
S = s[N]
C = c[N]
for i in 1..N: init th[i] = 0.7*i*i
run 0 .. 50
"""


def models(only):
    folder = os.path.join(HERE, "examples")
    found = [(name[:-3], os.path.join(folder, name)) for name in sorted(os.listdir(folder)) if name.endswith(".eq")]
    os.makedirs(BUILD, exist_ok=True)
    for n in (50, 100, 200):
        path = os.path.join(BUILD, f"kuramoto-{n}.eq")
        open(path, "w").write(KURAMOTO.format(n=n))
        found.append((f"kuramoto-{n}", path))
    return [(name, path) for name, path in found if only is None or name in only]


def run(path, method, rtol, repeat, end, rows=None):
    words = [os.environ["ORDINATE"], "run", path, "-m", method, "--rtol", repr(rtol), "--atol", repr(rtol * 1e-3), "--no-error",
             "--max-steps", "300000", "--repeat", str(repeat), "-q", "--summary", "json"]
    words += ["--at", ",".join(repr(end[0] + (end[1] - end[0]) * k / 20) for k in range(21))] if end else []
    words += ["-o", rows] if rows else []
    done = subprocess.run(words, capture_output=True, text=True, timeout=60)
    if done.returncode:
        raise RuntimeError(f"exit code {done.returncode}: {done.stderr.strip()[:200]}")
    return json.loads(done.stdout)


def read(path):
    rows = list(csv.reader(line for line in open(path) if not line.startswith("#")))
    return [[float(v) for v in row] for row in rows[1:]]


def error(rows, ref):
    if len(rows) != len(ref):
        return math.inf
    worst = 0.0
    for k in range(1, len(ref[0])):
        size = max(abs(row[k]) for row in ref)
        off = max(abs(row[k] - exact[k]) for row, exact in zip(rows, ref))
        if not math.isfinite(off):
            return math.inf
        worst = max(worst, off / size if size else off)
    return worst


def reference(name, path, end):
    out, found = os.path.join(BUILD, "auto-rows.csv"), []
    for method, rtol in (("taylor", 1e-14), ("radau", 1e-12), ("dp8", 1e-13), ("taylor", 1e-12), ("radau", 1e-10)):
        try:
            run(path, method, rtol, 1, end, out)
            found.append(read(out))
        except Exception as reason:
            print(f"{method} on {name} at {rtol}: {str(reason)[:100]}", file=sys.stderr)
        for other in found[:-1]:
            if error(other, found[-1]) < 1e-8:
                return other
    return None


def measure(name, path, end, ref, rounds):
    """points[method] = {rtol: [error, smallest time, steps and their methods]}"""
    out = os.path.join(BUILD, "auto-rows.csv")
    points, done = {method: {} for method in ["auto", *METHODS]}, set()
    for turn in range(rounds):
        for rtol in TOLERANCES:
            for method in ["auto", *METHODS]:
                known = points[method].get(rtol)
                if (method, rtol) in done or method in done or (turn and not known):
                    continue
                try:
                    repeat = 3 if not known else max(3, min(2000, int(0.03 / known[1])))
                    s = run(path, method, rtol, repeat, end, None if turn else out)
                except Exception as reason:
                    print(f"{method} on {name} at {rtol:.0e}: {str(reason)[:100]}", file=sys.stderr)
                    if isinstance(reason, subprocess.TimeoutExpired):
                        done.add(method)
                    continue
                took = s["seconds"]["solve"]
                if turn == 0:
                    steps = (s.get("chosen") or "").split(":")[0] or f"{s['steps']} steps"
                    points[method][rtol] = [error(read(out), ref), took, steps]
                    if points[method][rtol][0] < ENOUGH:
                        done.update((method, r) for r in TOLERANCES if r < rtol)
                    fastest = min(p[rtol][1] for p in points.values() if rtol in p)
                    if took > SLOW * fastest and took > 0.03 and method != "auto":
                        done.add(method)
                else:
                    known[1] = min(known[1], took)
    return points


def main():
    args = dict(a.split("=") for a in sys.argv[1:] if "=" in a)
    only = args["only"].split(",") if "only" in args else None
    rounds, results, out_of_reach = int(args.get("rounds", "3")), {}, []
    if "quick" in sys.argv:
        rounds = 1
    for name, path in models(only):
        try:
            first = run(path, "auto", 1e-6, 1, None)
            first = run(path, "auto", 1e-6, 5, (first["t_start"], first["t_end"]))
        except Exception as reason:
            print(f"{name}: {str(reason)[:100]}", file=sys.stderr)
            continue
        if first.get("events") or (first["seconds"]["solve"] < SHORTEST and "all" not in sys.argv):
            continue
        if first["t_reached"] != first["t_end"] or "delay" in name or name == "mackey-glass":
            continue
        end = (first["t_start"], first["t_end"])
        ref = reference(name, path, end)
        if ref is None:
            out_of_reach.append(name)
            continue
        results[name] = measure(name, path, end, ref, rounds)
        print(name, {m: len(p) for m, p in results[name].items()}, file=sys.stderr, flush=True)
        if "points" in sys.argv:
            print(name, file=sys.stderr)
            for method, found in results[name].items():
                print(" ", method, *(f"{r:.0e}: {e:.0e} {t * 1e6:.0f}µs {s};" for r, (e, t, s) in found.items()), file=sys.stderr)
    report(results, out_of_reach)


def report(results, out_of_reach):
    us = lambda took: f"{took * 1e6:.1f}" if took else "–"
    bars = []
    for wanted in ERRORS:
        print(f"\n### auto at error {wanted:.0e}\n")
        print(f"| model | auto µs | {' | '.join(m + ' µs' for m in METHODS)} | auto / fastest | fastest | steps of auto |")
        print("|---|---|" + "---|" * (len(METHODS) + 3))
        ratios = {}
        for name, points in results.items():
            at = {m: read_off(p, wanted) for m, p in points.items()}
            fastest = min((m for m in METHODS if at[m]), key=lambda m: at[m], default=None)
            near = min(points["auto"].values(), key=lambda p: abs(math.log(max(p[0], 1e-16) / wanted)), default=None)
            if fastest and at["auto"]:
                ratios[name] = at["auto"] / at[fastest]
            ratio = f"{ratios[name]:.2f}" if name in ratios else "–"
            print(f"| {name} | {us(at['auto'])} | {' | '.join(us(at[m]) for m in METHODS)} | {ratio} | {fastest or '–'} | "
                  f"{near[2] if near else '–'} |")
        above = [name for name, ratio in ratios.items() if ratio > BAR]
        print(f"\nGeometric mean {geometric(list(ratios.values())):.2f} over {len(ratios)} models; above {BAR}: "
              f"{', '.join(above) or 'none'}.")
        worst = max(ratios, key=ratios.get, default=None)
        found = f"{geometric(list(ratios.values())):.2f}, at most {ratios[worst]:.2f} ({worst})" if ratios else "–"
        bars.append(f"bar: auto / fastest of taylor, dp8, radau, bdf, error {wanted:.0e}, geometric mean and worst | {found} | {BAR} | – | "
                    f"{'not met' if above else 'met'}")
    if out_of_reach:
        print(f"\nWithout a reference that two methods agree on to 1e-8: {', '.join(out_of_reach)}.")
    print()
    print(*bars, sep="\n")


if __name__ == "__main__":
    main()
