#!/usr/bin/env python3
"""Telegraph line of S segments (2 S states) against a Taylor series in plain C on its stencil; prints Markdown.

  telegraph.py [ours=taylor] [sizes=1000,10000] [tols=1e-7,1e-12]

Error = max over |u - ref| and 100 ohm |i - ref| at the end, the reference in long double."""
import array, json, os, subprocess, sys
import native_build

HERE, BUILD = native_build.HERE, native_build.BUILD
MODEL = os.path.join(HERE, "..", "examples", "telegraph-harmonic.eq")
STEP = 5  # of the C program in units of sqrt(L C); 10 is the limit of cancellation


def build():
    os.makedirs(BUILD, exist_ok=True)
    exe = os.path.join(BUILD, "telegraph")
    subprocess.run(["gcc", "-O3", "-march=native", "-ffp-contract=fast", "-ffast-math", "-o", exe,
                    os.path.join(HERE, "native", "telegraph.c"), "-lm"], check=True)
    return exe


def doubles(path):
    values = array.array("d")
    values.frombytes(open(path, "rb").read())
    return values


def error(y, ref):
    size = len(ref) // 2
    return max(abs(a - b) * (1 if k < size else 100) for k, (a, b) in enumerate(zip(y, ref)))


def plain(exe, size, tol, ref):
    path = os.path.join(BUILD, "telegraph.bin")
    out = subprocess.run([exe, "taylor", str(size), tol, "20", str(STEP), path], capture_output=True, text=True, check=True)
    return dict(json.loads(out.stdout), error=error(doubles(path), ref))


def ordinate(size, tol, method, ref):
    # currents are a hundred times smaller than voltages
    command = [os.environ["ORDINATE"], "run", MODEL, "--set", f"S={size}", "-m", method, "--rtol", tol, "--atol", repr(float(tol) / 100),
               "--no-error", "--summary", "json", "-q", "--repeat", "5" if size < 5000 else "1", "--at", repr(2 * size * 1e-10)]
    out = subprocess.run(command, capture_output=True, text=True, timeout=600)
    if out.returncode:
        raise RuntimeError(out.stderr)
    s = json.loads(out.stdout)
    y = [s["final"][f"{name}[{k}]"] for name in ("u", "i") for k in range(1, size + 1)]
    return dict(time=s["seconds"]["solve"], steps=s["steps"], order=s["order"]["max"], error=error(y, ref))


def main():
    args = dict(a.split("=") for a in sys.argv[1:] if "=" in a)
    ours, exe = args.get("ours", "taylor"), build()
    print(f"| S | tol | {ours} ms | steps | order | error | plain C ms | steps | error | ratio |\n|---|---|---|---|---|---|---|---|---|---|")
    bars = []
    for size in map(int, args.get("sizes", "1000,10000").split(",")):
        path = os.path.join(BUILD, f"telegraph-{size}.ref")
        if not os.path.exists(path):
            subprocess.run([exe, "ref", str(size), path], check=True, capture_output=True)
        ref = doubles(path)
        for tol in args.get("tols", "1e-7,1e-12").split(","):
            a, b = [], []
            for _ in range(3):
                a.append(ordinate(size, tol, ours, ref))
                b.append(plain(exe, size, tol, ref))
            a, b = min(a, key=lambda r: r["time"]), min(b, key=lambda r: r["time"])
            ratio = a["time"] / b["time"]
            print(f"| {size} | {tol} | {a['time']*1e3:.2f} | {a['steps']} | {a['order']:.0f} | {a['error']:.1e} "
                  f"| {b['time']*1e3:.2f} | {b['steps']} | {b['error']:.1e} | {ratio:.2f} |", flush=True)
            # a faster answer that is a worse one does not count
            good = a["error"] <= max(float(tol), b["error"])
            verdict = "not met" if ratio > 1.3 or not good else "stretch met" if ratio <= 0.8 else "met"
            found = f"{ratio:.2f}" if good else f"{ratio:.2f}, less exact"
            bars.append(f"bar: telegraph line S = {size}, tolerance {tol}: {ours} / plain C on the stencil "
                        f"| {found} | 1.3 | 0.8 | {verdict}")
    print("\n" + "\n".join(bars))


if __name__ == "__main__":
    main()
