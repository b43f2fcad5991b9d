//! Nonlinear models of index 1 that are made for a given solution: the errors that runs tell, beside those that they have.

use ordinate::{CompileOptions, ErrorWish, Memory, RunOptions, Source, Status, compile, simulate};

/// An error may be so many times its estimate.
const TOO_SMALL: f64 = 5.0;

struct Random(u64);

impl Random {
    /// Of eight numbers, evenly spaced.
    fn number(&mut self, low: f64, high: f64) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        low + (high - low) * ((self.0 >> 33) % 8) as f64 / 7.0
    }
}

/// v = 2 + a sin ωt, or 1 + a exp(−ωt)
#[derive(Clone, Copy)]
struct Known {
    a: f64,
    omega: f64,
    wave: bool,
}

impl Known {
    fn random(random: &mut Random) -> Known {
        Known { a: random.number(0.5, 1.75), omega: random.number(0.25, 2.0), wave: random.number(0.0, 1.0) > 0.4 }
    }

    /// Value and slope as text.
    fn texts(self) -> [String; 2] {
        let Known { a, omega, wave } = self;
        match wave {
            true => [format!("(2 + {a:?}*sin({omega:?}*t))"), format!("{a:?}*{omega:?}*cos({omega:?}*t)")],
            false => [format!("(1 + {a:?}*exp(-{omega:?}*t))"), format!("(-{a:?}*{omega:?}*exp(-{omega:?}*t))")],
        }
    }

    fn at(self, t: f64) -> f64 {
        let Known { a, omega, wave } = self;
        if wave { 2.0 + a * (omega * t).sin() } else { 1.0 + a * (-omega * t).exp() }
    }
}

/// x′ = p x z + q sin y + …, y′ = r y z + s x + …, z + z³ = m x y + …, with what makes these functions solve it.
fn model(random: &mut Random, known: [Known; 3]) -> String {
    let [[x, dx], [y, dy], [z, _]] = known.map(Known::texts);
    let [p, q, r, s, m] = [(); 5].map(|()| random.number(-0.75, 0.75));
    let [x0, y0, z0] = known.map(|known| known.at(0.0));
    format!(
        "x' = {p:?}*x*z + {q:?}*sin(y) + ({dx} - ({p:?})*{x}*{z} - ({q:?})*sin({y}))
         y' = {r:?}*y*z + {s:?}*x + ({dy} - ({r:?})*{y}*{z} - ({s:?})*{x})
         z + z^3 - ({m:?})*x*y = {z} + {z}^3 - ({m:?})*{x}*{y}
         init x = {x0:?}, y = {y0:?}; guess z = {z0:?}"
    )
}

#[test]
fn no_error_of_a_model_of_index_1_is_told_much_too_small() {
    let mut random = Random(3);
    for round in 0..150 {
        let known = [(); 3].map(|()| Known::random(&mut random));
        let text = model(&mut random, known);
        let compiled = compile(&Source::text(&text), &CompileOptions::default()).expect("a model without mistakes");
        for (method, rtol) in [("bdf", 1e-4), ("bdf", 1e-5), ("bdf", 1e-6), ("radau", 1e-6), ("auto", 1e-6)] {
            let options = RunOptions {
                method: method.into(),
                rtol,
                t_end: Some("3".into()),
                error: ErrorWish::Estimate { columns: false, correct: false },
                ..RunOptions::default()
            };
            let mut rows = Memory::default();
            let run = simulate(&compiled, &options, &mut rows).expect("it can begin");
            assert_eq!(run.outcome.status, Status::Ok, "{round}, {method}: {:?}\n{text}", run.reason);
            let estimate = run.error.as_ref().expect("an estimate").estimate();
            let mut error = 0.0f64;
            for (name, known) in ["x", "y", "z"].into_iter().zip(known) {
                let column = rows.names.iter().position(|column| column == name).expect("a column");
                for (t, value) in rows.columns[0].iter().zip(&rows.columns[column]) {
                    error = error.max((value - known.at(*t)).abs());
                }
            }
            assert!(
                error <= TOO_SMALL * estimate,
                "{round}, {method}, rtol {rtol}: {estimate:e} for {error:e}\n{text}"
            );
        }
    }
}
