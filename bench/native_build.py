"""Generate and compile the native harness programs into build/ (not committed)."""
import os, subprocess
from problems import P, c_rhs

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.environ.get("BENCH_BUILD", os.path.join(HERE, "build"))


def dop_tables(d):
    import scipy.integrate._ivp.dop853_coefficients as k
    with open(os.path.join(d, "dop_tab.h"), "w") as f:
        f.write("/* generated */\n")
    s = ["static inline __attribute__((always_inline)) void stages(double t,double h,const double*restrict y,double*restrict yn){",
         " double w[N];"]
    for i in range(1, 12):
        terms = "+".join(f"({float(a)!r})*K[{j}][i]" for j, a in enumerate(k.A[i][:i]) if a != 0)
        s.append(f" for(int i=0;i<N;i++)w[i]=y[i]+h*({terms}); rhs(t+h*({float(k.C[i])!r}),w,K[{i}]);")
    terms = "+".join(f"({float(a)!r})*K[{j}][i]" for j, a in enumerate(k.B) if a != 0)
    s.append(f" for(int i=0;i<N;i++)yn[i]=y[i]+h*({terms});}}")
    for nm, e in (("err5", k.E5), ("err3", k.E3)):
        terms = "+".join(f"({float(a)!r})*K[{j}][i]" for j, a in enumerate(e) if a != 0)
        s.append(f"static inline double {nm}(int i){{return {terms};}}")
    with open(os.path.join(d, "dop_stage.h"), "w") as f:
        f.write("\n".join(s) + "\n")


def build(name, kind):
    """kind: dop853; returns path of the executable"""
    os.makedirs(BUILD, exist_ok=True)
    exe = os.path.join(BUILD, f"{kind}_{name}")
    if os.path.exists(exe):
        return exe
    p = P[name]
    if not os.path.exists(os.path.join(BUILD, "dop_stage.h")):
        dop_tables(BUILD)
    s = open(os.path.join(HERE, "native", f"{kind}_main.c.in")).read()
    s = (s.replace("@N@", str(p.n)).replace("@T1@", repr(p.t1)).replace("@RHS@", c_rhs(p))
          .replace("@Y0@", ",".join(repr(v) for v in p.y0)))
    src = exe + ".c"
    open(src, "w").write(s)
    cmd = ["gcc", "-O3", "-march=native", "-ffp-contract=fast", "-fno-math-errno", "-o", exe, src, "-I", BUILD]
    subprocess.run(cmd + ["-lm"], check=True)
    return exe

