//! Series through a polynomial system: further variables w that are functions of the states make f a polynomial.
//!
//! ```text
//!   x′ = f(t, x, d)        w = g(t, x, d)        x′ = P(x, w, d),  w′ = Q(x, w, d)
//! ```
//!
//! The auxiliary variables w are no states of the run: every series begins with w = g(t, x, d), so nothing drifts off, however
//! fast Q drives away what is not equal to g. What a series leaves out of w counts by what it makes of x′, for a step is verified
//! by f itself. Where g does not exist or has no derivative, as √x at 0, or is too large for its series, the series is that of f.

use crate::{Evaluator, Program};
use ordinate_solve::{JetCost, Jets, System};
use std::sync::Arc;

/// The polynomial system of a program, and a series of it.
#[derive(Clone, Debug)]
pub(crate) struct Lifted {
    polynomial: Evaluator,
    d: Vec<f64>,
    t: f64,
    /// [x | w]
    y: Vec<f64>,
    f: Vec<f64>,
    c: Vec<f64>,
    begun: Begun,
    /// [x | w] and its rates, rounded otherwise.
    otherwise: [Vec<f64>; 2],
}

/// What was begun at the point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Begun {
    Nothing,
    Polynomial,
    Own,
}

impl Lifted {
    pub fn new(polynomial: &Arc<Program>) -> Lifted {
        let zeros = || vec![0.0; polynomial.layout.states];
        Lifted {
            polynomial: Evaluator::new(polynomial.clone()),
            d: Vec::new(),
            t: 0.0,
            y: zeros(),
            f: zeros(),
            c: Vec::new(),
            begun: Begun::Nothing,
            otherwise: [zeros(), zeros()],
        }
    }

    pub fn polynomial(&mut self) -> &mut Evaluator {
        &mut self.polynomial
    }

    /// Series are for these discrete values from now on; returns whether there are such.
    pub fn prepare(&mut self, d: &[f64]) -> bool {
        if self.d != d {
            self.d.clear();
            self.d.extend_from_slice(d);
            self.begun = Begun::Nothing;
        }
        self.polynomial.jets(d).is_some()
    }

    pub fn discrete(&self) -> &[f64] {
        &self.d
    }

    pub fn begin(&mut self, t: f64, x: &[f64]) {
        self.t = t;
        self.y[..x.len()].copy_from_slice(x);
        self.begun = Begun::Nothing;
    }

    /// As [`Jets::extend`]; `false` where the polynomial system has no series.
    pub fn extend(&mut self, scale: f64, order: usize, c: &mut [f64]) -> bool {
        if self.begun == Begun::Own {
            return false;
        }
        let (states, own) = (self.y.len(), self.polynomial.program().own_states);
        let exists = self.begun == Begun::Polynomial || self.polynomial.define(self.t, &self.d, &mut self.y);
        let Some(jets) = self.polynomial.jets(&self.d).filter(|_| exists) else { return false };
        if self.begun == Begun::Nothing {
            jets.begin(self.t, &self.y, &mut self.f);
            if self.f.iter().any(|f| !f.is_finite()) {
                return false;
            }
            self.begun = Begun::Polynomial;
        }
        self.c.resize(self.c.len().max((order + 1) * states), 0.0);
        jets.extend(scale, order, &mut self.c);
        // What is not finite at one power is not at all higher ones.
        if self.c[order * states..][..own].iter().any(|c| !c.is_finite()) {
            return false;
        }
        for k in 0..=order {
            c[k * own..(k + 1) * own].copy_from_slice(&self.c[k * states..k * states + own]);
        }
        true
    }

    /// The same by the series of f.
    pub fn extend_by(&mut self, own: Option<&mut dyn Jets>, scale: f64, order: usize, c: &mut [f64]) {
        let Some(series) = own else { return c.fill(f64::NAN) };
        if self.begun != Begun::Own {
            let own = self.polynomial.program().own_states;
            series.begin(self.t, &self.y[..own], &mut self.f[..own]);
            self.begun = Begun::Own;
        }
        series.extend(scale, order, c);
    }

    /// P with everything rounded otherwise, where it exists: what rounding makes of the series.
    pub fn rounded_otherwise(&mut self, t: f64, x: &[f64], d: &[f64], dx: &mut [f64]) -> bool {
        let [y, f] = &mut self.otherwise;
        y[..x.len()].copy_from_slice(x);
        let exists = self.polynomial.other().define(t, d, y);
        self.polynomial.derivative_rounded_otherwise(t, y, d, f);
        dx.copy_from_slice(&f[..x.len()]);
        exists && dx.iter().all(|f| f.is_finite())
    }

    pub fn cost(&self) -> JetCost {
        Jets::cost(&self.polynomial)
    }
}
