"""Linear systems of Ordinate in other programs: the files are read by SciPy and NumPy, and what they compute agrees.

    ORDINATE=target/debug/ordinate python tests/external/linear.py

Exit code 0 if every model agrees."""
import json, os, pathlib, subprocess, tempfile
import numpy as np
from scipy import io, linalg, signal

BINARY = os.environ.get("ORDINATE", "target/debug/ordinate")
ROOT = pathlib.Path(__file__).resolve().parents[2]
# model, options; the last ones have no input, one state that the text does not name, and constraints
MODELS = [
    ("cart.eq", ["--at", "phi=0"]),
    ("cart.eq", ["--at", "phi=pi"]),
    ("dc-motor.eq", []),
    ("maglev.eq", ["--at", "x=0.009", "--free", "u"]),
    ("pendulum-damped.eq", ["--at", "phi=0"]),
    ("transfer-step.eq", []),
    ("delay-loop.eq", []),
    ("lorenz.eq", []),
    ("pendulum-dae.eq", ["--at", "x=0,y=1"]),
]


def check(condition, what):
    if not condition:
        raise AssertionError(what)


def close(a, b, what, tolerance=1e-9):
    a, b = np.asarray(a), np.asarray(b)
    check(a.shape == b.shape, f"{what}: {a.shape} {b.shape}")
    size = max(1.0, np.abs(b).max(initial=0.0))
    check(np.abs(a - b).max(initial=0.0) <= tolerance * size, f"{what}: {a} {b}")


def matrix(rows, like):
    return np.array(rows, float).reshape(like.shape)


def of(model, options):
    with tempfile.TemporaryDirectory() as folder:
        files = [str(pathlib.Path(folder, "a" + suffix)) for suffix in (".mat", ".npz")]
        command = [BINARY, "linearize", str(ROOT / "examples" / model), *options, "--sampled", "0.01", "-o", files[0], "-o",
                   files[1], "--format", "json"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        check(done.returncode == 0, f"exit {done.returncode}: {done.stderr}")
        found = json.loads(done.stdout)
        mat, npz = io.loadmat(files[0]), dict(np.load(files[1]))
    for name in ("A", "B", "C", "D", "G"):
        check(mat[name].shape == npz[name].shape, f"{name}: {mat[name].shape} {npz[name].shape}")
        check(np.array_equal(mat[name], npz[name]), name)
        check(np.array_equal(npz[name], matrix(found[name], npz[name])), name)
    check([str(name) for name in npz["states"]] == found["states"], "states")
    plain = [name.encode("latin-1", "replace").decode("latin-1") for name in found["states"]]
    check([name.rstrip() for name in mat["states"]] == plain, "states")
    a, b, c, d = (npz[name] for name in "ABCD")
    values = np.array([complex(v["re"], v["im"]) for v in found["eigenvalues"]])
    # a multiple eigenvalue is determined to a part of its digits only, its polynomial to all
    close(np.poly(values), np.poly(linalg.eigvals(a)), "eigenvalues", 1e-7)
    if b.shape[1]:
        f, g, h, i, _ = signal.cont2discrete((a, b, c, d), 0.01)
        for name, value in (("Fd", f), ("Gd", g), ("Hd", h), ("Id", i)):
            close(npz[name], value, name, 1e-11)


def main():
    bad = 0
    for model, options in MODELS:
        try:
            of(model, options)
            print(f"ok   {model} {' '.join(options)}")
        except AssertionError as error:
            bad += 1
            print(f"BAD  {model} {' '.join(options)}: {error}")
    raise SystemExit(1 if bad else 0)


main()
