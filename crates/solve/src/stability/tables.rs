//! The characteristic polynomials of the methods, from their own coefficients.

use super::Characteristic;
use super::fraction::{meant_by, ratio};
use crate::explicit::tableau::ExplicitTableau;
use crate::multistep::bdf::{KAPPA, bdf_coefficients};
use crate::{AdamsForm, OneStageRule};
use ordinate_exact::{Integer, Rational};

/// Coefficients of tables are rounded once or twice.
const ROUNDED: f64 = 4.0 * f64::EPSILON;

/// Of ζʲ zᵐ in row j and column m.
type Table = Vec<Vec<Rational>>;

fn table(rows: usize, columns: usize) -> Table {
    vec![vec![Rational::from(0); columns]; rows]
}

fn add(place: &mut Rational, value: &Rational) {
    *place = place.plus(value);
}

/// With a common denominator.
fn whole(table: &Table) -> Characteristic {
    let common = |below: Integer, c: &Rational| {
        let missing = c.below().divided(&below.common_divisor(c.below())).expect("a divisor divides");
        below.times(&missing)
    };
    let below = table.iter().flatten().fold(Integer::from(1), common);
    let scaled = |c: &Rational| below.divided(c.below()).expect("a common denominator").times(c.above());
    Characteristic::new(table.iter().map(|row| row.iter().map(scaled).collect()).collect())
}

/// ζ = Σ zᵏ/k!, k ≤ p.
pub(super) fn taylor(order: u32) -> Characteristic {
    let mut product = Integer::from(1);
    // p!/k!, from k = p down to 0
    let mut terms = vec![product.clone()];
    for k in (1..=order).rev() {
        product = product.times(&Integer::from(i128::from(k)));
        terms.push(product.clone());
    }
    let above = terms.iter().rev().map(Integer::negated).collect();
    Characteristic::new(vec![above, vec![product]])
}

/// An explicit Runge–Kutta method,
///
/// ```text
///   ζ = R(z) = 1 + Σ rₖ zᵏ,   rₖ = bᵀ Aᵏ⁻¹ 1          rₖ = 1/k! for k up to the order
/// ```
///
/// Hairer, Wanner II, IV.2. Up to the order the exact value stands for the one computed from the rounded coefficients: the
/// strict sense of stability along the imaginary axis depends on it.
pub(super) fn explicit(tableau: &ExplicitTableau) -> Characteristic {
    let stages = tableau.b.len();
    let mut powers = vec![1.0; stages];
    let mut factorial = 1i128;
    let mut r = vec![Rational::from(1)];
    for k in 1..=stages {
        factorial *= k as i128;
        let terms = tableau.b.iter().zip(&powers).map(|(b, p)| b * p);
        let (value, size) = terms.fold((0.0, 0.0), |(sum, size): (f64, f64), term| (sum + term, size + term.abs()));
        let rounding = 100.0 * f64::EPSILON * size;
        let exact = ratio(1, factorial);
        r.push(if k <= tableau.order as usize {
            assert!((value - exact.to_f64()).abs() <= rounding, "{} is not of its order", tableau.name);
            exact
        } else if value.abs() <= rounding {
            Rational::from(0)
        } else {
            meant_by(value, 1e-13)
        });
        let next = tableau.a.iter().map(|row| row.iter().zip(&powers).map(|(a, p)| a * p).sum());
        powers = next.collect();
    }
    whole(&vec![r.into_iter().map(|r| r.negated()).collect(), vec![Rational::from(1)]])
}

/// (1 − γz) ζ = 1 + κz
pub(super) fn one_stage(rule: OneStageRule) -> Characteristic {
    let (gamma, known) = rule.weights();
    let of = |value: f64| meant_by(value, ROUNDED);
    whole(&vec![vec![Rational::from(-1), of(-known)], vec![Rational::from(1), of(-gamma)]])
}

/// Radau IIA of s stages, a collocation method: with M(x) = dˢ⁻¹/dxˢ⁻¹ xˢ⁻¹ (x − 1)ˢ, whose zeros are its nodes,
///
/// ```text
///   R(z) = Σ M⁽ˢ⁻ʲ⁾(1) zʲ / Σ M⁽ˢ⁻ʲ⁾(0) zʲ      j = 0 … s
/// ```
///
/// Hairer, Wanner II, IV.3, theorem 3.10.
pub(super) fn radau(stages: usize) -> Characteristic {
    // xˢ⁻¹ (x − 1)ˢ
    let mut m = vec![1i128];
    for _ in 0..stages {
        let above = [0].into_iter().chain(m.iter().copied());
        m = above.zip(m.iter().copied().chain([0])).map(|(up, here)| up - here).collect();
    }
    let mut m: Vec<i128> = vec![0; stages - 1].into_iter().chain(m).collect();
    let derivative = |m: &[i128]| m.iter().enumerate().skip(1).map(|(k, c)| k as i128 * c).collect::<Vec<i128>>();
    (1..stages).for_each(|_| m = derivative(&m));
    let mut rows = vec![vec![Integer::ZERO; stages + 1], vec![Integer::ZERO; stages + 1]];
    for j in (0..=stages).rev() {
        rows[0][j] = Integer::from(-m.iter().sum::<i128>());
        rows[1][j] = Integer::from(m[0]);
        m = derivative(&m);
    }
    Characteristic::new(rows)
}

/// Σ αᵢ ζᵏ⁻ⁱ = z ζᵏ, i = 0 … k.
pub(super) fn bdf(steps: usize) -> Characteristic {
    let mut rows = table(steps + 1, 2);
    for (i, alpha) in bdf_coefficients(steps).into_iter().enumerate() {
        rows[steps - i][0] = meant_by(alpha, 64.0 * ROUNDED);
    }
    rows[steps][1] = Rational::from(-1);
    whole(&rows)
}

/// The numerical differentiation formulas, which the method of variable order takes, for a fixed step:
///
/// ```text
///   ζ Σ αᵢ ζᵏ⁻ⁱ − κ γₖ (ζ − 1)ᵏ⁺¹ = z ζᵏ⁺¹        γₖ = α₀
/// ```
pub(super) fn ndf(order: usize) -> Characteristic {
    let kappa = meant_by(KAPPA[order], ROUNDED);
    if kappa.is_zero() {
        return bdf(order);
    }
    let alpha: Vec<Rational> =
        bdf_coefficients(order).into_iter().map(|alpha| meant_by(alpha, 64.0 * ROUNDED)).collect();
    let mut rows = table(order + 2, 2);
    alpha.iter().enumerate().for_each(|(i, alpha)| rows[order + 1 - i][0] = alpha.clone());
    let factor = kappa.times(&alpha[0]);
    for (j, binomial) in difference(order + 1).into_iter().enumerate() {
        rows[j][0] = rows[j][0].minus(&factor.times(&Rational::from(binomial)));
    }
    rows[order + 1][1] = Rational::from(-1);
    whole(&rows)
}

/// The coefficients of (ζ − 1)ʲ.
fn difference(j: usize) -> Vec<i128> {
    let mut row = vec![1i128];
    for _ in 0..j {
        let above = [0].into_iter().chain(row.iter().copied());
        row = above.zip(row.iter().copied().chain([0])).map(|(up, here)| up - here).collect();
    }
    row
}

/// Σ gⱼ (ζ − 1)ʲ ζⁿ⁻ʲ: the sum Σ gⱼ ∇ʲ, as a polynomial of degree n.
fn sum_of_differences(g: &[Rational], n: usize) -> Vec<Rational> {
    let mut sum = vec![Rational::from(0); n + 1];
    for (j, g) in g.iter().enumerate() {
        for (k, binomial) in difference(j).into_iter().enumerate() {
            add(&mut sum[k + n - j], &g.times(&Rational::from(binomial)));
        }
    }
    sum
}

/// γⱼ of the Adams–Bashforth methods, j < n: Σ γᵢ/(j+1−i) = 1, i = 0 … j. Hairer, Nørsett, Wanner I, III.1, eq. (1.7).
pub(crate) fn bashforth(n: usize) -> Vec<Rational> {
    let mut gamma: Vec<Rational> = Vec::with_capacity(n);
    for j in 0..n {
        let term = |(i, g): (usize, &Rational)| g.times(&ratio(1, (j + 1 - i) as i128));
        let known = gamma.iter().enumerate().map(term).fold(Rational::from(0), |sum, term| sum.plus(&term));
        gamma.push(Rational::from(1).minus(&known));
    }
    gamma
}

/// γ*ⱼ of the Adams–Moulton methods, j < n: γ*ⱼ = γⱼ − γⱼ₋₁; eq. (1.10) there.
fn moulton(n: usize) -> Vec<Rational> {
    let gamma = bashforth(n);
    (0..n).map(|j| if j == 0 { gamma[0].clone() } else { gamma[j].minus(&gamma[j - 1]) }).collect()
}

/// The Adams methods: with B(ζ) = Σ γⱼ ∇ʲ at the last point, M(ζ) = Σ γ*ⱼ ∇ʲ at the end of the step,
///
/// ```text
///   explicit:  ζ = 1 + z B            implicit:  ζ = 1 + z M
///   PECE:      ζ = 1 + z (M − m ζ) + z m (1 + z B)        m = Σ γ*ⱼ, the weight of f at the end
/// ```
pub(super) fn adams(form: AdamsForm) -> Characteristic {
    match form {
        AdamsForm::Bashforth(k) => {
            let k = k as usize;
            let mut rows = start(k, 2);
            let b = sum_of_differences(&bashforth(k), k - 1);
            b.iter().enumerate().for_each(|(j, b)| rows[j][1] = b.negated());
            whole(&rows)
        }
        AdamsForm::Moulton(k) => {
            let steps = k.max(1) as usize;
            let mut rows = start(steps, 2);
            let m = sum_of_differences(&moulton(k as usize + 1), steps);
            m.iter().enumerate().for_each(|(j, m)| rows[j][1] = m.negated());
            whole(&rows)
        }
        AdamsForm::Pece(p) => pece(p as usize, p as usize - 1),
    }
}

/// The predictor of `points` points, corrected once by the formula of `behind` points and the end.
pub(super) fn pece(points: usize, behind: usize) -> Characteristic {
    let mut rows = start(points, 3);
    let gamma = moulton(behind + 1);
    let at_end = gamma.iter().fold(Rational::from(0), |sum, g| sum.plus(g));
    let m = sum_of_differences(&gamma, points);
    let b = sum_of_differences(&bashforth(points), points - 1);
    for (j, m) in m.into_iter().enumerate() {
        let past = if j == points { m.minus(&at_end) } else { m };
        rows[j][1] = rows[j][1].minus(&past);
    }
    rows[points - 1][1] = rows[points - 1][1].minus(&at_end);
    b.into_iter().enumerate().for_each(|(j, b)| rows[j][2] = rows[j][2].minus(&at_end.times(&b)));
    whole(&rows)
}

/// ζᵏ − ζᵏ⁻¹
fn start(k: usize, columns: usize) -> Table {
    let mut rows = table(k + 1, columns);
    (rows[k][0], rows[k - 1][0]) = (Rational::from(1), Rational::from(-1));
    rows
}

/// ζ² − (2 + z²) ζ + 1 = 0, for x″ = λ² x.
pub(super) fn ge3() -> Characteristic {
    let whole = |row: [i128; 3]| row.into_iter().map(Integer::from).collect();
    Characteristic::new(vec![whole([1, 0, 0]), whole([-2, 0, -1]), whole([1, 0, 0])])
}
