"""Stiff and algebraic problems of the race of stiff.py: the model text, the right-hand side for SciPy (none for algebraic
ones), the end time, and the solution there.

scale : atol = scale * rtol, for everybody
y     : the names whose values are compared, in the order of `ref`
ref   : reference values; Robertson, kinetics and pendulum with 17 digits of a computation with 45, the van der Pol
        oscillator from the test set of Bari and CWI, the oscillating system in closed form
compiled : whether diffsol and RADAU know the problem
The same problems for diffsol and RADAU stand in diffsol/src/problems.rs.
"""
from dataclasses import dataclass
from math import cos, sin


@dataclass
class Stiff:
    name: str
    text: str
    t1: float
    y: list
    ref: list
    scale: float
    f: object = None
    y0: object = None
    compiled: bool = True


def robertson(t, y):
    a, b, c = y
    forward, back, pairs = 0.04 * a, 1e4 * b * c, 3e7 * b * b
    return [-forward + back, forward - back - pairs, pairs]


def van_der_pol(t, y):
    return [y[1], 1000 * (1 - y[0] * y[0]) * y[1] - y[0]]


BETA = [0.000215, 0.001424, 0.001274, 0.002568, 0.000748, 0.000273]
LAMBDA = [0.0124, 0.0305, 0.111, 0.301, 1.14, 3.01]
TAU, KEF = 5e-5, 1 / (1 - 0.001)
GROUPS = range(1, 7)


def kinetics(t, y):
    power = (KEF * (1 - sum(BETA)) - 1) / TAU * y[0] + sum(l * c for l, c in zip(LAMBDA, y[1:]))
    return [power] + [b * KEF / TAU * y[0] - l * c for b, l, c in zip(BETA, LAMBDA, y[1:])]


KINETICS = "\n".join(
    ["param tau = 5e-5, kef = 1/(1 - 0.001)"]
    + [f"param b{k} = {b!r}, l{k} = {l!r}" for k, b, l in zip(GROUPS, BETA, LAMBDA)]
    + ["P' = (kef*(1 - (" + " + ".join(f"b{k}" for k in GROUPS) + ")) - 1)/tau*P + " + " + ".join(f"l{k}*c{k}" for k in GROUPS)]
    + [f"c{k}' = b{k}*kef/tau*P - l{k}*c{k}" for k in GROUPS]
    + ["init P = 1"] + [f"init c{k} = b{k}/(tau*l{k})" for k in GROUPS])

PENDULUM = "x'' = -2*lam*x\ny'' = -2*lam*y + 9.81"
PENDULUM_REF = [0.94230543504375734, -0.85790425688594907, 0.33475433841400058, 2.4149286543704886, 4.9259100897620185]

PROBLEMS = [
    Stiff("robertson",
          "A' = -0.04*A + 1e4*B*C\nB' = 0.04*A - 1e4*B*C - 3e7*B^2\nC' = 3e7*B^2\ninit A = 1, B = 0, C = 0",
          40.0, ["A", "B", "C"], [0.71582706871940509, 9.1855347645577640e-06, 0.28416374574583035], 1e-6,
          robertson, [1.0, 0.0, 0.0]),
    Stiff("van der Pol", "x' = v\nv' = 1000*(1 - x^2)*v - x\ninit x = 2, v = 0",
          2000.0, ["x", "v"], [1.706167732170483, -0.8928097010247975e-3], 1.0,
          van_der_pol, [2.0, 0.0]),
    Stiff("kinetics", KINETICS, 30.0, ["P"] + [f"c{k}" for k in GROUPS],
          [2.4468644587698659, 438.89154660029654, 1442.6765379634827, 474.70595874903464, 392.40682024564596, 31.605969624047294,
           4.4146543185690305], 1e-3,
          kinetics, [1.0] + [b / (TAU * l) for b, l in zip(BETA, LAMBDA)]),
    Stiff("oscillating DAE",
          "y1' = -t*y2 - (1 + t)*z1\ny2' = t*y1 - (1 + t)*z2\n(y1 - z2)/5 = cos(t^2/2)\n(y2 + z1)/5 = sin(t^2/2)\ninit y1 = 5, y2 = 1",
          10.0, ["y1", "y2", "z1", "z2"], [sin(10) + 5 * cos(50), cos(10) + 5 * sin(50), -cos(10), sin(10)], 1.0),
    Stiff("pendulum (index 1)",
          PENDULUM + "\n0 = x'^2 + y'^2 - 2*lam*(x^2 + y^2) + 9.81*y\ninit x = 1, x' = 0, y = 0, y' = 0\nguess lam = 0",
          5.0, ["x", "x'", "y", "y'", "lam"], PENDULUM_REF, 1.0),
    Stiff("pendulum (index 3)", PENDULUM + "\nx^2 + y^2 = 1\ninit x = 1, x' = 0, y = 0, y' = 0\nguess lam = 0",
          5.0, ["x", "x'", "y", "y'", "lam"], PENDULUM_REF, 1.0, compiled=False),
]
