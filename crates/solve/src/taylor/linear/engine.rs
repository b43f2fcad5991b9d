//! A linear system ready for steps, small or large; its vectors are in the order of its operator.

use super::form::LinearForm;
use super::kernels::{self, Measured, Norms};
use super::large::{Large, NO_STATE, Vectors};
use super::scaling::{MAX_TERMS, Scaling};
use super::small::{MAX_SMALL, Small};
use crate::Tolerance;
use ordinate_numbers::Instructions;

/// What is smaller than this part of its absolute tolerance has no influence on anything.
const NEGLIGIBLE: f64 = 1e-30;

#[derive(Clone, Debug)]
enum Kind {
    Small(Small),
    Large(Box<Large>),
}

/// A linear system ready for steps.
#[derive(Clone, Debug)]
pub(crate) struct Engine {
    kind: Kind,
    instructions: Instructions,
    pub form: LinearForm,
    /// Inverse weights by places, then those of the hidden states.
    pub scaling: Scaling,
    /// Absolute tolerances by places.
    pub atol: Vec<f64>,
    /// A tiny part of those: states below it become zero.
    limit: Vec<f64>,
    rtol: f64,
    pub hidden: Vec<f64>,
    pub f: Vec<f64>,
    pub hidden_f: Vec<f64>,
    /// h/m, h/(m−1), …, h/2 for the last h and m.
    factors: Vec<f64>,
    factors_of: (f64, usize),
}

impl Engine {
    pub fn new(form: LinearForm, tol: &Tolerance, instructions: Instructions) -> Engine {
        let (n, hidden) = (form.states(), form.inputs.len());
        let mut scaling = Scaling::new(&form);
        let kind = if n + hidden <= MAX_SMALL {
            Kind::Small(Small::new(&form, instructions))
        } else {
            Kind::Large(Box::new(Large::new(&form, instructions)))
        };
        let (mut atol, mut places) = (tol.atol.clone(), n);
        if let Kind::Large(large) = &kind
            && let Some(order) = large.order()
        {
            places = order.len();
            let at = |v: &[f64], i: u32, none: f64| if i == NO_STATE { none } else { v[i as usize] };
            atol = order.iter().map(|&i| at(&tol.atol, i, f64::INFINITY)).collect();
            let inverse = order.iter().map(|&i| at(&scaling.inverse, i, 1.0));
            scaling.inverse = inverse.chain(scaling.inverse[n..].iter().copied()).collect();
        }
        Engine {
            kind,
            instructions,
            scaling,
            limit: atol.iter().map(|atol| NEGLIGIBLE * atol).collect(),
            atol,
            rtol: tol.rtol,
            hidden: vec![0.0; hidden],
            f: vec![0.0; places],
            hidden_f: vec![0.0; hidden],
            factors: Vec::with_capacity(MAX_TERMS),
            factors_of: (f64::NAN, 0),
            form,
        }
    }

    /// Takes another b and another origin of the same equations; gives back a form that differs by more.
    pub fn update(&mut self, form: LinearForm) -> Option<LinearForm> {
        if form.matrix != self.form.matrix || form.inputs != self.form.inputs {
            return Some(form);
        }
        match &mut self.kind {
            Kind::Small(small) => small.constant.copy_from_slice(&form.constant),
            Kind::Large(large) => large.set_constant(&form),
        }
        self.form = form;
        None
    }

    fn order(&self) -> Option<&[u32]> {
        match &self.kind {
            Kind::Small(_) => None,
            Kind::Large(large) => large.order(),
        }
    }

    /// Whether vectors are in another order than the states.
    pub fn has_places(&self) -> bool {
        self.order().is_some()
    }

    /// The state at a place.
    pub fn state(&self, place: usize) -> usize {
        self.order().map_or(place, |order| order[place] as usize)
    }

    /// The place of a state.
    pub fn place(&self, state: usize) -> usize {
        match self.order() {
            None => state,
            Some(order) => order.iter().position(|&i| i as usize == state).expect("every state has a place"),
        }
    }

    /// Puts the value of a place where it belongs.
    pub fn put(&self, place: usize, value: f64, y: &mut [f64]) {
        match self.order() {
            None => y[place] = value,
            Some(order) if order[place] != NO_STATE => y[order[place] as usize] = value,
            Some(_) => {}
        }
    }

    /// The states by places; places without a state are left alone.
    pub fn to_places(&self, y: &[f64], places: &mut [f64]) {
        match self.order() {
            None => places.copy_from_slice(y),
            Some(order) => {
                for (place, &i) in places.iter_mut().zip(order).filter(|(_, i)| **i != NO_STATE) {
                    *place = y[i as usize];
                }
            }
        }
    }

    /// The way back.
    pub fn to_states(&self, places: &[f64], y: &mut [f64]) {
        match &self.kind {
            Kind::Small(_) => y.copy_from_slice(places),
            Kind::Large(large) => large.to_states(places, y),
        }
    }

    /// The matrix, if it is small and dense: by columns, and the length of those.
    pub fn dense(&self) -> Option<(&[f64], usize)> {
        match &self.kind {
            Kind::Small(small) => Some(small.matrix()),
            Kind::Large(_) => None,
        }
    }

    /// Goes to a point: f and the norms there.
    pub fn begin(&mut self, t: f64, y: &[f64]) -> Norms {
        self.form.hidden(t, &mut self.hidden);
        match &mut self.kind {
            Kind::Small(small) => small.derivative(y, &self.hidden, &mut self.f, &mut self.hidden_f),
            Kind::Large(large) => large.derivative(y, &self.hidden, &mut self.f, &mut self.hidden_f),
        }
        let measured = Measured { f: &self.f, y, atol: &self.atol, rtol: self.rtol, inverse: &self.scaling.inverse };
        let mut norms = kernels::norms(self.instructions, measured);
        let inverse = &self.scaling.inverse[self.f.len()..];
        for (f, inverse) in self.hidden_f.iter().zip(inverse) {
            norms.f = norms.f.max(f.abs() * inverse);
            norms.finite += 0.0 * f;
        }
        norms
    }

    /// The largest hidden state in units of its weight.
    pub fn hidden_norm(&self) -> f64 {
        let inverse = &self.scaling.inverse[self.f.len()..];
        self.hidden.iter().zip(inverse).map(|(g, inverse)| g.abs() * inverse).fold(0.0, f64::max)
    }

    /// One step of m terms from the point begun last.
    pub fn step(&mut self, y: &[f64], lost: &[f64], end: &mut [f64], lost_next: &mut [f64], h: f64, m: usize) {
        let vectors = Vectors { y, f: &self.f, lost, limit: &self.limit, end, lost_next };
        match &mut self.kind {
            Kind::Small(small) => {
                if self.factors_of != (h, m) {
                    self.factors_of = (h, m);
                    self.factors.clear();
                    self.factors.extend((2..=m).rev().map(|k| h / k as f64));
                }
                small.step(vectors, &self.hidden_f, h, &self.factors)
            }
            Kind::Large(large) => large.step(vectors, &self.hidden_f, h, m),
        }
    }

    /// From one term of the series to the next: next = factor · (matrix · current), hidden states too.
    pub fn next_term(
        &mut self,
        current: &[f64],
        hidden: &[f64],
        next: &mut [f64],
        hidden_next: &mut [f64],
        factor: f64,
    ) {
        match &mut self.kind {
            Kind::Small(small) => small.next_term(current, hidden, next, hidden_next, factor),
            Kind::Large(large) => large.next_term(current, hidden, next, hidden_next, factor),
        }
    }
}
