//! The frequency response of one channel at many frequencies: A once in Hessenberg form, then n² operations for each
//! (A. J. Laub, IEEE Trans. Autom. Control 26 (1981) 407–408).

use ordinate_linalg::Scalar;

use crate::eigen::{balance, hessenberg};
use crate::linear::{ComplexMatrix, modulus};
use crate::{Complex, ControlError, Matrix, StateSpace};

/// A channel, prepared for many frequencies.
pub(crate) struct Frequency {
    a: Matrix,
    b: Vec<f64>,
    c: Vec<f64>,
    d: f64,
    period: Option<f64>,
}

impl Frequency {
    /// Of a system with one input and one output.
    pub fn new(system: &StateSpace) -> Result<Frequency, ControlError> {
        system.single_channel()?;
        let n = system.states();
        let mut a = system.a.clone();
        let units = balance(&mut a);
        let mut q = Matrix::identity(n);
        hessenberg(&mut a, Some(&mut q));
        let b: Vec<f64> = (0..n).map(|i| system.b.at(i, 0) / units[i]).collect();
        let c: Vec<f64> = (0..n).map(|i| system.c.at(0, i) * units[i]).collect();
        let qt = q.transposed();
        Ok(Frequency { a, b: qt.times(&b), c: qt.times(&c), d: system.d.at(0, 0), period: system.period })
    }

    /// The point of the complex plane that belongs to a frequency: iω, or e^{iωh}.
    pub fn point(&self, omega: f64) -> Complex {
        match self.period {
            None => Complex::new(0.0, omega),
            Some(h) => {
                let (sin, cos) = (omega * h).sin_cos();
                Complex::new(cos, sin)
            }
        }
    }

    /// G at a frequency in rad/s.
    pub fn at(&self, omega: f64) -> Complex {
        self.value(self.point(omega))
    }

    /// G at a point; infinite at a pole.
    pub fn value(&self, s: Complex) -> Complex {
        let n = self.b.len();
        let mut m = ComplexMatrix::resolvent(&self.a, s);
        let mut x: Vec<Complex> = self.b.iter().map(|&b| b.into()).collect();
        // Gauss on a Hessenberg matrix: only the next row can be the better pivot
        for k in 0..n {
            if k + 1 < n {
                if m.at(k + 1, k).size() > m.at(k, k).size() {
                    for j in k..n {
                        let (above, below) = (m.at(k, j), m.at(k + 1, j));
                        (*m.at_mut(k, j), *m.at_mut(k + 1, j)) = (below, above);
                    }
                    x.swap(k, k + 1);
                }
                if m.at(k, k).size() > 0.0 && m.at(k + 1, k).size() > 0.0 {
                    let f = m.at(k + 1, k) / m.at(k, k);
                    for j in k + 1..n {
                        let element = m.at(k, j);
                        *m.at_mut(k + 1, j) -= f * element;
                    }
                    let above = x[k];
                    x[k + 1] -= f * above;
                }
            }
        }
        let mut sum = Complex::from(self.d);
        for i in (0..n).rev() {
            let rest = (i + 1..n).fold(x[i], |rest, j| rest - m.at(i, j) * x[j]);
            if modulus(rest) == 0.0 {
                x[i] = Complex::default();
                continue;
            }
            if m.at(i, i).size() == 0.0 {
                return Complex::new(f64::INFINITY, 0.0);
            }
            x[i] = rest / m.at(i, i);
            sum += x[i] * self.c[i];
        }
        sum
    }
}

/// The largest change of phase (rad) and of the logarithm of the gain from one frequency to the next.
const TURN: f64 = 0.12;
/// Points at most, for a system whose curve never becomes smooth.
const MOST: usize = 6000;
/// Decades beyond poles and zeros in which a gain of one is looked for.
const MOST_DECADES: usize = 20;
/// Halvings of an interval between neighbours.
const HALVINGS: usize = 24;

/// Frequencies (rad/s) that show all that happens, and the values of one channel there; neighbours differ by so little
/// that the phase can be unwrapped. A discrete system ends at half of its sampling frequency. The values are those of
/// Nyquist's curve, too.
pub fn bode(system: &StateSpace) -> Result<(Vec<f64>, Vec<Complex>), ControlError> {
    let response = Frequency::new(system)?;
    let (low, high, marks) = range(system)?;
    let (low, high) = with_crossover(&response, low, high);
    let mut grid: Vec<f64> = Vec::new();
    let decades = (high / low).log10();
    let count = (20.0 * decades).ceil().max(2.0) as usize;
    grid.extend((0..=count).map(|k| low * 10f64.powf(decades * k as f64 / count as f64)));
    // A resonance shows itself only to those who look there, and beside it.
    for mark in marks.iter().filter(|&&mark| low < mark && mark < high) {
        let beside = (1..=12).map(|k| 0.3 * 0.4f64.powi(k));
        grid.extend(beside.flat_map(|part| [mark * (1.0 - part), mark * (1.0 + part)]));
        grid.push(*mark);
    }
    if let (Some(h), Some(last)) = (system.period, grid.iter_mut().reduce(|a, b| if *a > *b { a } else { b })) {
        *last = std::f64::consts::PI / h;
    }
    grid.retain(|omega| *omega >= low && *omega <= high * (1.0 + 1e-12));
    grid.sort_by(f64::total_cmp);
    grid.dedup_by(|a, b| *a <= *b * (1.0 + 1e-13));
    Ok(refined(&response, &grid))
}

/// The range, stretched to where the gain passes one, if it tends there.
fn with_crossover(response: &Frequency, mut low: f64, mut high: f64) -> (f64, f64) {
    let gain = |omega: f64| modulus(response.at(omega));
    let tends =
        |here: f64, further: f64| (here <= 1.0 && further > 3.0 * here) || (here >= 1.0 && further < here / 3.0);
    for _ in 0..MOST_DECADES {
        if !tends(gain(low), gain(0.1 * low)) {
            break;
        }
        low *= 0.1;
    }
    for _ in 0..MOST_DECADES {
        if response.period.is_some() || !tends(gain(high), gain(10.0 * high)) {
            break;
        }
        high *= 10.0;
    }
    (low, high)
}

/// Halves intervals until neighbours are near each other; poles on the axis are left out.
fn refined(response: &Frequency, grid: &[f64]) -> (Vec<f64>, Vec<Complex>) {
    let (mut frequencies, mut values) = (Vec::new(), Vec::new());
    let finite = |z: &Complex| z.re.is_finite() && z.im.is_finite();
    let points: Vec<(f64, Complex)> = grid.iter().map(|&w| (w, response.at(w))).filter(|(_, z)| finite(z)).collect();
    let mut left = MOST.saturating_sub(points.len());
    for pair in points.windows(2) {
        frequencies.push(pair[0].0);
        values.push(pair[0].1);
        let mut stack = vec![(pair[1], 0)];
        let mut from = pair[0];
        while let Some((to, depth)) = stack.pop() {
            let middle = (from.0 * to.0).sqrt();
            if depth < HALVINGS && left > 0 && !near(from.1, to.1) && middle > from.0 && middle < to.0 {
                let value = response.at(middle);
                if finite(&value) {
                    left -= 1;
                    stack.push((to, depth + 1));
                    stack.push(((middle, value), depth + 1));
                    continue;
                }
            }
            if to.0 < pair[1].0 {
                frequencies.push(to.0);
                values.push(to.1);
            }
            from = to;
        }
    }
    if let Some(&(w, z)) = points.last() {
        frequencies.push(w);
        values.push(z);
    }
    (frequencies, values)
}

fn near(a: Complex, b: Complex) -> bool {
    let (p, q) = (modulus(a), modulus(b));
    if p == 0.0 || q == 0.0 {
        return p == q;
    }
    let turn = (a.im * b.re - a.re * b.im).atan2(a.re * b.re + a.im * b.im).abs();
    turn < TURN && (p / q).ln().abs() < 2.0 * TURN
}

/// From well below the slowest to well above the fastest of poles and zeros, in whole decades; and their frequencies.
fn range(system: &StateSpace) -> Result<(f64, f64, Vec<f64>), ControlError> {
    let mut points = system.poles()?;
    points.extend(system.zeros()?);
    let mut marks = Vec::new();
    for point in points {
        let (near, resonance) = match system.period {
            None => (modulus(point), point.im.abs()),
            Some(h) => {
                let (size, angle) = (modulus(point), point.im.atan2(point.re).abs());
                if size == 0.0 {
                    continue;
                }
                (size.ln().hypot(angle) / h, angle / h)
            }
        };
        // of what is well damped the imaginary part shows nothing, and that of a multiple pole is rounding
        let second = if resonance > 0.3 * near { resonance } else { near };
        marks.extend([near, second].into_iter().filter(|w| *w > 1e-300));
    }
    // What stands for an integrator by rounding would stretch the range to nowhere.
    let largest = marks.iter().fold(0.0, |most: f64, w| most.max(*w));
    marks.retain(|w| *w > 1e-9 * largest);
    let smallest = marks.iter().fold(f64::INFINITY, |least: f64, w| least.min(*w));
    let (smallest, largest) = if marks.is_empty() { (1.0, 1.0) } else { (smallest, largest) };
    let low = 10f64.powf((smallest.log10() - 1.0 - 1e-9).floor());
    let high = 10f64.powf((largest.log10() + 1.0 + 1e-9).ceil());
    let high = match system.period {
        None => high,
        Some(h) => std::f64::consts::PI / h,
    };
    marks.sort_by(f64::total_cmp);
    marks.dedup();
    Ok((low.min(0.01 * high), high, marks))
}
