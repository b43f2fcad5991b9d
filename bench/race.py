#!/usr/bin/env python3
"""Race in one run: per problem and error class, the fastest setting of each tool; then the geometric mean of the ratios.
Run by `cargo xtask bench`, which sets ORDINATE (the binary) and BENCH_BUILD (a scratch folder):

  race.py ours=ordinate-dp8 peer=dop853-C 1e-6 1e-9
Prints a line per problem and last 'ours/peer at error<=E: geometric mean G over N problems, won W, not reached by us U'.
Error = max over components of |y - ref| / max(1, |ref|) at the end; references in quad precision (ref/)."""
import json, math, os, sys
from decimal import Decimal, getcontext
from problems import P, GROUPS
import tools

getcontext().prec = 40
HERE = os.path.dirname(os.path.abspath(__file__))


def ref(name):
    return json.load(open(os.path.join(HERE, "ref", name + ".json")))


def err(y, row):
    return float(max(abs(Decimal(float(v)) - Decimal(str(r))) / max(1, abs(Decimal(str(r)))) for v, r in zip(y, row)))


def best(tool, p, R, wanted):
    """fastest time of `tool` with end error <= wanted, None if not reached"""
    t = None
    for tol in tools.TOLS[tool]:
        try:
            r = tools.TOOLS[tool](p, tol)
        except Exception as e:
            print("   ", tool, p.name, tol, repr(e)[:100])
            continue
        e = err(r["y"], R["y"][-1])
        if e <= wanted and (t is None or r["time"] < t):
            t = r["time"]
    return t


def main():
    args = dict(a.split("=") for a in sys.argv[1:] if "=" in a)
    ours, peer = args.get("ours", "ordinate-dp8"), args.get("peer", "dop853-C")
    wanted = [float(a) for a in sys.argv[1:] if "=" not in a and a[0] != "-"] or [1e-9]
    names = [n for g in ("detest", "circle", "kepler", "classic") for n in GROUPS[g]]
    if "only" in args:
        names = [n for n in names if n in args["only"].split(",")]
    for w in wanted:
        logs, won, lost = [], 0, []
        for n in names:
            a, b = best(ours, P[n], ref(n), w), best(peer, P[n], ref(n), w)
            if a is None and b is None:
                continue
            if a is None:
                lost.append(n); print(f"{n:16s} not reached by {ours}"); continue
            if b is None:
                won += 1; print(f"{n:16s} {a*1e6:10.1f} us, not reached by {peer}"); continue
            logs.append(math.log(a / b)); won += a < b
            print(f"{n:16s} {a*1e6:10.1f} us / {b*1e6:10.1f} us = {a/b:.2f}", flush=True)
        g = math.exp(sum(logs) / len(logs)) if logs else math.inf
        print(f"{ours}/{peer} at error<={w:g}: geometric mean {g:.2f} over {len(logs)} problems, won {won}, not reached by us {len(lost)}")
    sys.exit(0 if g <= float(args.get("bar", "inf")) and not lost else 1)


if __name__ == "__main__":
    main()
