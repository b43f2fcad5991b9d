//! The equations of all stages as one system, with a Jacobian of its own for each stage: full Newton, where one Jacobian for all
//! stages does not serve.
//!
//! ```text
//!   ⎡ a₁₁ M/h − J₁   a₁₂ M/h     … ⎤
//!   ⎢ a₂₁ M/h        a₂₂ M/h − J₂   ⎥ ΔZ = r      aᵢⱼ: elements of A⁻¹
//!   ⎣ …                             ⎦
//! ```
//!
//! The stages of one component stand together, so that a band stays a band.

use super::coefficients::Coefficients;
use crate::implicit::newton::Jacobian;
use ordinate_linalg::{Lu, Pattern, Singular};

#[derive(Clone, Debug)]
pub(super) struct Coupled {
    stages: usize,
    lu: Lu<f64>,
    matrix: Vec<f64>,
    /// The places of the elements of the Jacobian of the first stage; those of the others follow each of them.
    places: Vec<u32>,
    /// The places of the blocks of the differential components, row by row.
    blocks: Vec<u32>,
    vector: Vec<f64>,
}

impl Coupled {
    pub fn new(jacobian: &Jacobian, stages: usize) -> Coupled {
        let (n, s) = (jacobian.pattern().n, stages as u32);
        let own = || jacobian.own().elements().flat_map(|(i, j)| (0..s).map(move |k| (i * s + k, j * s + k)));
        let differential = jacobian.differential() as u32;
        let block = || (0..differential).flat_map(|i| (0..s * s).map(move |k| (i * s + k / s, i * s + k % s)));
        let pattern = Pattern::from_elements(n * stages, own().chain(block()));
        let place =
            |(i, j): (u32, u32)| pattern.place(i as usize, j as usize).expect("an element of the pattern") as u32;
        Coupled {
            stages,
            places: own().map(place).collect(),
            blocks: block().map(place).collect(),
            matrix: vec![0.0; pattern.len()],
            lu: Lu::with_room(&pattern),
            vector: vec![0.0; n * stages],
        }
    }

    pub fn stages(&self) -> usize {
        self.stages
    }

    /// Takes A⁻¹ M / h; the Jacobians are taken off it.
    pub fn begin(&mut self, method: &Coefficients, h: f64) {
        self.matrix.fill(0.0);
        let elements = method.inverse.iter().cycle();
        for (&place, element) in self.blocks.iter().zip(elements) {
            self.matrix[place as usize] = element / h;
        }
    }

    /// Takes the Jacobian of a stage off.
    pub fn take_off(&mut self, stage: usize, values: &[f64]) {
        for (places, value) in self.places.chunks_exact(self.stages).zip(values) {
            self.matrix[places[stage] as usize] -= value;
        }
    }

    /// r, stage after stage, becomes ΔZ.
    pub fn solve(&mut self, r: &mut [f64]) -> Result<(), Singular> {
        let s = self.stages;
        let n = self.vector.len() / s;
        self.lu.factor(&self.matrix).map_err(|found| Singular { column: found.column / s })?;
        for i in 0..s {
            (0..n).for_each(|k| self.vector[k * s + i] = r[i * n + k]);
        }
        self.lu.solve(&mut self.vector);
        for i in 0..s {
            (0..n).for_each(|k| r[i * n + k] = self.vector[k * s + i]);
        }
        Ok(())
    }
}
