//! Intervals of stability, A- and L-stability, and the angle of a sector: decided exactly but for the angle.

use super::Characteristic;
use super::polynomial::{Gaussian, Polynomial};
use super::roots::{Dyadic, positive_roots};
use super::schur::{InZeta, all_inside, crossings, none_outside};
use ordinate_exact::Integer;
use ordinate_linalg::Complex;

/// The part of an axis, connected to the origin, on which a method is stable.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// Its length; `None` if it has no end.
    pub length: Option<f64>,
    /// Whether the end itself belongs to it.
    pub closed: bool,
}

/// What is known of the stability of a method.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StabilityFacts {
    /// Whether it is stable for h → 0.
    pub zero_stable: bool,
    /// On the negative real axis.
    pub real: Interval,
    /// On the imaginary axis, from 0 upwards.
    pub imaginary: Interval,
    /// Whether it is stable wherever Re z ≤ 0.
    pub a_stable: bool,
    /// Whether, besides, all roots vanish for z → ∞.
    pub l_stable: bool,
    /// The largest α in degrees for which it is stable wherever |arg(−z)| < α; `None` if there is none.
    pub angle: Option<f64>,
}

/// Half of an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ray {
    /// z = −x
    Real,
    /// z = ix
    Imaginary,
}

const NOWHERE: Interval = Interval { length: Some(0.0), closed: true };

/// What is known of the stability of a method.
pub fn facts(method: &Characteristic) -> StabilityFacts {
    let zero_stable = method.is_zero_stable();
    if !zero_stable {
        let angle = None;
        return StabilityFacts {
            zero_stable,
            real: NOWHERE,
            imaginary: NOWHERE,
            a_stable: false,
            l_stable: false,
            angle,
        };
    }
    let (real, imaginary) = (method.interval(Ray::Real), method.interval(Ray::Imaginary));
    let a_stable = imaginary.length.is_none() && method.has_no_pole_on_the_left();
    let l_stable = a_stable && method.vanishes_at_infinity();
    let angle = match (a_stable, real.length) {
        (true, _) => Some(90.0),
        (false, None) => method.sector(),
        (false, Some(_)) => None,
    };
    StabilityFacts { zero_stable, real, imaginary, a_stable, l_stable, angle }
}

impl Characteristic {
    /// Whether the root condition holds at z = 0. A method for x″ = λ²x, whose polynomial is even in z, has a double root 1 there,
    /// for x = t is a solution: Hairer, Nørsett, Wanner I, III.10.
    fn is_zero_stable(&self) -> bool {
        let mut f = self.constants(Ray::Real, &Dyadic { n: Integer::ZERO, e: 0 });
        let odd = |row: &Vec<Integer>| row.iter().skip(1).step_by(2).any(|c| !c.is_zero());
        if !self.whole.iter().any(odd) {
            // divided by ζ − 1, from the highest power on
            for j in (0..f.len() - 1).rev() {
                f[j] = f[j].plus(&f[j + 1]);
            }
            f.remove(0);
        }
        none_outside(f)
    }

    /// The coefficients of ζ as polynomials of x along a ray.
    fn along(&self, ray: Ray) -> InZeta {
        let turned = |row: &Vec<Integer>| {
            let (mut re, mut im) = (vec![Integer::ZERO; row.len()], vec![Integer::ZERO; row.len()]);
            for (m, c) in row.iter().enumerate() {
                match (ray, m % 4) {
                    (_, 0) | (Ray::Real, 2) => re[m] = c.clone(),
                    (Ray::Real, _) => re[m] = c.negated(),
                    (Ray::Imaginary, 1) => im[m] = c.clone(),
                    (Ray::Imaginary, 2) => re[m] = c.negated(),
                    (Ray::Imaginary, _) => im[m] = c.negated(),
                }
            }
            Gaussian { re: Polynomial::new(re), im: Polynomial::new(im) }
        };
        self.whole.iter().map(turned).collect()
    }

    /// The coefficients of ζ at a place of a ray, times a power of two.
    fn constants(&self, ray: Ray, x: &Dyadic) -> InZeta {
        let (n, e) = x.plain();
        let degree = self.whole.iter().map(Vec::len).max().unwrap_or(1) - 1;
        let value = |p: &Polynomial| {
            // all to the same power of two, that of the highest degree
            let short = (degree + 1).saturating_sub(p.0.len().max(1));
            Polynomial::new(vec![p.scaled_value(&n, e).shifted(e * short)])
        };
        self.along(ray).iter().map(|c| Gaussian { re: value(&c.re), im: value(&c.im) }).collect()
    }

    /// Stability changes only where a root crosses the unit circle; between such places one point tells.
    fn interval(&self, ray: Ray) -> Interval {
        let stable = |x: &Dyadic| none_outside(self.constants(ray, x));
        let crossings = crossings(self.along(ray)).expect("no method keeps some of its roots on the unit circle");
        let mut last: Option<Dyadic> = None;
        for crossing in positive_roots(&crossings) {
            let (from, to) = (last.as_ref().map_or(0.0, Dyadic::to_f64), crossing.to_f64());
            if from < to {
                if !stable(&Dyadic::from_f64(between(from, to))) {
                    return ending(last, stable);
                }
                last = Some(crossing);
            }
        }
        let beyond = last.as_ref().map_or(1.0, |last| 2.0 * last.to_f64());
        if stable(&Dyadic::from_f64(beyond)) { Interval { length: None, closed: false } } else { ending(last, stable) }
    }

    #[cfg(test)]
    pub(super) fn crossing_degree(&self) -> usize {
        crossings(self.along(Ray::Imaginary)).expect("decided").0.len() - 1
    }

    /// Whether the coefficient of the highest power of ζ has no zero with Re z ≤ 0: with z = (1 + w)/(1 − w) all of its zeros
    /// are inside of the unit circle then.
    fn has_no_pole_on_the_left(&self) -> bool {
        let leading = Polynomial::new(self.whole[self.degree()].clone());
        let degree = leading.0.len() - 1;
        let factor = |sign: i128| Polynomial::new(vec![Integer::from(1), Integer::from(sign)]);
        let power = |p: &Polynomial, n: usize| {
            (0..n).fold(Polynomial::new(vec![Integer::from(1)]), |product, _| product.times(p))
        };
        let terms = leading.0.iter().enumerate().map(|(m, c)| {
            let constant = Polynomial::new(vec![c.clone()]);
            power(&factor(1), m).times(&power(&factor(-1), degree - m)).times(&constant)
        });
        let mapped = terms.fold(Polynomial::default(), |sum, term| sum.plus(&term));
        let constant = |k: usize| Gaussian {
            re: Polynomial::new(vec![mapped.0.get(k).cloned().unwrap_or_default()]),
            im: Polynomial::default(),
        };
        all_inside((0..=degree).map(constant).collect())
    }

    /// Whether for z → ∞ all roots vanish: the highest power of z stands with the highest power of ζ alone.
    fn vanishes_at_infinity(&self) -> bool {
        let degree = |row: &Vec<Integer>| row.iter().rposition(|c| !c.is_zero());
        let (leading, others) = self.whole.split_last().expect("a polynomial of ζ");
        others.iter().all(|row| degree(row) < degree(leading))
    }

    /// The sector of a linear multistep method: the smallest angle under which its root locus curve is seen.
    fn sector(&self) -> Option<f64> {
        const SAMPLES: u32 = 4096;
        let angle = |theta: f64| {
            let z = self.locus(Complex::new(theta.cos(), theta.sin()))?;
            Some(if z.re < 0.0 { z.im.abs().atan2(-z.re) } else { std::f64::consts::FRAC_PI_2 })
        };
        let spacing = std::f64::consts::PI / f64::from(SAMPLES);
        let mut best = (std::f64::consts::FRAC_PI_2, std::f64::consts::PI);
        // Near θ = 0 the curve touches the imaginary axis, and rounding alone tells on which side it is.
        for k in SAMPLES / 64..=SAMPLES {
            let theta = f64::from(k) * spacing;
            best = [best, (angle(theta)?, theta)].into_iter().min_by(|a, b| a.0.total_cmp(&b.0))?;
        }
        // the minimum between the neighbours, by thirds
        let (mut low, mut high) = (best.1 - spacing, best.1 + spacing);
        for _ in 0..80 {
            let (a, b) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
            if angle(a)? <= angle(b)? { high = b } else { low = a }
        }
        Some(angle(0.5 * (low + high))?.to_degrees())
    }
}

/// A number between two others, of few digits where they are far apart.
fn between(from: f64, to: f64) -> f64 {
    let middle = from / 2.0 + to / 2.0;
    let short = f64::from_bits(middle.to_bits() & !((1u64 << 44) - 1));
    if short > from && short < to { short } else { middle }
}

fn ending(last: Option<Dyadic>, stable: impl Fn(&Dyadic) -> bool) -> Interval {
    match last {
        None => NOWHERE,
        // an end that is no binary fraction is one of equality |ζ| = 1, like any other
        Some(end) => {
            let exact = Dyadic::from_f64(end.to_f64()).n == end.n;
            Interval { length: Some(end.to_f64()), closed: !exact || stable(&end) }
        }
    }
}
