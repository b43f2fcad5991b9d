"""Stiff and algebraic problems in three languages: Ordinate's, Python's (for SciPy) and DiffSL (for diffsol).

HIRES, OREGO and the pollution of air are those of the test sets of Hairer and Wanner (Solving Ordinary Differential
Equations II, IV.10) and of the Bari/CWI test set; the others are in the textbooks, too."""
import numpy as np


class Problem:
    def __init__(self, name, eq, f, y0, t_end, names, diffsl=None, atol=1e-12, differential=True):
        self.name, self.eq, self.f, self.y0, self.t_end, self.names = name, eq, f, y0, t_end, names
        self.diffsl, self.atol, self.differential = diffsl, atol, differential


def robertson(t, y):
    a, b, c = y
    r1, r2, r3 = 0.04 * a, 1e4 * b * c, 3e7 * b * b
    return [-r1 + r2, r1 - r2 - r3, r3]


def van_der_pol(mu):
    return lambda t, y: [y[1], mu * ((1 - y[0] ** 2) * y[1]) - y[0]]


def hires(t, y):
    return [-1.71 * y[0] + 0.43 * y[1] + 8.32 * y[2] + 0.0007, 1.71 * y[0] - 8.75 * y[1],
            -10.03 * y[2] + 0.43 * y[3] + 0.035 * y[4], 8.32 * y[1] + 1.71 * y[2] - 1.12 * y[3],
            -1.745 * y[4] + 0.43 * y[5] + 0.43 * y[6],
            -280 * y[5] * y[7] + 0.69 * y[3] + 1.71 * y[4] - 0.43 * y[5] + 0.69 * y[6],
            280 * y[5] * y[7] - 1.81 * y[6], -280 * y[5] * y[7] + 1.81 * y[6]]


def orego(t, y):
    a, b, c = y
    return [77.27 * (b + a * (1 - 8.375e-6 * a - b)), (c - (1 + a) * b) / 77.27, 0.161 * (a - c)]


BETA = [0.000215, 0.001424, 0.001274, 0.002568, 0.000748, 0.000273]
LAMBDA = [0.0124, 0.0305, 0.111, 0.301, 1.14, 3.01]
TAU, RHO = 5e-5, 0.001
KEF = 1 / (1 - RHO)


def reactor(t, y):
    p = (KEF * (1 - sum(BETA)) - 1) / TAU * y[0] + sum(l * c for l, c in zip(LAMBDA, y[1:]))
    return [p] + [b * KEF / TAU * y[0] - l * c for b, l, c in zip(BETA, LAMBDA, y[1:])]


def heat(n):
    def f(t, u):
        u = np.asarray(u)
        left, right = np.concatenate(([np.sin(t)], u[:-1])), np.concatenate((u[1:], [0.0]))
        return (n + 1) ** 2 * (left - 2 * u + right)
    return f


def brusselator(n):
    alpha = 0.02 * (n + 1) ** 2

    def f(t, y):
        u, v = np.asarray(y[:n]), np.asarray(y[n:])
        lu = np.concatenate(([1.0], u[:-1])) - 2 * u + np.concatenate((u[1:], [1.0]))
        lv = np.concatenate(([3.0], v[:-1])) - 2 * v + np.concatenate((v[1:], [3.0]))
        return np.concatenate((1 + u * u * v - 4 * u + alpha * lu, 3 * u - u * u * v + alpha * lv))
    return f


def pendulum(t, y):
    """The index-reduced pendulum of length 1: lambda from the second derivative of the constraint."""
    x, vx, q, vq = y
    lam = (vx * vx + vq * vq + 9.81 * q) / 2
    return [vx, -2 * lam * x, vq, -2 * lam * q + 9.81]


def jumping(t, y):
    return [-1000 * (y[0] - (1.0 if t < 0.5 else 2.0))]


def all_problems():
    reactor_eq = [f"param tau = {TAU!r}, rho = {RHO!r}", "param kef = 1/(1 - rho)"]
    reactor_eq += [f"param b{k} = {b!r}, l{k} = {l!r}" for k, (b, l) in enumerate(zip(BETA, LAMBDA), 1)]
    reactor_eq += ["P' = (kef*(1 - b1 - b2 - b3 - b4 - b5 - b6) - 1)/tau*P + l1*c1 + l2*c2 + l3*c3 + l4*c4 + l5*c5 + l6*c6"]
    reactor_eq += [f"c{k}' = b{k}*kef/tau*P - l{k}*c{k}" for k in range(1, 7)]
    reactor_eq += ["init P = 1"] + [f"init c{k} = b{k}/(tau*l{k})" for k in range(1, 7)]
    n = 20
    bruss_start = [1 + np.sin(2 * np.pi * k / (n + 1)) for k in range(1, n + 1)] + [3.0] * n
    bruss_eq = [f"param n = {n}, a = 0.02*(n + 1)^2", "u[0] = 1", "u[n+1] = 1", "v[0] = 3", "v[n+1] = 3",
                "for k in 1..n: u[k]' = 1 + u[k]^2*v[k] - 4*u[k] + a*(u[k-1] - 2*u[k] + u[k+1])",
                "for k in 1..n: v[k]' = 3*u[k] - u[k]^2*v[k] + a*(v[k-1] - 2*v[k] + v[k+1])",
                "for k in 1..n: init u[k] = 1 + sin(2*pi*k/(n + 1))", "for k in 1..n: init v[k] = 3"]
    m = 40
    heat_eq = [f"param n = {m}", "u[0] = sin(t)", "u[n+1] = 0",
               "for k in 1..n: u[k]' = (n + 1)^2*(u[k-1] - 2*u[k] + u[k+1])", "for k in 1..n: init u[k] = 0"]
    robertson_eq = ["A' = -0.04*A + 1e4*B*C", "B' = 0.04*A - 1e4*B*C - 3e7*B^2", "C' = 3e7*B^2", "init A = 1, B = 0, C = 0"]
    conserved_eq = robertson_eq[:2] + ["1 = A + B + C", "init A = 1, B = 0", "guess C = 0"]
    implicit_eq = ["0 = A' + 0.04*A - 1e4*B*C", "0 = exp(B') - exp(0.04*A - 1e4*B*C - 3e7*B^2)", "1 = A + B + C", "init A = 1, B = 0", "guess C = 0"]
    vdp_eq = lambda mu: [f"param mu = {mu!r}", "x' = v", "v' = mu*(1 - x^2)*v - x", "init x = 2, v = 0"]
    hires_eq = ["a' = -1.71*a + 0.43*b + 8.32*c + 0.0007", "b' = 1.71*a - 8.75*b", "c' = -10.03*c + 0.43*d + 0.035*g",
                "d' = 8.32*b + 1.71*c - 1.12*d", "g' = -1.745*g + 0.43*p + 0.43*q",
                "p' = -280*p*r + 0.69*d + 1.71*g - 0.43*p + 0.69*q", "q' = 280*p*r - 1.81*q", "r' = -280*p*r + 1.81*q",
                "init a = 1, b = 0, c = 0, d = 0, g = 0, p = 0, q = 0, r = 0.0057"]
    orego_eq = ["a' = 77.27*(b + a*(1 - 8.375e-6*a - b))", "b' = (c - (1 + a)*b)/77.27", "c' = 0.161*(a - c)", "init a = 1, b = 2, c = 3"]
    pendulum_eq = ["x'' = -2*lam*x", "y'' = -2*lam*y + 9.81", "x^2 + y^2 = 1", "init x = 0.6, x' = 0, y = 0.8, y' = 0", "guess lam = 1"]
    rob_ds = "r1 {{ 0.04 }} r2 {{ 10000 }} r3 {{ 30000000 }} u_i {{ a = 1, b = 0, c = 0 }} {0} F_i {{ -r1*a + r2*b*c, r1*a - r2*b*c - r3*b*b, {1} }}"
    mass = "dudt_i { da = 0, db = 0, dc = 0 } M_i { da, db, 0 }"
    vdp_ds = lambda mu: f"u_i {{ x = 2, v = 0 }} F_i {{ v, {mu}*(1 - x*x)*v - x }}"
    hires_ds = ("u_i { a = 1, b = 0, c = 0, d = 0, g = 0, p = 0, q = 0, r = 0.0057 } F_i { -1.71*a + 0.43*b + 8.32*c + 0.0007, 1.71*a - 8.75*b, "
                "-10.03*c + 0.43*d + 0.035*g, 8.32*b + 1.71*c - 1.12*d, -1.745*g + 0.43*p + 0.43*q, "
                "-280*p*r + 0.69*d + 1.71*g - 0.43*p + 0.69*q, 280*p*r - 1.81*q, -280*p*r + 1.81*q }")
    orego_ds = "u_i { a = 1, b = 2, c = 3 } F_i { 77.27*(b + a*(1 - 0.000008375*a - b)), (c - (1 + a)*b)/77.27, 0.161*(a - c) }"
    reactor_start = [1.0] + [b / (TAU * l) for b, l in zip(BETA, LAMBDA)]
    groups = "".join(f", c{k} = {value!r}" for k, value in enumerate(reactor_start[1:], 1))
    rates = "".join(f", {b * KEF / TAU!r}*p - {l!r}*c{k}" for k, (b, l) in enumerate(zip(BETA, LAMBDA), 1))
    sources = " + ".join(f"{l!r}*c{k}" for k, l in enumerate(LAMBDA, 1))
    reactor_ds = f"u_i {{ p = 1{groups} }} F_i {{ {(KEF * (1 - sum(BETA)) - 1) / TAU!r}*p + {sources}{rates} }}"
    chain = lambda count: [f"u[{k}]" for k in range(1, count + 1)]
    return [
        Problem("robertson", robertson_eq, robertson, [1, 0, 0], 40, ["A", "B", "C"], rob_ds.format("", "r3*b*b")),
        Problem("robertson-late", robertson_eq, robertson, [1, 0, 0], 1e7, ["A", "B", "C"], rob_ds.format("", "r3*b*b"), 1e-16),
        Problem("robertson-dae", conserved_eq, robertson, [1, 0, 0], 40, ["A", "B", "C"], rob_ds.format(mass, "1 - a - b - c"), differential=False),
        Problem("robertson-implicit", implicit_eq, robertson, [1, 0, 0], 40, ["A", "B", "C"], differential=False),
        Problem("van-der-pol-10", vdp_eq(10), van_der_pol(10), [2, 0], 30, ["x", "v"], vdp_ds(10)),
        Problem("van-der-pol-1000", vdp_eq(1000), van_der_pol(1000), [2, 0], 1500, ["x", "v"], vdp_ds(1000)),
        Problem("hires", hires_eq, hires, [1, 0, 0, 0, 0, 0, 0, 0.0057], 321.8122, list("abcdgpqr"), hires_ds),
        Problem("orego", orego_eq, orego, [1, 2, 3], 360, list("abc"), orego_ds),
        Problem("reactor", reactor_eq, reactor, reactor_start, 10, ["P"] + [f"c{k}" for k in range(1, 7)], reactor_ds),
        Problem("heat-40", heat_eq, heat(m), [0.0] * m, 2, chain(m)),
        Problem("brusselator-20", bruss_eq, brusselator(n), bruss_start, 10, chain(n) + [f"v[{k}]" for k in range(1, n + 1)]),
        Problem("pendulum-index-3", pendulum_eq, pendulum, [0.6, 0, 0.8, 0], 4, ["x", "x'", "y", "y'"], differential=False),
        Problem("jumping-input", ["y' = -1000*(y - (if t < 0.5 then 1 else 2))", "init y = 0"], jumping, [0.0], 1, ["y"]),
    ]
