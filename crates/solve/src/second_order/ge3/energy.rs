//! The energy that GE3 keeps exactly, but for rounding, where x″ = A x + b and S A is symmetric with a diagonal S > 0 (the
//! masses, but for a factor):
//!
//! ```text
//!   E = ½ δᵀ S δ / h² − ½ xₖ₊₁ᵀ S A xₖ − ½ (xₖ + xₖ₊₁)ᵀ S b,     δ = xₖ₊₁ − xₖ
//! ```
//!
//! From S δₖ = S δₖ₋₁ + h² S (A xₖ + b), multiplied by δₖ + δₖ₋₁ = xₖ₊₁ − xₖ₋₁.

use crate::{LinearForm, NoEnergy};

/// The energy of one linear system.
#[derive(Clone, Debug)]
pub(super) struct Energy {
    /// S.
    mass: Vec<f64>,
    /// The rows of S A.
    stiffness: Vec<Vec<(usize, f64)>>,
    /// S b.
    force: Vec<f64>,
    /// Length and energy of the first of the equal steps, and the largest size of the terms of the energy since then.
    first: Option<(f64, f64, f64)>,
    /// The size of the terms in the first step of all.
    begin: f64,
}

/// Where the terms have grown so much, they only cancel each other: the step is too long for the method.
const RUNAWAY: f64 = 1e8;

impl Energy {
    /// Looks for S; `places` are those of each x and its velocity.
    pub fn find(form: &LinearForm, places: &[(usize, usize)]) -> Result<Energy, NoEnergy> {
        if !form.inputs.is_empty() {
            return Err(NoEnergy::Driven);
        }
        let mut number = vec![None; form.states()];
        places.iter().enumerate().for_each(|(k, &(x, _))| number[x] = Some(k));
        let row = |v: usize| form.matrix.row(v).map(|(column, value)| Some((number[column]?, value))).collect();
        let mut rows: Vec<Vec<(usize, f64)>> =
            places.iter().map(|&(_, v)| row(v)).collect::<Option<_>>().ok_or(NoEnergy::NoMasses)?;
        let mass = symmetrizer(&rows).ok_or(NoEnergy::NoMasses)?;
        rows.iter_mut().zip(&mass).for_each(|(row, s)| row.iter_mut().for_each(|(_, value)| *value *= s));
        let force = places.iter().zip(&mass).map(|(&(_, v), s)| s * form.constant[v]).collect();
        Ok(Energy { mass, stiffness: rows, force, first: None, begin: 0.0 })
    }

    /// How much the energy has changed since the first of the equal steps that end with this one, in units of its terms.
    pub fn step(&mut self, h: f64, y0: &[f64], y1: &[f64], delta: &[f64], places: &[(usize, usize)]) -> f64 {
        let (mut energy, mut size) = (0.0, 0.0);
        for (k, &(x, _)) in places.iter().enumerate() {
            let speed = delta[k] / h;
            let stretched: f64 = self.stiffness[k].iter().map(|&(q, value)| value * y0[places[q].0]).sum();
            let terms =
                [0.5 * self.mass[k] * speed * speed, -0.5 * y1[x] * stretched, -0.5 * (y0[x] + y1[x]) * self.force[k]];
            energy += terms.iter().sum::<f64>();
            size += terms.iter().map(|term| term.abs()).sum::<f64>();
        }
        match &mut self.first {
            Some((length, first, largest)) if super::same(h, *length) => {
                *largest = size.max(*largest);
                if *largest > 0.0 { (energy - *first).abs() / *largest } else { 0.0 }
            }
            _ => {
                self.begin = if self.begin == 0.0 { size } else { self.begin };
                self.first = Some((h, energy, size));
                0.0
            }
        }
    }
}

impl Energy {
    /// Whether the terms of the energy grow without end.
    pub fn runs_away(&self) -> bool {
        self.begin > 0.0 && self.first.is_some_and(|(_, _, largest)| largest > RUNAWAY * self.begin)
    }
}

/// A positive diagonal S that makes S A symmetric: sᵢ aᵢⱼ = sⱼ aⱼᵢ, from element to element.
fn symmetrizer(rows: &[Vec<(usize, f64)>]) -> Option<Vec<f64>> {
    let element = |i: usize, j: usize| rows[i].iter().find(|(column, _)| *column == j).map_or(0.0, |e| e.1);
    let mut s = vec![0.0; rows.len()];
    let mut waiting = Vec::new();
    for first in 0..rows.len() {
        if s[first] == 0.0 {
            s[first] = 1.0;
            waiting.push(first);
        }
        while let Some(i) = waiting.pop() {
            for &(j, value) in rows[i].iter().filter(|(j, value)| *j != i && *value != 0.0) {
                let wanted = s[i] * value / element(j, i);
                if !(wanted > 0.0 && wanted.is_finite()) {
                    return None;
                }
                if s[j] == 0.0 {
                    s[j] = wanted;
                    waiting.push(j);
                } else if (s[j] / wanted - 1.0).abs() > 1e-10 {
                    return None;
                }
            }
        }
    }
    Some(s)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SparseRows;

    /// Masses 1, 2, 4 in a row with springs 3, 5 and a constant force: x″ = A x + b.
    fn chain(middle: f64) -> LinearForm {
        let mut matrix = SparseRows::new();
        (3..6).for_each(|v| matrix.push([(v, 1.0)]));
        matrix.push([(0, -3.0), (1, 3.0)]);
        matrix.push([(0, 1.5), (1, -4.0), (2, middle)]);
        matrix.push([(1, 1.25), (2, -1.25)]);
        LinearForm { matrix, constant: vec![0.0, 0.0, 0.0, 0.0, 0.0, 0.3], ..LinearForm::default() }
    }

    const PLACES: [(usize, usize); 3] = [(0, 3), (1, 4), (2, 5)];

    #[test]
    fn masses_are_found_but_for_a_factor() {
        let energy = Energy::find(&chain(2.5), &PLACES).expect("symmetric");
        assert_eq!(energy.mass, [1.0, 2.0, 4.0]);
        // Forces without a potential: action is not reaction.
        assert!(Energy::find(&chain(-2.5), &PLACES).is_err());
        assert!(Energy::find(&chain(0.0), &PLACES).is_err());
    }

    /// The energy of the recurrence stays as it is, and shows a disturbance of its size.
    #[test]
    fn the_recurrence_keeps_the_energy() {
        let form = chain(2.5);
        let mut energy = Energy::find(&form, &PLACES).expect("symmetric");
        let h = 0.3;
        let (mut y0, mut delta) = (vec![1.0, 0.0, -0.5, 0.0, 0.0, 0.0], vec![0.1, 0.0, 0.2]);
        let mut y1 = y0.clone();
        let mut drift: f64 = 0.0;
        for _ in 0..1000 {
            for k in 0..3 {
                let pull: f64 = form.matrix.row(3 + k).map(|(j, value)| value * y0[j]).sum();
                delta[k] += h * h * (pull + form.constant[3 + k]);
                y1[k] = y0[k] + delta[k];
            }
            drift = drift.max(energy.step(h, &y0, &y1, &delta, &PLACES));
            y0.clone_from(&y1);
        }
        assert!(drift > 0.0 && drift < 1e-12, "{drift:e}");
        delta[0] += 1e-6;
        assert!(energy.step(h, &y0, &y1, &delta, &PLACES) > 1e-9);
    }
}
