"""Problem set. Every problem is written ONCE as plain expressions that are valid
in C, in Python and in Ordinate's language at the same time (only + - * / and the functions
sqrt sin cos and p32(x) = x^(-3/2)); variables y0,y1,...,t.  From this text the
harness generates the C right-hand side (DOP853), heyoka's expressions and the model text,
so that every tool integrates the same IEEE-double problem.

lets : [(name, expr)] common sub-expressions, evaluated in order
rhs  : [expr]
y0   : doubles;  t1: end time (double)
"""
from dataclasses import dataclass, field
from math import pi, sqrt, sin, cos


@dataclass
class Problem:
    name: str
    rhs: list
    y0: list
    t1: float
    lets: list = field(default_factory=list)
    note: str = ""

    @property
    def n(self):
        return len(self.y0)


def r(x):
    """exact, round-trippable literal of a double (valid in C and Python)"""
    s = repr(float(x))
    return s if x >= 0 else "(" + s + ")"


P = {}


def add(name, rhs, y0, t1, lets=(), note=""):
    P[name] = Problem(name, list(rhs), [float(v) for v in y0], float(t1), list(lets), note)


# ---- 1. DETEST (Hull, Enright, Fellen, Sedgwick 1972), corrected definitions ----
add("A1", ["-y0"], [1], 20)
add("A2", ["-(y0*y0*y0)/2"], [1], 20)
add("A3", ["y0*cos(t)"], [1], 20)
add("A4", ["(y0/4)*(1-y0/20)"], [1], 20)
add("A5", ["(y0-t)/(y0+t)"], [4], 20)
add("A5t10", ["(y0-t)/(y0+t)"], [4], 10)
add("B1", ["2*(y0-y0*y1)", "-(y1-y0*y1)"], [1, 3], 20)
add("B2", ["-y0+y1", "y0-2*y1+y2", "y1-y2"], [2, 0, 1], 20)
add("B3", ["-y0", "y0-y1*y1", "y1*y1"], [1, 0, 0], 20)
add("B4", ["-y1-y0*y2/q", "y0-y1*y2/q", "y0/q"], [3, 0, 0], 20, [("q", "sqrt(y0*y0+y1*y1)")])
add("B5", ["y1*y2", "-y0*y2", "-0.51*y0*y1"], [0, 1, 1], 20)
add("C3", ["-2*y0+y1"] + [f"y{i-1}-2*y{i}+y{i+1}" for i in range(1, 9)] + ["y8-2*y9"],
    [1] + [0] * 9, 20)
add("E1", ["y1", "-(y1/(t+1)+(1-0.25/((t+1)*(t+1)))*y0)"],
    [0.6713967071418030, 0.09540051444747446], 20)
add("E2", ["y1", "(1-y0*y0)*y1-y0"], [2, 0], 20)
add("E3", ["y1", "y0*y0*y0/6-y0+2*sin(2.78535*t)"], [0, 0], 20)
add("E4", ["y1", "0.032-0.4*(y1*y1)"], [30, 0], 20)
add("E5", ["y1", "sqrt(1+y1*y1)/(25-t)"], [0, 0], 20)
DETEST = "A1 A2 A3 A4 A5 A5t10 B1 B2 B3 B4 B5 C3 E1 E2 E3 E4 E5".split()

# ---- 2. circle test ----
for w in (1, 100):
    add(f"circle{w}", [f"{w}*y1", f"-{w}*y0"], [0, 1], 50)

# ---- 3. Kepler ----
for e in (0.25, 0.5, 0.75, 0.9):
    for per in (2, 100):
        add(f"kepler{e}x{per}", ["y2", "y3", "-y0*g", "-y1*g"],
            [1 - e, 0, 0, sqrt((1 + e) / (1 - e))], 2 * pi * per,
            [("g", "p32(y0*y0+y1*y1)")], f"e={e}, {per} periods")
KEPLER = [k for k in P if k.startswith("kepler")]

# ---- 4. classic non-linear ----
add("lorenz", ["10*(y1-y0)", "y0*(28-y2)-y1", f"y0*y1-{r(8/3)}*y2"], [1, 1, 1], 20)
add("vdp", ["y1", "(1-y0*y0)*y1-y0"], [2, 0], 100, note="mu=1")
add("pendulum", ["y1", "-5*sin(y0)"], [2, 0], 20, note="g=10, L=2, no damping, released at 2 rad")
add("pendulum90", ["y1", "-5*sin(y0)"], [pi / 2, 0], 20,
    note="released at 90 deg: lacunary Taylor series at t=0 (powers 2,6,10,..), breaks two-coefficient step rules")
_M, _m, _l, _g = 10.0, 1.5, 1.5, 9.81
add("cart", [
    f"({r((_M+_m)*_g)}*s-{r(_m*_l)}*s*c*y0*y0)/({r(_M*_l)}+{r(_m*_l)}*s*s)", "y0",
    f"({r(_m*_l)}*s*y0*y0-{r(_m*_g)}*s*c)/({r(_M)}+{r(_m)}*s*s)", "y2"],
    [0, pi + 0.1, 0, -1], 10, [("s", "sin(y1)"), ("c", "cos(y1)")],
    "thesis (6.39), u=0, m=1.5 M=10 l=1.5 g=9.81")

G = 2.95912208286e-4
MASS = [1.00000597682, 0.000954786104043, 0.000285583733151, 0.0000437273164546,
        0.0000517759138449, 1 / 1.3e8]
POS = [(0, 0, 0), (-3.5023653, -3.8169847, -1.5507963), (9.0755314, -3.0458353, -1.6483708),
       (8.3101420, -16.2901086, -7.2521278), (11.4707666, -25.7294829, -10.8169456),
       (-15.5387357, -25.2225594, -3.1902382)]
VEL = [(0, 0, 0), (0.00565429, -0.00412490, -0.00190589), (0.00168318, 0.00483525, 0.00192462),
       (0.00354178, 0.00137102, 0.00055029), (0.00288930, 0.00114527, 0.00039677),
       (0.00276725, -0.00170702, -0.00136504)]


def _nbody():
    """state order per body: x y z vx vy vz (the order of heyoka's model.nbody)"""
    N, lets, rhs, y0 = 6, [], [], []
    acc = [[[] for _ in range(3)] for _ in range(N)]
    for i in range(N):
        for j in range(i + 1, N):
            d = [f"d{i}{j}{k}" for k in range(3)]
            for k in range(3):
                lets.append((d[k], f"y{6*j+k}-y{6*i+k}"))
            lets.append((f"w{i}{j}", "p32(" + "+".join(f"{x}*{x}" for x in d) + ")"))
            for k in range(3):
                acc[i][k].append(f"{r(G*MASS[j])}*w{i}{j}*{d[k]}")
                acc[j][k].append(f"-{r(G*MASS[i])}*w{i}{j}*{d[k]}")
    for i in range(N):
        y0 += list(POS[i]) + list(VEL[i])
        rhs += [f"y{6*i+3+k}" for k in range(3)]
        rhs += ["+".join(a).replace("+-", "-") for a in acc[i]]
    return lets, rhs, y0


_l2, _r2, _y2 = _nbody()
add("outer", _r2, _y2, 200000, _l2, "Sun+5, Hairer data, days, AU")
_mu = 0.012277471
add("arenstorf", ["y2", "y3",
                  f"y0+2*y3-{r(1-_mu)}*(y0+{r(_mu)})*d1-{r(_mu)}*(y0-{r(1-_mu)})*d2",
                  f"y1-2*y2-{r(1-_mu)}*y1*d1-{r(_mu)}*y1*d2"],
    [0.994, 0, 0, -2.00158510637908252240537862224], 17.0652165601579625588917206249,
    [("d1", f"p32((y0+{r(_mu)})*(y0+{r(_mu)})+y1*y1)"),
     ("d2", f"p32((y0-{r(1-_mu)})*(y0-{r(1-_mu)})+y1*y1)")])
CLASSIC = "lorenz vdp pendulum pendulum90 cart outer arenstorf".split()

# ---- 5. telegraph line parameters (thesis 4.4); see telegraph.py ----
TL = dict(C=1e-12, L=1e-8, R1=100.0, R2=100.0, U0=1.0, omega=3e9)

GROUPS = {"detest": DETEST, "circle": ["circle1", "circle100"], "kepler": KEPLER, "classic": CLASSIC}
ALL = [k for g in GROUPS.values() for k in g]


# ------------------------------------------------------------------ generators
def eq_text(p):
    """the problem in Ordinate's own language"""
    lines = [f"# {p.name} {p.note}".rstrip()]
    body = [e for _, e in p.lets] + p.rhs
    if any("p32(" in e for e in body):
        lines.append("def p32(x) = x^(-1.5)")
    lines += [f"{n} = {e}" for n, e in p.lets]
    lines += [f"y{i}' = {e}" for i, e in enumerate(p.rhs)]
    lines += [f"init y{i} = {float(v)!r}" for i, v in enumerate(p.y0)]
    return "\n".join(lines) + "\n"


def c_rhs(p, restrict=True):
    """body of: static inline void rhs(double t, const double* y, double* f)"""
    s = []
    for i in range(p.n):
        s.append(f"  const double y{i}=y[{i}];")
    for k, e in p.lets:
        s.append(f"  const double {k}={e};")
    for i, e in enumerate(p.rhs):
        s.append(f"  f[{i}]={e};")
    return "\n".join(s)


def hy_sys(p):
    """the problem as heyoka's list of (variable, expression)"""
    import heyoka as hy
    v = hy.make_vars(*[f"y{i}" for i in range(p.n)])
    v = [v] if p.n == 1 else v
    names = {f"y{i}": v[i] for i in range(p.n)}
    names.update(sqrt=hy.sqrt, sin=hy.sin, cos=hy.cos, t=hy.time, p32=lambda x: x ** hy.expression(-1.5))
    for k, e in p.lets:
        names[k] = eval(e, names)
    return [(v[i], eval(e, names)) for i, e in enumerate(p.rhs)]
