"""One function per tool: run(problem, tol) -> dict(time, steps, y, ...). A new tool is one more
function, registered in TOOLS."""
import json, os, subprocess, tempfile
from problems import eq_text
import native_build

EPS = 2.220446049250313e-16


def ordinate(p, tol, method):
    """the binary named by the environment variable ORDINATE; tol 0 means machine epsilon"""
    tol = tol or EPS
    with tempfile.TemporaryDirectory() as d:
        m = os.path.join(d, p.name + ".eq")
        open(m, "w").write(eq_text(p))
        r = subprocess.run([os.environ["ORDINATE"], "run", m, "-t", repr(p.t1), "-m", method, "--rtol", str(tol),
                            "--atol", str(tol), "--at", repr(p.t1), "--repeat", "200", "--no-error", "--summary", "json",
                            "-q"], check=True, capture_output=True, text=True, timeout=300)
    s = json.loads(r.stdout)
    return dict(time=s["seconds"]["solve"], steps=s["steps"], rejected=s["rejected"], f=s["evaluations"]["f"],
                y=[s["final"][f"y{i}"] for i in range(p.n)])


def dop853_c(p, tol):
    exe = native_build.build(p.name, "dop853")
    out = subprocess.run([exe, str(tol), str(tol), "2000"], capture_output=True, text=True, timeout=300)
    r = json.loads(out.stdout)
    return dict(r, rejected=r["rej"], f=r["nfe"])


TOOLS = {"ordinate-dp8": lambda p, tol: ordinate(p, tol, "dp8"), "dop853-C": dop853_c}
TOLS = {"ordinate-dp8": [1e-14, 1e-12, 1e-10, 1e-8, 1e-6, 1e-4], "dop853-C": [1e-14, 1e-12, 1e-10, 1e-8, 1e-6, 1e-4]}
