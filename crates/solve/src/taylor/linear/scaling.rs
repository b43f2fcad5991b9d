//! How large a step may be and how many terms it needs, without looking at the terms.
//!
//! With positive weights d and the norm ‖v‖ = max |vᵢ|/dᵢ, the matrix has the norm N = max Σⱼ |aᵢⱼ| dⱼ/dᵢ, and the part
//! of the series behind term m of y(t+h) = y + Σ hᵏ/k! Aᵏ⁻¹ f is at most, with x = hN,
//!
//! ```text
//!   |tailᵢ| ≤ dᵢ ‖h f‖ T_m(x),     T_m(x) = Σ_{k>m} x^(k−1)/k!
//! ```
//!
//! which holds for every system, whatever its terms look like: nothing can be missed by it.

use super::form::LinearForm;

/// Weights and norm of a matrix.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Scaling {
    /// 1/d, hidden states included.
    pub inverse: Vec<f64>,
    /// N
    pub norm: f64,
    /// If the matrix is nilpotent: the power that vanishes. The series ends with this term.
    pub vanishing: Option<usize>,
}

/// Weights further apart than this make bounds useless: then all are one.
const MAX_RATIO: f64 = 1e30;

impl Scaling {
    pub fn new(form: &LinearForm) -> Scaling {
        let mut weights = symmetrising(form);
        balance(form, &mut weights);
        let (low, high) =
            weights[..form.states()].iter().fold((f64::INFINITY, 0.0f64), |(l, h), &d| (l.min(d), h.max(d)));
        let comparable = high <= MAX_RATIO * low;
        if !comparable || norm(form, &weights, form.states()) > norm_of_ones(form) {
            weights.fill(1.0);
        }
        weigh_inputs(form, &mut weights);
        let norm = norm(form, &weights, form.matrix.len());
        let inverse = weights.iter().map(|d| 1.0 / d).collect();
        Scaling { inverse, norm, vanishing: vanishing_power(form) }
    }
}

/// The norm of the first rows, states and hidden states as far as they are weighed.
fn norm(form: &LinearForm, d: &[f64], rows: usize) -> f64 {
    let row =
        |i: usize| form.matrix.row(i).filter(|&(j, _)| j < rows).map(|(j, a)| a.abs() * (d[j] / d[i])).sum::<f64>();
    (0..rows).map(row).fold(0.0, f64::max)
}

fn norm_of_ones(form: &LinearForm) -> f64 {
    norm(form, &vec![1.0; form.states()], form.states())
}

/// Weights that make |aᵢⱼ| dⱼ/dᵢ = |aⱼᵢ| dᵢ/dⱼ along a spanning forest: of a chain exactly, of others as far as they are
/// alike. Volts beside microamperes become comparable.
fn symmetrising(form: &LinearForm) -> Vec<f64> {
    let n = form.states();
    let mut d = vec![0.0; form.matrix.len()];
    let mut queue = Vec::with_capacity(n);
    for root in 0..n {
        if d[root] != 0.0 {
            continue;
        }
        d[root] = 1.0;
        queue.push(root);
        let mut head = queue.len() - 1;
        while head < queue.len() {
            let i = queue[head];
            head += 1;
            for (j, there) in form.matrix.row(i) {
                if j >= n || d[j] != 0.0 {
                    continue;
                }
                let back = form.matrix.row(j).find(|&(column, _)| column == i).map_or(0.0, |(_, back)| back);
                let ratio = if back == 0.0 { 1.0 } else { (back.abs() / there.abs()).sqrt() };
                d[j] = (d[i] * ratio).clamp(1e-150, 1e150);
                queue.push(j);
            }
        }
    }
    d
}

/// How much of the norm may come from what hidden states do to the states: little, for it shortens the steps; but what it
/// leaves out comes back in the norm of the hidden states, for which terms are added.
pub(crate) const INPUT_WEIGHT: f64 = 1.0 / 64.0;

/// Rows and columns further apart than this are worth balancing.
const UNBALANCED: f64 = 3.0;
/// Passes over all states.
const MAX_PASSES: usize = 24;

/// Makes the sums of each row and its column alike: E. E. Osborne, J. ACM 7 (1960) 338. A companion matrix, say, has
/// its large coefficients in one column.
fn balance(form: &LinearForm, d: &mut [f64]) {
    let n = form.states();
    let mut columns: Vec<Vec<(u32, f64)>> = vec![Vec::new(); n];
    for i in 0..n {
        for (j, a) in form.matrix.row(i).filter(|&(j, _)| j < n && j != i) {
            columns[j].push((i as u32, a.abs()));
        }
    }
    for _ in 0..MAX_PASSES {
        let mut worst = 1.0f64;
        for i in 0..n {
            let row: f64 =
                form.matrix.row(i).filter(|&(j, _)| j < n && j != i).map(|(j, a)| a.abs() * (d[j] / d[i])).sum();
            let column: f64 = columns[i].iter().map(|&(j, a)| a * (d[i] / d[j as usize])).sum();
            // a state that acts on none, or on which none acts, could have any weight
            if row > 0.0 && column > 0.0 && row.is_finite() && column.is_finite() {
                let ratio = row / column;
                worst = worst.max(ratio).max(1.0 / ratio);
                if !(1.0 / UNBALANCED..=UNBALANCED).contains(&ratio) {
                    d[i] = (d[i] * ratio.sqrt()).clamp(1e-150, 1e150);
                }
            }
        }
        if worst <= UNBALANCED {
            break;
        }
    }
}

/// Weights of the hidden states: such that what they do to the states is a small part of what those do to each other.
fn weigh_inputs(form: &LinearForm, d: &mut [f64]) {
    let n = form.states();
    let fastest = form.inputs.iter().fold(0.0f64, |fastest, g| fastest.max(g.rate.abs()).max(g.frequency));
    let mut unit = norm(form, d, n).max(fastest);
    if unit == 0.0 {
        unit = 1.0;
    }
    d[n..].fill(f64::INFINITY);
    for i in 0..n {
        for (j, a) in form.matrix.row(i).filter(|&(j, _)| j >= n) {
            d[j] = d[j].min(INPUT_WEIGHT * unit * d[i] / a.abs());
        }
    }
    // An input is followed by those that its derivative needs; a partner of the same frequency has the same weight.
    for k in n..d.len() {
        for (j, a) in form.matrix.row(k).filter(|&(j, _)| j != k) {
            if form.inputs[k - n].power == form.inputs[j - n].power {
                (d[k], d[j]) = (d[k].min(d[j]), d[k].min(d[j]));
            } else {
                d[j] = d[j].min(unit * d[k] / a.abs());
            }
        }
    }
    d[n..].iter_mut().for_each(|d| *d = if d.is_finite() && *d > 0.0 { *d } else { 1.0 });
}

/// The power of the matrix that vanishes, if there is one: the longest chain of its graph, which must have no cycle.
fn vanishing_power(form: &LinearForm) -> Option<usize> {
    let rows = form.matrix.len();
    // how many rows still wait to see each column's depth
    let mut readers = vec![0u32; rows];
    form.matrix.columns.iter().for_each(|&j| readers[j as usize] += 1);
    let mut depth = vec![1usize; rows];
    let mut ready: Vec<usize> = (0..rows).filter(|&i| readers[i] == 0).collect();
    let (mut done, mut longest) = (0, 1);
    while let Some(i) = ready.pop() {
        done += 1;
        longest = longest.max(depth[i]);
        for (j, _) in form.matrix.row(i) {
            depth[j] = depth[j].max(depth[i] + 1);
            readers[j] -= 1;
            if readers[j] == 0 {
                ready.push(j);
            }
        }
    }
    (done == rows).then_some(longest)
}

/// Terms that a step may have.
pub(crate) const MAX_TERMS: usize = 96;

/// 1/k
const INVERSE: [f64; MAX_TERMS + 1] = {
    let mut inverse = [0.0; MAX_TERMS + 1];
    let mut k = 1;
    while k <= MAX_TERMS {
        inverse[k] = 1.0 / k as f64;
        k += 1;
    }
    inverse
};

/// Terms below this are not asked for: it is far below rounding.
const NOTHING: f64 = 1e-24;

/// T_m(x) for m = 0 … MAX_TERMS.
#[derive(Clone, Debug)]
pub(crate) struct Tails {
    x: f64,
    tails: [f64; MAX_TERMS + 1],
}

impl Default for Tails {
    /// Tails that are still to be set.
    fn default() -> Tails {
        Tails { x: f64::NAN, tails: [f64::INFINITY; MAX_TERMS + 1] }
    }
}

impl Tails {
    pub fn new(x: f64) -> Tails {
        let mut tails = Tails::default();
        tails.set(x);
        tails
    }

    /// Computes the tails for x, unless that is what they are for already.
    pub fn set(&mut self, x: f64) {
        if x == self.x {
            return;
        }
        self.x = x;
        let mut terms = [0.0; MAX_TERMS + 1];
        let (mut term, mut last) = (1.0, 1);
        terms[1] = 1.0;
        while last < MAX_TERMS && (term > NOTHING || 2.0 * x > last as f64) {
            last += 1;
            term *= x * INVERSE[last];
            terms[last] = term;
        }
        // behind the last term the series is smaller than a geometric one
        let ratio = x / (last + 1) as f64;
        let mut sum = if ratio < 0.5 { 2.0 * term * ratio } else { f64::INFINITY };
        self.tails[last..].fill(sum);
        for m in (0..last).rev() {
            sum += terms[m + 1];
            self.tails[m] = sum;
        }
    }

    /// The smallest number of terms whose tail is at most `bound`.
    pub fn order(&self, bound: f64) -> Option<usize> {
        let m = self.tails[1..].partition_point(|tail| *tail > bound) + 1;
        (m <= MAX_TERMS && !bound.is_nan()).then_some(m)
    }

    /// T_m(x)
    pub fn tail(&self, m: usize) -> f64 {
        self.tails[m]
    }
}

#[cfg(test)]
mod tests {
    use super::super::form::SparseRows;
    use super::*;

    fn form(rows: &[&[(u32, f64)]]) -> LinearForm {
        let mut matrix = SparseRows::new();
        rows.iter().for_each(|row| matrix.push(row.iter().copied()));
        let n = rows.len();
        LinearForm::autonomous(matrix, vec![0.0; n])
    }

    /// u′ = 1e12 i, i′ = −1e8 u: the frequency is 1e10, the plain norm a hundred times that.
    #[test]
    fn the_norm_of_an_oscillator_is_its_frequency_whatever_the_units() {
        let scaling = Scaling::new(&form(&[&[(1, 1e12)], &[(0, -1e8)]]));
        assert!((scaling.norm / 1e10 - 1.0).abs() < 1e-12, "{}", scaling.norm);
        assert_eq!(scaling.vanishing, None);
    }

    #[test]
    fn a_chain_of_integrators_is_nilpotent_and_a_cycle_is_not() {
        assert_eq!(Scaling::new(&form(&[&[], &[(0, 2.0)], &[(1, 3.0)]])).vanishing, Some(3));
        assert_eq!(Scaling::new(&form(&[&[], &[]])).vanishing, Some(1));
        assert_eq!(Scaling::new(&form(&[&[(1, 1.0)], &[(0, 1.0)]])).vanishing, None);
        assert_eq!(Scaling::new(&form(&[&[(0, 1e-300)]])).vanishing, None);
    }

    #[test]
    fn tails_are_those_of_the_exponential_series() {
        let x: f64 = 3.0;
        let tails = Tails::new(x);
        let exact: f64 = (x.exp() - 1.0 - x - x * x / 2.0) / x;
        assert!((tails.tail(2) - exact).abs() < 1e-14 * exact, "{} {exact}", tails.tail(2));
        let m = tails.order(1e-10).expect("few terms");
        assert!(tails.tail(m) <= 1e-10 && tails.tail(m - 1) > 1e-10);
        assert_eq!(Tails::new(1e6).order(1.0), None);
    }
}
