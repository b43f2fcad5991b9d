#!/usr/bin/env python3
"""Text to first result: a fresh process of Ordinate against heyoka's expression + compiling + run; prints Markdown.

  first_result.py [ours=taylor] [only=A1,lorenz]

Both solve to machine epsilon. Ordinate's whole process is timed with the wall clock, its start and the writing of the
summary included; of heyoka only what follows the import counts, as CPU time, its cache on disk switched off. Both are to
Ordinate's disadvantage. Beside it stands what Ordinate itself says: parse + compile + solve of the same process."""
import json, math, os, subprocess, sys, time
from problems import P, ALL
import tools

HERE = os.path.dirname(os.path.abspath(__file__))
HEYOKA = """
import sys, time, json, heyoka as hy
hy.llvm_state.set_diskcache_enabled(False)
from problems import P, hy_sys
p = P[sys.argv[1]]
t0 = time.process_time(); s = hy_sys(p)
t1 = time.process_time(); ta = hy.taylor_adaptive(s, list(p.y0))
t2 = time.process_time(); ta.propagate_until(p.t1); t3 = time.process_time()
print(json.dumps(dict(total=t3 - t0, compile=t2 - t1)))
"""


def heyoka(name):
    out = subprocess.run([sys.executable, "-c", HEYOKA, name], capture_output=True, text=True, cwd=HERE, check=True)
    return json.loads(out.stdout)


def process(command):
    """wall clock of a process from its start to its end, and what it wrote"""
    reader, writer = os.pipe()
    begin = time.perf_counter()
    child = os.posix_spawn(command[0], command, os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, writer, 1)])
    os.close(writer)
    with os.fdopen(reader) as pipe:
        text = pipe.read()
    status = os.waitpid(child, 0)[1]
    whole = time.perf_counter() - begin
    if status:
        raise RuntimeError(f"{command}: status {status}: {text[:200]}")
    return whole, text


def ordinate(name, method):
    """wall clock of the process, and the stages it reports"""
    whole, text = process(tools.command(P[name], 0, method))
    seconds = json.loads(text)["seconds"]
    return dict(whole=whole, inside=seconds["parse"] + seconds["compile"] + seconds["solve"])


def main():
    args = dict(a.split("=") for a in sys.argv[1:] if "=" in a)
    ours = args.get("ours", "taylor")
    names = [n for n in ALL if n in args["only"].split(",")] if "only" in args else ALL
    print("| problem | ordinate, whole process ms | parse + compile + solve ms | heyoka ms | of it compiling | times faster | inside |\n|---|---|---|---|---|---|---|")
    faster, inside = [], []
    for n in names:
        a, b = [], []
        for turn in range(3):
            a += [ordinate(n, ours) for _ in range(10)]
            # a compilation of many seconds need not be repeated: its time is the same to a per cent
            if turn == 0 or b[0]["total"] < 2:
                b.append(heyoka(n))
        whole, stages = min(r["whole"] for r in a), min(r["inside"] for r in a)
        peer = min(b, key=lambda r: r["total"])
        faster.append(peer["total"] / whole)
        inside.append(peer["total"] / stages)
        print(f"| {n} | {whole*1e3:.2f} | {stages*1e3:.3f} | {peer['total']*1e3:.0f} | {peer['compile']*1e3:.0f} | {faster[-1]:.0f} | {inside[-1]:.0f} |", flush=True)
    empty = min(process(["/bin/true"])[0] for _ in range(50))
    mean = lambda v: math.exp(sum(map(math.log, v)) / len(v))
    print(f"\nWhole process: geometric mean {mean(faster):.0f} times faster, at least {min(faster):.0f}. "
          f"Parse + compile + solve of the same process: {mean(inside):.0f}, at least {min(inside):.0f}. "
          f"A process that does nothing (/bin/true) takes {empty*1e3:.2f} ms here.")
    for label, values in (("whole process", faster), ("parse + compile + solve", inside)):
        verdict = "stretch met" if min(values) >= 100 else "met" if min(values) >= 20 and mean(values) >= 50 else "not met"
        print(f"bar: text to first result against heyoka, {label}: times faster, smallest / geometric mean | {min(values):.0f} / {mean(values):.0f} | 20 / 50 | 100 / – | {verdict}")


if __name__ == "__main__":
    main()
