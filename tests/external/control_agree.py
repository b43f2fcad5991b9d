"""Linear systems against python-control and SciPy: gains, Riccati and Lyapunov solutions, poles, frequency responses, sampled
forms, zeros, margins and ranks of a few hundred random systems.

    ANSWERS=target/debug/examples/answers python tests/external/control_agree.py

Figures must agree to 1e-8 relative. Where they do not, an arbiter with sixty digits decides, if there is one: it must agree with
Ordinate. Without one the peer solves the problem again from data that are changed in their last digit: if its own answer moves,
the condition of the problem allows no better agreement, and the bound is fifty times that movement. Of the ordinary systems few
may need this. Exit code 0 if all agree."""
import json, os, subprocess, sys, warnings
import control
import mpmath
import numpy as np
import scipy.linalg
import scipy.signal
from control_systems import ill_conditioned, ordinary

BINARY = os.environ.get("ANSWERS", "target/debug/examples/answers")
BOUND = 1e-8
MOST_EXCUSED = 0.05         # of the ordinary systems, in which the condition decides
warnings.filterwarnings("ignore")


class Answers:
    def __init__(self):
        self.process = subprocess.Popen([BINARY], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __call__(self, ask, **data):
        plain = {k: v.tolist() if isinstance(v, np.ndarray) else v for k, v in data.items()}
        self.process.stdin.write(json.dumps({"ask": ask, **plain}) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())


ask = Answers()
points = lambda values: [[z.real, z.imag] for z in np.asarray(values, complex)]
numbers = lambda pairs: np.array([complex(*p) for p in pairs])


def apart(found, peer):
    """The largest difference relative to the size of the whole."""
    found, peer = np.asarray(found), np.asarray(peer)
    if found.shape != peer.shape:
        return np.inf
    size = np.max(np.abs(peer), initial=0.0)
    return float(np.max(np.abs(found - peer), initial=0.0) / (size if size > 0 else 1.0))


def apart_as_sets(found, peer):
    """The same for values in any order: the nearest pairs first."""
    found, peer = list(found), list(peer)
    if len(found) != len(peer):
        return np.inf
    size, worst = max(map(abs, peer), default=1.0) or 1.0, 0.0
    for z in peer:
        nearest = min(range(len(found)), key=lambda k: abs(found[k] - z))
        worst = max(worst, abs(found.pop(nearest) - z) / size)
    return worst


class Tally:
    def __init__(self):
        self.rows, self.bad = {}, []

    def check(self, what, system, found, peer, data, differ=apart, arbiter=None):
        """`peer` and `arbiter` are functions of the data."""
        row = self.rows.setdefault(what, {"compared": 0, "ordinary": 0, "excused": 0, "decided": 0, "worst": 0.0})
        row["compared"] += 1
        row["ordinary"] += system.ordinary
        theirs = peer(*data)
        error = differ(found, theirs) if np.all(np.isfinite(theirs)) else np.inf
        if error <= BOUND:
            row["worst"] = max(row["worst"], error)
            return
        if arbiter and differ(found, arbiter(*data)) <= BOUND:
            row["decided"] += 1
            return
        moved, judge = 0.0, arbiter or peer
        if arbiter:
            theirs = arbiter(*data)
            error = differ(found, theirs)
        for seed in range(3):
            random = np.random.default_rng(seed)
            changed = [d * (1 + 1e-15 * random.standard_normal(d.shape)) if isinstance(d, np.ndarray) else d for d in data]
            if what in SYMMETRIC:
                changed = [(d + d.T) / 2 if k in SYMMETRIC[what] else d for k, d in enumerate(changed)]
            try:
                moved = max(moved, differ(judge(*changed), theirs))
            except Exception:
                moved = np.inf
        if error <= 50 * moved:
            row["excused"] += system.ordinary
            return
        self.bad.append(f"{what} of {system.name}: {error:.1e} (the peer moves by {moved:.0e})")


SYMMETRIC = {"lqr": (2, 3), "dlqr": (2, 3), "riccati": (2, 3), "discrete riccati": (2, 3), "lyapunov": (1,),
             "discrete lyapunov": (1,)}
tally = Tally()


def refused(what, system, answer, peer, data):
    """An answer that is an error must have a reason: the peer fails, too, or its own answer is not worth much."""
    try:
        p = peer(*data)
        random = np.random.default_rng(1)
        a = data[0] * (1 + 1e-15 * random.standard_normal(data[0].shape))
        if apart(peer(a, *data[1:]), p) > 1e-6:
            return
    except Exception:
        return
    tally.bad.append(f"{what} of {system.name}: refused, {answer['error']}")


def riccati(system):
    a, b, q, r = system.a, system.b, system.q, system.r
    sampled = scipy.linalg.expm(0.3 * a / max(1.0, np.max(np.abs(np.linalg.eigvals(a)))))
    for name, equation, solve, regulator, a in (
            ("lqr", "riccati", scipy.linalg.solve_continuous_are, control.lqr, a),
            ("dlqr", "discrete riccati", scipy.linalg.solve_discrete_are, control.dlqr, sampled)):
        answer = ask(name, a=a, b=b, q=q, r=r)
        if "error" in answer:
            refused(name, system, answer, solve, (a, b, q, r))
            continue
        if answer["residual"] > 1e-10:
            tally.bad.append(f"{name} of {system.name}: residual {answer['residual']:.1e}")
        try:
            solve(a, b, q, r)
        except Exception:
            continue
        tally.check(equation, system, answer["cost"], solve, (a, b, q, r))
        gain = lambda *data: np.asarray(regulator(*data, method="scipy")[0])
        tally.check(name, system, answer["gain"], gain, (a, b, q, r))


def exact_sylvester(a, b, c):
    """A X + X B = C as n² equations with sixty digits."""
    with mpmath.workdps(60):
        n, m = c.shape
        equations = mpmath.zeros(n * m, n * m)
        for i in range(n):
            for j in range(m):
                for k in range(n):
                    equations[i * m + j, k * m + j] += mpmath.mpf(float(a[i, k]))
                for k in range(m):
                    equations[i * m + j, i * m + k] += mpmath.mpf(float(b[k, j]))
        x = mpmath.lu_solve(equations, mpmath.matrix(c.flatten().tolist()))
        return np.array([float(x) for x in x]).reshape(n, m)


def lyapunov(system):
    q = system.q
    answer = ask("lyapunov", a=system.a, q=q)
    values = np.linalg.eigvals(system.a)
    if np.min(np.abs(values[:, None] + values)) > 1e-9 * np.max(np.abs(values)):
        tally.check("lyapunov", system, answer.get("x", []),
                    lambda a, q: scipy.linalg.solve_continuous_lyapunov(a, -q), (system.a, q),
                    arbiter=lambda a, q: exact_sylvester(a, a.T, -q))
    # every eigenvalue inside the circle, so that it is not by chance the inverse of another one
    a = system.a / (1.1 * max(1.0, np.max(np.abs(values))))
    answer = ask("dlyapunov", a=a, q=q)
    tally.check("discrete lyapunov", system, answer.get("x", []),
                lambda a, q: scipy.linalg.solve_discrete_lyapunov(a, q, method="direct"), (a, q))
    c = system.b @ system.c[:system.b.shape[1], :] if system.c.shape[0] >= system.b.shape[1] else system.q
    answer = ask("sylvester", a=system.a, b=system.a.T + 3 * np.eye(len(system.a)), c=c)
    tally.check("sylvester", system, answer.get("x", []), scipy.linalg.solve_sylvester,
                (system.a, system.a.T + 3 * np.eye(len(system.a)), c), arbiter=exact_sylvester)


def exact_gain(a, b, poles):
    """Ackermann's formula with sixty digits."""
    with mpmath.workdps(60):
        n = len(a)
        m, v = mpmath.matrix(a.tolist()), mpmath.matrix(b.tolist())
        reach = mpmath.zeros(n, n)
        for k in range(n):
            for i in range(n):
                reach[i, k] = v[i]
            v = m * v
        last = mpmath.lu_solve(reach.T, mpmath.matrix([0] * (n - 1) + [1])).T
        for z in poles:
            if z.imag == 0:
                last = last * m - last * mpmath.mpf(z.real)
            elif z.imag > 0:
                last = last * m * m - last * m * (2 * mpmath.mpf(z.real)) + last * (mpmath.mpf(z.real) ** 2 + mpmath.mpf(z.imag) ** 2)
        return np.array([[float(x) for x in last]])


def scipy_gain(a, b, poles):
    """What SciPy refuses (equal poles, modes that are not reached) is no number."""
    try:
        return scipy.signal.place_poles(a, b, poles).gain_matrix
    except ValueError:
        return np.full((1, len(a)), np.nan)


def place(system):
    poles = system.wanted
    column = system.b[:, :1]
    answer = ask("place", a=system.a, b=column, poles=points(poles))
    found = answer.get("gain", [])
    if "error" in answer:
        # so badly conditioned that sixteen digits of the data leave none of the poles
        refused("place", system, answer, lambda a, b: exact_gain(a, b, poles), (system.a, column))
    else:
        tally.check("place, one input", system, found, lambda a, b: scipy_gain(a, b, poles), (system.a, column),
                    arbiter=lambda a, b: exact_gain(a, b, poles))
    if system.b.shape[1] > 1:
        answer = ask("place", a=system.a, b=system.b, poles=points(poles))
        if "error" in answer:
            tally.bad.append(f"place with several inputs of {system.name}: {answer['error']}")
            return
        closed = lambda a, b: np.linalg.eigvals(a - b @ np.array(answer["gain"]))
        # what is compared with is the wish itself; the eigenvalues are NumPy's
        tally.check("place, several inputs", system, poles, closed, (system.a, system.b), apart_as_sets)


def responses(system):
    a, b, c, d = system.a, system.b, system.c, system.d
    frequencies = np.logspace(-3, 3, 13)
    answer = ask("response", a=a, b=b, c=c, d=d, at=points(1j * frequencies))
    found = np.array([[numbers(row) for row in value] for value in answer["values"]])
    for k, w in enumerate(frequencies):
        tally.check("frequency response", system, found[k], lambda a, b, c, d: control.ss(a, b, c, d)(1j * w, squeeze=False)
                    .reshape(d.shape), (a, b, c, d))
    h = 0.7 / max(1e-3, np.max(np.abs(np.linalg.eigvals(a))))
    for hold, theirs in (("zero", "zoh"), ("tustin", "bilinear"), ("forward", "euler"), ("backward", "backward_diff")):
        answer = ask("discretise", a=a, b=b, c=c, d=d, every=h, hold=hold)
        for k, part in enumerate("abcd"):
            tally.check(f"sampled, {theirs}", system, answer.get(part, []),
                        lambda *data: scipy.signal.cont2discrete(data, h, theirs)[k], (a, b, c, d))
    poles = ask("eigenvalues", a=a)["values"]
    tally.check("eigenvalues", system, numbers(poles), lambda a: np.linalg.eigvals(a), (a,), apart_as_sets)
    m = min(b.shape[1], c.shape[0])
    square = (a, b[:, :m], c[:m], d[:m, :m])
    zeros = numbers(ask("zeros", **dict(zip("abcd", square)))["zeros"])
    exact = exact_zeros if m == 1 and not d.any() else None
    tally.check("zeros", system, zeros, finite_zeros, square, apart_as_sets, exact)


def finite_zeros(a, b, c, d):
    return [z for z in control.ss(a, b, c, d).zeros() if np.isfinite(z) and abs(z) < 1e9 * np.linalg.norm(a)]


def exact_zeros(a, b, c, d):
    """Roots of det(sI − A + BC) − det(sI − A) with sixty digits."""
    def polynomial(m):
        coefficients, power = [mpmath.mpf(1)], mpmath.zeros(len(a), len(a))
        for k in range(1, len(a) + 1):
            power = m * power + coefficients[-1] * mpmath.eye(len(a))
            product = m * power
            coefficients.append(-sum(product[i, i] for i in range(len(a))) / k)
        return coefficients
    with mpmath.workdps(60):
        m, loop = mpmath.matrix(a.tolist()), mpmath.matrix(b.tolist()) * mpmath.matrix(c.tolist())
        difference = [p - q for p, q in zip(polynomial(m - loop), polynomial(m))]
        largest = max(map(abs, difference), default=0)
        while difference and abs(difference[0]) <= 1e-40 * largest:
            difference.pop(0)
        return [complex(z) for z in mpmath.polyroots(difference, maxsteps=1000, extraprec=1000)]


def loop(system):
    """Margins of one channel, and its transfer function."""
    a, b, c = system.a, system.b[:, :1], system.c[:1]
    d = np.zeros((1, 1))
    answer = ask("transfer", a=a, b=b, c=c, d=d)
    if len(a) <= 8:
        tally.check("characteristic polynomial", system, answer["denominator"], lambda a: np.poly(a), (a,))
    answer = ask("margins", a=a, b=b, c=c, d=d)
    plant = lambda a, b, c: control.ss(a, b, c, 0)
    stable = lambda a, b, c: np.max(np.linalg.eigvals(a - b @ c).real) < 0
    tally.check("stable loop", system, [float(answer["stable"])], lambda *s: [float(stable(*s))], (a, b, c))
    curve = np.array([c @ np.linalg.solve(1j * w * np.eye(len(a)) - a, b) for w in (0.1, 0.7, 3.0)])
    if len(a) > 6 or np.max(np.abs(curve.imag / curve)) < 1e-9:
        return      # a curve on the real axis crosses it nowhere, or everywhere
    ours = np.array([x for x in answer["gain"] if x[0] > 0]).reshape(-1, 2)

    def theirs(a, b, c, which):
        gain, phase, _, w180, wc, _ = control.stability_margins(plant(a, b, c), returnall=True)
        pairs = [(w, m) for w, m in zip(w180, gain) if w > 0] if which == "gain" else list(zip(wc, phase))
        return np.array(sorted(pairs)).reshape(-1, 2)
    tally.check("gain margins", system, ours, lambda a, b, c: theirs(a, b, c, "gain"), (a, b, c))
    found = np.array(sorted((w, m % 360) for w, m in answer["phase"])).reshape(-1, 2)

    def wrapped(a, b, c):
        pairs = theirs(a, b, c, "phase")
        pairs[:, 1] %= 360
        return pairs
    tally.check("phase margins", system, found, wrapped, (a, b, c))


def ranks(system):
    answer = ask("rank", a=system.a, b=system.b, c=system.c)
    for what, found, wanted in (("reached", answer["reached"], system.reached), ("shown", answer["shown"], system.shown)):
        if found != wanted:
            tally.bad.append(f"rank of {system.name}: {found} states {what}, not {wanted}")


def main():
    systems = list(ordinary()) + list(ill_conditioned())
    for system in systems:
        for part in (riccati, lyapunov, place, responses, loop, ranks):
            try:
                part(system)
            except Exception as error:
                tally.bad.append(f"{part.__name__} of {system.name}: {type(error).__name__}: {error}")
    print(f"{len(systems)} systems, {sum(s.ordinary for s in systems)} of them ordinary, against python-control "
          f"{control.__version__} and SciPy {scipy.__version__}")
    for what, row in tally.rows.items():
        print(f"   {what:26} {row['compared']:5} compared, largest difference {row['worst']:.1e}; "
              f"{row['decided']} decided by sixty digits, by the condition {row['excused']} of {row['ordinary']} ordinary ones")
        if row["excused"] > max(2, MOST_EXCUSED * row["ordinary"]):
            tally.bad.append(f"{what}: too many comparisons decided by the condition")
    for line in tally.bad[:60]:
        print("FAILED", line)
    print("all agree" if not tally.bad else f"{len(tally.bad)} do not agree")
    return 1 if tally.bad else 0


if __name__ == "__main__":
    sys.exit(main())
