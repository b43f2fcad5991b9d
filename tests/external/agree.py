"""Ordinate against codes that others wrote: SciPy's Radau, BDF and LSODA, and diffsol's BDF, on problems that all know.

    ORDINATE=target/release/ordinate python tests/external/agree.py

The peers run with tolerances a hundred times tighter than Ordinate. A peer that gives up, or whose three codes differ among
themselves by more than the bound, is named and not used. Exit code 0 if every method of Ordinate agrees on every problem."""
import json, os, pathlib, subprocess, sys, tempfile
import numpy as np
import pydiffsol
from scipy.integrate import solve_ivp
from problems import all_problems

BINARY = os.environ.get("ORDINATE", "target/release/ordinate")
RTOL = 1e-7
BOUND = 200 * RTOL          # what a local tolerance becomes over a run of these problems
METHODS = ["auto", "radau", "radau5", "bdf"]


def ordinate(problem, method):
    with tempfile.TemporaryDirectory() as folder:
        model = pathlib.Path(folder, "model.eq")
        model.write_text("\n".join(problem.eq) + "\n")
        command = [BINARY, "run", str(model), "-t", repr(float(problem.t_end)), "-m", method, "--rtol", repr(RTOL),
                   "--atol", repr(problem.atol * 100), "--at", repr(float(problem.t_end)), "--summary", "json", "-q"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        if done.returncode != 0:
            return None, f"exit {done.returncode}: {done.stderr.strip()[:150]}"
        final = json.loads(done.stdout)["final"]
        return np.array([final[name] for name in problem.names]), ""


def scipy(problem, method):
    pieces = [0, 0.5, problem.t_end] if problem.name == "jumping-input" else [0, problem.t_end]
    y = np.array(problem.y0, float)
    for start, end in zip(pieces, pieces[1:]):
        # a jump exactly at the end of a piece belongs to the next one
        f = (lambda t, y, end=end: problem.f(min(t, np.nextafter(end, 0)), y)) if len(pieces) > 2 else problem.f
        solution = solve_ivp(f, (start, end), y, method=method, rtol=RTOL / 100, atol=problem.atol)
        if not solution.success:
            return None
        y = solution.y[:, -1]
    return y


def diffsol(problem):
    if not problem.diffsl:
        return None
    ode = pydiffsol.Ode(problem.diffsl, matrix_type=pydiffsol.nalgebra_dense, ode_solver=pydiffsol.bdf)
    ode.rtol, ode.atol = RTOL / 100, problem.atol
    try:
        return np.array(ode.solve(np.array([]), float(problem.t_end)).ys)[:, -1]
    except Exception as error:
        print(f"   diffsol gives up on {problem.name}: {error}")
        return None


def main():
    bad = 0
    for problem in all_problems():
        peers = {name: scipy(problem, name) for name in ("Radau", "BDF", "LSODA")}
        peers["diffsol"] = diffsol(problem)
        peers = {name: y for name, y in peers.items() if y is not None and np.all(np.isfinite(y))}
        middle = np.median(np.array(list(peers.values())), axis=0)
        # each component by its own size, but nothing below what the absolute tolerance resolves
        scale = np.maximum(np.abs(middle), 1e3 * problem.atol / RTOL)
        distance = lambda y: float(np.max(np.abs(y - middle) / scale))
        spread = {name: distance(y) for name, y in peers.items()}
        used = [name for name in spread if spread[name] <= BOUND]
        if len(used) < 2:
            print(f"{problem.name}: the peers do not agree among themselves: {spread}")
            bad += 1
            continue
        row = []
        for method in METHODS:
            y, why = ordinate(problem, method)
            error = distance(y) if y is not None else float("inf")
            good = error <= BOUND
            bad += not good
            row.append(f"{method} {error:.1e}{'' if good else ' FAILED ' + why}")
        print(f"{problem.name:20} {', '.join(row)}   ({', '.join(f'{n} {s:.0e}' for n, s in spread.items())})", flush=True)
    print("all agree" if not bad else f"{bad} do not agree")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
