#!/usr/bin/env python3
"""The race: per problem and error class the fastest setting of each solver, side by side; prints Markdown.

  race.py [ours=taylor] [only=A1,lorenz] [rounds=5] [quick]

All solvers have the same choice of tolerances. A first pass finds which settings reach an error class; those that are
near the fastest are then timed in rounds that take turns, and the smallest time of each counts.
Error = max over components of |y - ref| / max(1, |ref|) at the end; references in quadruple precision (ref/).
A line `bar: …` per comparison says what is asked for and what was found."""
import json, math, os, sys
from decimal import Decimal, getcontext
from problems import P, ALL
import tools

getcontext().prec = 40
HERE = os.path.dirname(os.path.abspath(__file__))
NEAR = 1.5  # settings within this factor of the fastest of the first pass are timed again
MAX_CANDIDATES = 3

# ours (None: the Taylor method), peer, error class, bar, stretch
RACES = [(None, "heyoka", 1e-9, 1.2, 0.9), (None, "heyoka", 1e-12, 1.2, 0.9), (None, "DOP853", 1e-6, 1.5, 1.0),
         ("dp8", "DOP853", 1e-6, 3.0, None), ("dp8", "DOP853", 1e-9, 3.0, None)]
NAMES = {"heyoka": "heyoka", "DOP853": "DOP853 compiled from C"}


def error(p, y):
    row = json.load(open(os.path.join(HERE, "ref", p.name + ".json")))["y"][-1]
    return float(max(abs(Decimal(v) - Decimal(str(r))) / max(1, abs(Decimal(str(r)))) for v, r in zip(y, row)))


def measure(p, setting, seconds):
    tool, tol = setting
    try:
        r = tools.TOOLS[tool](p, tol, seconds)
    except Exception as reason:
        print(f"{tool} on {p.name} at {tol:g}: {str(reason)[:200]}", file=sys.stderr)
        return None
    finite = all(math.isfinite(v) for v in r["y"])
    return dict(r, error=error(p, r["y"]) if finite else math.inf, tol=tol)


def candidates(first, tool, wanted):
    """the settings of a tool that reach a class, as far as they may be the fastest"""
    reach = [s for s in first if s[0] == tool and first[s] and first[s]["error"] <= wanted]
    reach.sort(key=lambda s: first[s]["time"])
    return [s for s in reach if first[s]["time"] <= NEAR * first[reach[0]]["time"]][:MAX_CANDIDATES]


def run(p, pairs, rounds, seconds):
    """best[tool, class] = result of the fastest setting, for the given pairs; first = all settings once"""
    used = {tool for tool, _ in pairs}
    order = sorted({(tool, tol) for tool in used for tol in tools.TOLS[tool]}, key=lambda s: (-s[1], s[0]))
    first = {s: measure(p, s, 0.02) for s in order}
    chosen = {(tool, wanted): candidates(first, tool, wanted) for tool, wanted in pairs}
    timed = {}
    for _ in range(rounds):
        for s in sorted({s for group in chosen.values() for s in group}):
            r = measure(p, s, seconds)
            if r and (s not in timed or r["time"] < timed[s]["time"]):
                timed[s] = r
    pick = lambda group: min((timed[s] for s in group if s in timed), key=lambda r: r["time"], default=None)
    return {key: pick(group) for key, group in chosen.items()}, first


def geometric(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else math.inf


def setting(r):
    tol = f"{r['tol']:.0e}" if r["tol"] else "eps"
    return f"{r['time']*1e6:.1f} | {tol} | {r['order']} | {r['steps']}"


def compare(best, names, ours, peer, wanted, bar, stretch):
    """one table, its sums, and the line for the list of bars"""
    print(f"\n### {ours} against {NAMES[peer]}, error ≤ {wanted:.0e}\n")
    print(f"| problem | {ours} µs | tol | order | steps | {peer} µs | tol | order | steps | ratio |\n|---|---|---|---|---|---|---|---|---|---|")
    ratios, net, alone, missed, neither = [], [], [], [], []
    for n in names:
        a, b = best[n].get((ours, wanted)), best[n].get((peer, wanted))
        if not a or not b:
            (neither if not a and not b else missed if not a else alone).append(n)
            if a:
                print(f"| {n} | {setting(a)} | not reached | | | | |")
            elif b:
                print(f"| {n} | not reached | | | | {setting(b)} | |")
            continue
        ratios.append(a["time"] / b["time"])
        net.append(a["time"] / (b["time"] - b.get("call", 0.0)))
        print(f"| {n} | {setting(a)} | {setting(b)} | {ratios[-1]:.2f} |")
    g = geometric(ratios)
    call = f"with the call from Python taken off heyoka's time {geometric(net):.2f}; " if peer == "heyoka" else ""
    print(f"\nGeometric mean {g:.2f} over {len(ratios)} problems, faster on {sum(r < 1 for r in ratios)}; "
          f"{call}"
          f"reached by {ours} alone: {', '.join(alone) or 'none'}; by {peer} alone: {', '.join(missed) or 'none'}; by neither: {', '.join(neither) or 'none'}.")
    lost = f", {len(missed)} not reached" if missed else ""
    met = lambda limit: g <= limit and not missed
    print(f"bar: {ours} / {NAMES[peer]}, error ≤ {wanted:.0e}, geometric mean | {g:.2f}{lost} | {bar} | {stretch or '–'} | "
          f"{'stretch met' if stretch and met(stretch) else 'met' if met(bar) else 'not met'}")


def long_orbit(first, ours):
    """end error of Kepler e = 0.5 after 100 periods at the tightest tolerances"""
    print("\n### Kepler, e = 0.5, 100 periods in double: end error\n")
    print(f"| tolerance | {ours} | steps | heyoka | steps |\n|---|---|---|---|---|")
    shown = []
    for tol in (0, 1e-14, 1e-13):
        a, b = first.get((ours, tol)), first.get(("heyoka", tol))
        cell = lambda r: f"{r['error']:.1e} | {r['steps']}" if r else "– | –"
        print(f"| {tol or tools.EPS:.0e} | {cell(a)} | {cell(b)} |")
        shown.append(a["error"] if a else math.inf)
    met = "stretch met" if shown[0] <= 2e-12 else "met" if shown[0] <= 2e-11 else "not met"
    print(f"bar: Kepler e = 0.5, 100 periods in double, end error at tolerance eps | {shown[0]:.1e} | 2e-11 | 2e-12 | {met}")


def main():
    args = dict(a.split("=") for a in sys.argv[1:] if "=" in a)
    quick, ours, rounds = "quick" in sys.argv, args.get("ours", "taylor"), int(args.get("rounds", "5"))
    names = [n for n in ALL if n in args["only"].split(",")] if "only" in args else ALL
    races = [(a or ours, *rest) for a, *rest in (RACES[2:3] if quick else RACES)]
    pairs = list(dict.fromkeys((tool, race[2]) for race in races for tool in race[:2]))
    best, first = {}, {}
    for n in names:
        best[n], first[n] = run(P[n], pairs, 2 if quick else rounds, 0.05)
        print(n, {f"{t} {c:.0e}": round(r["time"] * 1e6, 1) for (t, c), r in best[n].items() if r}, file=sys.stderr, flush=True)
    for race in races:
        compare(best, names, *race)
    if "kepler0.5x100" in names and not quick:
        long_orbit(first["kepler0.5x100"], ours)


if __name__ == "__main__":
    main()
