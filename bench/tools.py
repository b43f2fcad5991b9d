"""The solvers as functions run(problem, tol, seconds) -> dict(time, steps, order, y): the smallest time of as many
repeats as fit into about `seconds`. A new one is one more function, registered in TOOLS.

Environment: ORDINATE, the program; BENCH_BUILD, a folder for what is compiled."""
import json, os, subprocess, time
from problems import eq_text
import native_build

EPS = 2.220446049250313e-16


def model(p):
    """path of the problem as a model file"""
    path = os.path.join(native_build.BUILD, p.name + ".eq")
    if not os.path.exists(path):
        os.makedirs(native_build.BUILD, exist_ok=True)
        open(path, "w").write(eq_text(p))
    return path


def command(p, tol, method):
    """the command line that solves a problem; tol 0 means machine epsilon; without the estimate of the global error,
    which no peer has"""
    tol = repr(tol or EPS)
    return [os.environ["ORDINATE"], "run", model(p), "-t", repr(p.t1), "-m", method, "--rtol", tol, "--atol", tol,
            "--at", repr(p.t1), "--no-error", "--summary", "json", "-q"]


def ordinate(method):
    known = {}

    def run(p, tol, seconds):
        once = known.get((p.name, tol))
        repeat = 10 if once is None else max(5, min(5000, int(seconds / once)))
        r = subprocess.run(command(p, tol, method) + ["--repeat", str(repeat)], capture_output=True, text=True, timeout=300)
        if r.returncode:
            raise RuntimeError(f"exit code {r.returncode}: {r.stderr.strip()[:200]}")
        s = json.loads(r.stdout)
        known[p.name, tol] = s["seconds"]["solve"]
        return dict(time=s["seconds"]["solve"], steps=s["steps"], order=round(s["order"]["max"]),
                    y=[s["final"][f"y{i}"] for i in range(p.n)])
    return run


_compiled = {}


def heyoka(p, tol, seconds):
    """propagate_until alone is timed: neither compiling nor setting the state back; `call` is what a call of zero
    length costs, that is the way from Python into heyoka and back"""
    import heyoka as hy
    from problems import hy_sys
    if (p.name, tol) not in _compiled:
        _compiled[p.name, tol] = hy.taylor_adaptive(hy_sys(p), list(p.y0), **({"tol": tol} if tol else {}))
    ta = _compiled[p.name, tol]
    best, total, count = float("inf"), 0.0, 0
    while count < 3 or (total < seconds and count < 5000):
        ta.time = 0.0
        ta.state[:] = p.y0
        begin = time.perf_counter()
        outcome = ta.propagate_until(p.t1)
        took = time.perf_counter() - begin
        best, total, count = min(best, took), total + took, count + 1
    y, call = [float(v) for v in ta.state], float("inf")
    for _ in range(20):
        begin = time.perf_counter()
        ta.propagate_until(p.t1)
        call = min(call, time.perf_counter() - begin)
    return dict(time=best, call=call, steps=outcome[3], order=ta.order, y=y)


def dop853_c(p, tol, seconds):
    exe = native_build.build(p.name, "dop853")
    out = subprocess.run([exe, repr(tol), repr(tol), "2000", repr(seconds)], capture_output=True, text=True, timeout=300)
    return dict(json.loads(out.stdout), order=8)


TOOLS = {"taylor": ordinate("taylor"), "mtsm": ordinate("mtsm"), "dp8": ordinate("dp8"), "heyoka": heyoka,
         "DOP853": dop853_c}
# the same choice of tolerances for everybody; 0 is the smallest that a Taylor method takes
GRID = [1e-14, 1e-13, 1e-12, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3]
TOLS = {name: GRID if name in ("dp8", "DOP853") else [0] + GRID for name in TOOLS}
