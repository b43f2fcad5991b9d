"""Systems for the comparison of linear algebra: random ones of known spectrum, and ones that are known to be difficult."""
from dataclasses import dataclass
import numpy as np


@dataclass
class System:
    name: str
    ordinary: bool
    a: np.ndarray
    b: np.ndarray
    c: np.ndarray
    d: np.ndarray
    q: np.ndarray
    r: np.ndarray
    wanted: np.ndarray      # poles for placement
    reached: int            # ranks
    shown: int


def orthogonal(random, n):
    q, r = np.linalg.qr(random.standard_normal((n, n)))
    return q * np.sign(np.diag(r))


def spectrum(random, n, unstable):
    """Blocks on the diagonal: real eigenvalues and pairs, some of them to the right."""
    a, i = np.zeros((n, n)), 0
    while i < n:
        right = unstable > 0 and random.random() < 0.5
        re = random.uniform(0.1, 1.5) if right else -random.uniform(0.1, 4)
        if i + 1 < n and random.random() < 0.5:
            im = random.uniform(0.2, 4)
            a[i:i + 2, i:i + 2] = [[re, im], [-im, re]]
            i, unstable = i + 2, unstable - 2 * right
        else:
            a[i, i] = re
            i, unstable = i + 1, unstable - right
    return a


def poles(random, n):
    wanted = []
    while len(wanted) < n:
        re = -random.uniform(0.3, 4)
        if n - len(wanted) > 1 and random.random() < 0.5:
            z = complex(re, random.uniform(0.2, 3))
            wanted += [z, z.conjugate()]
        else:
            wanted.append(complex(re, 0))
    return np.array(wanted)


def complete(random, name, usual, a, b, c, d=None, q=None, r=None, reached=None, shown=None):
    n, m, p = len(a), b.shape[1], c.shape[0]
    half = random.standard_normal((n, n))
    d = np.zeros((p, m)) if d is None else d
    q = half @ half.T / n if q is None else q
    r = np.diag(10.0 ** random.uniform(-1, 1, m)) if r is None else r
    return System(name, usual, a, b, c, d, q, r, poles(random, n), n if reached is None else reached,
                  n if shown is None else shown)


def ordinary(count=220):
    for k in range(count):
        random = np.random.default_rng(1000 + k)
        n = 1 + k % 20
        m, p = 1 + (k // 20) % 3, 1 + (k // 7) % 3
        m, p = min(m, n), min(p, n)
        t = orthogonal(random, n) @ np.diag(10.0 ** random.uniform(-0.3, 0.3, n)) @ orthogonal(random, n)
        a = t @ spectrum(random, n, (k % 3) if n > 1 else k % 2) @ np.linalg.inv(t)
        d = random.standard_normal((p, m)) if k % 4 == 0 else None
        yield complete(random, f"random {k} (n = {n}, {m} inputs)", True, a, random.standard_normal((n, m)),
                       random.standard_normal((p, n)), d)


def ill_conditioned():
    for k in range(20):
        random = np.random.default_rng(5000 + k)
        n = 2 + k % 9
        # states in very different units
        units = 10.0 ** random.integers(-4, 5, n)
        a = spectrum(random, n, k % 2) + 0.3 * random.standard_normal((n, n))
        b, c = random.standard_normal((n, 1 + k % 2)), random.standard_normal((1, n))
        q = np.diag(1 / units ** 2)
        yield complete(random, f"units {k}", False, units[:, None] * a / units, units[:, None] * b, c / units, q=q)
    for n in (2, 4, 6, 10):
        random = np.random.default_rng(6000 + n)
        chain, unit = np.diag(np.ones(n - 1), 1), np.eye(n)
        yield complete(random, f"{n} integrators", False, chain, unit[:, -1:], unit[:1], q=np.eye(n))
    for k, size in enumerate((1e-6, 1e-3, 1e3, 1e6)):
        random = np.random.default_rng(7000 + k)
        a = spectrum(random, 5, 1)
        yield complete(random, f"weight {size:g} of the inputs", False, a, random.standard_normal((5, 2)),
                       random.standard_normal((1, 5)), r=size * np.eye(2))
    random = np.random.default_rng(8000)
    levitation = np.array([[0, 1, 0], [1962.0, 0, -2.5e-3], [0, 4e-3, -200.0]])
    yield complete(random, "magnetic levitation", False, levitation, np.array([[0], [0], [25.0]]), np.array([[1.0, 0, 0]]))
    stiff = np.diag([-1e-3, -1.0, -1e3, -1e5]) + np.diag([0.5, 20.0, 3e3], 1)
    yield complete(random, "stiff", False, stiff, np.array([[0], [0], [0], [1e5]]), np.array([[1.0, 0, 0, 0]]))
    # a random part, and one that no input reaches or no output shows, in mixed coordinates
    for k in range(12):
        random = np.random.default_rng(9000 + k)
        n, lost = 3 + k, 1 + k % 2
        a = spectrum(random, n, 0) + np.tril(random.standard_normal((n, n)), -1) * 0.2
        b, c = random.standard_normal((n, 1)), random.standard_normal((1, n))
        hidden = k % 3 == 0
        if hidden:
            a[:n - lost, n - lost:] = 0
            c[:, n - lost:] = 0
        else:
            a[n - lost:, :n - lost] = 0
            b[n - lost:] = 0
        t = orthogonal(random, n)
        system = complete(random, f"{lost} modes {'hidden' if hidden else 'lost'} {k}", False, t @ a @ t.T, t @ b, c @ t.T,
                          reached=n if hidden else n - lost, shown=n - lost if hidden else n)
        if not hidden:
            # what cannot be moved is kept
            kept = np.linalg.eigvals(a[n - lost:, n - lost:])
            system.wanted = np.concatenate([kept, poles(random, n - lost)])
        yield system
