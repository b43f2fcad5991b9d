#!/usr/bin/env python3
"""1000 Lorenz trajectories to t = 10 on one core: Ordinate's lanes against heyoka in batches of 8; prints Markdown.

  ensemble.py [N]

Start values: (1 + 0.1 k/(N - 1), 1, 1), k = 0 … N - 1. The example `ensemble` of the crate `ordinate` stands beside the
binary that ORDINATE names. Times are those of the whole set, heyoka's compiling excluded, the smallest of several rounds
that take turns."""
import json, os, subprocess, sys, time
import numpy as np
import heyoka as hy
from problems import P, hy_sys

N = int(sys.argv[1]) if len(sys.argv) > 1 and sys.argv[1].isdigit() else 1000
LANES, T1 = 8, 10.0
OURS = os.path.join(os.path.dirname(os.environ["ORDINATE"]), "examples", "ensemble")
p = P["lorenz"]
start = np.tile(np.array(p.y0)[:, None], (1, N))
start[0] += np.linspace(0, 0.1, N)


def heyoka(ta):
    steps, begin = 0, time.thread_time()
    for k in range(0, N, LANES):
        ta.set_time(0.0)
        ta.state[:] = start[:, k:k + LANES]
        ta.propagate_until(T1)
        steps += sum(r[3] for r in ta.propagate_res)
    return time.thread_time() - begin, int(steps)


def ordinate(tol):
    out = subprocess.run([OURS, str(N), repr(tol), repr(tol), "1"], capture_output=True, text=True, check=True)
    return json.loads(out.stdout)


print("| tolerance | ordinate ms | steps | order | heyoka ms | steps | ratio |\n|---|---|---|---|---|---|---|")
bars = []
for name, tol in (("1e-12", 1e-12), ("eps", 2.220446049250313e-16)):
    ta = hy.taylor_adaptive_batch(hy_sys(p), np.tile(np.array(p.y0)[:, None], (1, LANES)), tol=tol)
    best, peer = None, (float("inf"), 0)
    for _ in range(7):
        ours = ordinate(tol)
        best = ours if best is None or ours["seconds"] < best["seconds"] else best
        peer = min(peer, heyoka(ta))
    ratio = best["seconds"] / peer[0]
    print(f"| {name} | {best['seconds'] * 1e3:.1f} | {best['steps']} | {best['order']:.1f} | {peer[0] * 1e3:.1f} | {peer[1]} | {ratio:.2f} |")
    verdict = "stretch met" if ratio <= 0.8 else "met" if ratio <= 1.2 else "not met"
    bars.append(f"bar: {N} Lorenz trajectories, tolerance {name}: ordinate / heyoka batch of {LANES} | {ratio:.2f} | 1.2 | 0.8 | {verdict}")
print("\n" + "\n".join(bars))
