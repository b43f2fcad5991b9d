// The library in WebAssembly against the native binary, on models of the gallery.
//
//     ORDINATE=target/debug/ordinate node tests/external/wasm.mjs target/wasm32-unknown-unknown/wasm/examples/wasm.wasm
//
// How far the two may differ: each operation is rounded alike, but sin, exp, … come from two libraries, and machine code fuses
// products and sums where WebAssembly does not. The models here carry such a last digit on without much growth (3e-14 was the
// most), so the bound is 1e-10 of the largest value; a step of another length would show as the tolerance, 1e-6. Numbers of more
// digits than doubles are made of whole limbs, or of doubles alike: they agree in every digit. Exit code 0 if all stay within.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const binary = process.env.ORDINATE ?? join(root, "target/debug/ordinate");

const BOUND = 1e-10;
// model of the gallery, what it stands for, and how it is run
const CASES = [
  ["kepler", "Taylor", {}],
  ["kepler", "40 digits", { precision: 40 }],
  ["pendulum", "double-double", { precision: 25 }],
  ["hodgkin-huxley", "explicit Runge-Kutta, pulses", { method: "dp8" }],
  ["robertson", "stiff, BDF", { method: "bdf" }],
  ["robertson-dae", "stiff, index 1", {}],
  ["pendulum-dae", "index 3", { method: "radau" }],
  ["bouncing-ball", "events", {}],
  ["dry-friction", "switches", {}],
  ["mackey-glass", "delay", {}],
  ["dc-motor-sampled", "sampled actions", {}],
];

const { instance } = await WebAssembly.instantiate(readFileSync(process.argv[2]), {});
const { memory, reserve, release, run } = instance.exports;

function ask(request) {
  const bytes = new TextEncoder().encode(JSON.stringify(request));
  const place = reserve(bytes.length);
  new Uint8Array(memory.buffer, place, bytes.length).set(bytes);
  const answer = run(place, bytes.length);
  const length = new DataView(memory.buffer).getUint32(answer, true);
  const text = new TextDecoder().decode(new Uint8Array(memory.buffer, answer + 4, length).slice());
  release(answer, length + 4);
  return JSON.parse(text);
}

function native(name, request) {
  const options = Object.entries(request).flatMap(([key, value]) => [`--${key}`, String(value)]);
  const words = ["run", join(root, `examples/${name}.eq`), "--summary", "json", "-q", ...options];
  return JSON.parse(execFileSync(binary, words, { encoding: "utf8" }));
}

let bad = 0;
function check(what, ok, figures) {
  console.log(`   ${ok ? "ok " : "BAD"} ${what.padEnd(46)} ${figures}`);
  bad += ok ? 0 : 1;
}

for (const [name, what, request] of CASES) {
  const model = readFileSync(join(root, `examples/${name}.eq`), "utf8");
  const [here, there] = [ask({ model, ...request }), native(name, request)];
  const title = `${name}: ${what}`;
  if (here.error || here.status !== "ok") {
    check(title, false, JSON.stringify(here.error ?? here.reason));
    continue;
  }
  if (here.seconds.solve !== null) check(title, false, "times without a clock");
  if (request.precision) {
    const [a, b] = [here, there].map((run) => JSON.stringify(run.final_text));
    check(title, a !== undefined && a === b, a === b ? "the same digits" : `${a} | ${b}`);
    continue;
  }
  const columns = Object.keys(there.final);
  const largest = Math.max(...Object.values(there.final).map(Math.abs));
  let [apart, outside, equal] = [0, [], 0];
  for (const column of columns) {
    const [a, b] = [here.final[column], there.final[column]];
    if (!(Math.abs(a - b) <= BOUND * largest)) outside.push(`${column}: ${a} | ${b}`);
    if (a === b) equal += 1;
    apart = Math.max(apart, Math.abs(a - b));
  }
  const figures = `${equal} of ${columns.length} columns with the same bits, apart by ${apart.toExponential(1)}`;
  check(title, outside.length === 0 && columns.length > 0, [figures, ...outside].join("; "));
}

// a batch that asks for four threads is computed by the one that there is
const lorenz = readFileSync(join(root, "examples/lorenz.eq"), "utf8").replace(/^run .*$/m, "run 0 .. 1");
const ends = ask({ model: lorenz, trajectories: 20 });
check("20 trajectories", ends.ends?.length === 20 && ends.ends.flat().every(Number.isFinite), ends.error ?? "");

process.exit(bad === 0 ? 0 : 1);
