//! The stages of a small system abreast: one octet per component has all of its stages, and what is done to one stage is done to
//! all by one instruction. A step of two or three equations consists of little but going from one instruction to the next, and
//! this takes a quarter of the time of one stage after another.
//!
//! Lanes behind the last stage repeat it, so that no result has to leave them out. The transformed systems (one real and up to
//! three complex ones) are the lanes of [`Shifted`].

use super::coefficients::{Coefficients, FIVE, MOST_STAGES, SEVEN, THREE, TWO};
use crate::{Point, System};
use ordinate_linalg::{MOST_SHIFTED, Shifted};
#[cfg(target_arch = "x86_64")]
use ordinate_numbers::vector::x86;
use ordinate_numbers::vector::{Lanes, Vector};
use ordinate_numbers::{Instructions, OCTET, Octet};

/// A method with its matrices by columns, one octet each.
#[derive(Debug)]
struct Table {
    method: &'static Coefficients,
    c: Octet,
    /// A⁻¹
    inverse: [Octet; MOST_STAGES],
    /// T⁻¹, with the transformed systems in their lanes.
    from_stages: [Octet; MOST_STAGES],
    /// T; its columns belong to the lanes of `lanes`.
    to_stages: [Octet; MOST_STAGES],
    lanes: [usize; MOST_STAGES],
    /// The eigenvalues of A⁻¹.
    shifts: Octet,
}

const NOTHING: Octet = Octet([0.0; OCTET]);

/// In the order of their stages.
static TABLES: [Table; 4] = [Table::new(&TWO), Table::new(&THREE), Table::new(&FIVE), Table::new(&SEVEN)];

impl Table {
    const fn new(method: &'static Coefficients) -> Table {
        let s = method.stages;
        let first = if method.real.is_some() { 1 } else { 0 };
        let mut table = Table {
            method,
            c: NOTHING,
            inverse: [NOTHING; MOST_STAGES],
            from_stages: [NOTHING; MOST_STAGES],
            to_stages: [NOTHING; MOST_STAGES],
            lanes: [0; MOST_STAGES],
            shifts: NOTHING,
        };
        // Row q of T⁻¹ is the real part or the imaginary part of a system.
        let mut q = 0;
        while q < s {
            let (system, part) = if q < first { (0, 0) } else { (first + (q - first) / 2, (q - first) % 2) };
            table.lanes[q] = system + part * OCTET / 2;
            q += 1;
        }
        let mut lane = 0;
        while lane < OCTET {
            let stage = if lane < s { lane } else { s - 1 };
            table.c.0[lane] = method.c[stage];
            let mut j = 0;
            while j < s {
                table.inverse[j].0[lane] = method.inverse[stage * s + j];
                table.to_stages[j].0[lane] = method.to_stages[stage * s + j];
                j += 1;
            }
            // Lanes without a system have the matrix of the first one.
            let system = lane % (OCTET / 2);
            let pair = if system >= first && system < first + method.pairs.len() { system - first } else { 0 };
            let (re, im) = match method.real {
                Some(gamma) if system == 0 || system > method.pairs.len() => (gamma, 0.0),
                _ => (method.pairs[pair].re, method.pairs[pair].im),
            };
            table.shifts.0[lane] = if lane < OCTET / 2 { re } else { im };
            lane += 1;
        }
        let mut j = 0;
        while j < s {
            let mut q = 0;
            while q < s {
                table.from_stages[j].0[table.lanes[q]] = method.from_stages[q * s + j];
                q += 1;
            }
            j += 1;
        }
        table
    }

    fn of(method: &Coefficients) -> &'static Table {
        let place = TABLES.iter().position(|table| table.method.stages == method.stages);
        &TABLES[place.expect("there are methods of 2, 3, 5 and 7 stages")]
    }
}

/// The unknowns of a step, component after component.
#[derive(Clone, Debug)]
pub(super) struct BatchedStages {
    n: usize,
    instructions: Instructions,
    table: &'static Table,
    lu: Shifted,
    /// All elements of the Jacobian, by rows.
    pub jacobian: Vec<f64>,
    z: Vec<Octet>,
    y: Vec<Octet>,
    f: Vec<Octet>,
    /// The residual, then the change of z.
    change: Vec<Octet>,
    /// Reciprocal tolerances.
    inverse_scale: Vec<f64>,
    y0: Vec<f64>,
    /// The largest element of `change` in units of the tolerance; not finite if any is not.
    pub size: f64,
}

/// What became of a residual.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Evaluation {
    Done,
    /// Something is not finite.
    NotFinite {
        stage: usize,
        component: usize,
    },
    /// The system cannot evaluate points side by side.
    Refused,
}

impl BatchedStages {
    /// For `n` states, if they are few enough.
    pub fn new(n: usize) -> Option<BatchedStages> {
        // Nothing is taken for systems that are too large: a restart asks again.
        if !(1..=MOST_SHIFTED).contains(&n) {
            return None;
        }
        let octets = vec![Octet::default(); n];
        Some(BatchedStages {
            n,
            instructions: Instructions::best(),
            table: &TABLES[0],
            lu: Shifted::new(n),
            jacobian: vec![0.0; n * n],
            z: octets.clone(),
            y: octets.clone(),
            f: octets.clone(),
            change: octets,
            inverse_scale: vec![0.0; n],
            y0: vec![0.0; n],
            size: 0.0,
        })
    }

    fn choose(&mut self, method: &'static Coefficients) {
        if self.table.method.stages != method.stages {
            self.table = Table::of(method);
        }
    }

    /// Factors the matrices of a step of length `h` with `jacobian`; false if they must be factored one by one.
    pub fn factor(&mut self, method: &'static Coefficients, h: f64, differential: usize) -> bool {
        self.choose(method);
        let sigma = 1.0 / h;
        let shifts = Octet(self.table.shifts.0.map(|shift| shift * sigma));
        run(self.instructions, self, Factor { shifts, differential })
    }

    /// b becomes the real part of (γ/h M − J)⁻¹ b, with γ = α + iβ where there is no real one.
    pub fn filter(&mut self, b: &mut [f64]) {
        for (change, &b) in self.change.iter_mut().zip(b.iter()) {
            *change = Octet([b, b, b, b, 0.0, 0.0, 0.0, 0.0]);
        }
        run(self.instructions, self, Filter);
        b.iter_mut().zip(&self.change).for_each(|(b, x)| *b = x.0[0]);
    }

    /// The stages `z` of a step continued over the next one of a length in units of this one, into `target`, stage after stage.
    pub fn extrapolate(
        &mut self,
        next: &'static Coefficients,
        old: &Coefficients,
        z: &[f64],
        ratio: f64,
        target: &mut [f64],
    ) {
        self.choose(next);
        run(self.instructions, self, Extrapolate { old, z, ratio });
        self.give_stages(target);
    }

    /// Takes the first iterate, stage after stage.
    pub fn begin(&mut self, method: &'static Coefficients, z: &[f64], y0: &[f64], scale: &[f64]) {
        self.choose(method);
        self.y0.copy_from_slice(y0);
        for (inverse, &scale) in self.inverse_scale.iter_mut().zip(scale) {
            // Of nothing, no tolerance is nothing.
            *inverse = (1.0 / scale).min(f64::MAX);
        }
        run(self.instructions, self, Begin { z });
    }

    /// Gives the iterate, stage after stage.
    pub fn give_stages(&self, z: &mut [f64]) {
        let n = self.n;
        let z = &mut z[..self.table.method.stages * n];
        for (k, octet) in self.z.iter().enumerate() {
            let mut stages = octet.0.iter();
            for (z, stage) in z[k..].iter_mut().step_by(n).zip(&mut stages) {
                *z = *stage;
            }
        }
    }

    /// f of all stages, and f − M A⁻¹ Z / h in `change`.
    pub fn residual(&mut self, system: &mut dyn System, from: &Point, h: f64, differential: usize) -> Evaluation {
        let table = self.table;
        let t = Octet(table.c.0.map(|c| from.t + c * h));
        if !system.derivative_of_eight(table.method.stages, &t, &self.y, from.d, &mut self.f) {
            return Evaluation::Refused;
        }
        let finite = run(self.instructions, self, Residual { sigma: 1.0 / h, differential });
        if finite { Evaluation::Done } else { self.not_finite() }
    }

    /// The first stage and component that is not finite, if there is one: a sum may overflow where its terms do not.
    #[cold]
    fn not_finite(&self) -> Evaluation {
        let is_bad = |i: usize, k: usize| !(self.f[k].0[i].is_finite() && self.y[k].0[i].is_finite());
        for stage in 0..self.table.method.stages {
            if let Some(component) = (0..self.n).find(|&k| is_bad(stage, k)) {
                return Evaluation::NotFinite { stage, component };
            }
        }
        Evaluation::Done
    }

    /// The residual becomes the change of Z, which it is added to.
    pub fn newton_change(&mut self) {
        run(self.instructions, self, Change);
    }

    /// The component with the largest part of `change`.
    pub fn worst(&self) -> usize {
        let (mut size, mut worst) = (0.0, 0);
        for (k, change) in self.change.iter().enumerate() {
            let part = change.0.iter().fold(0.0, |most: f64, x| if most >= x.abs() { most } else { x.abs() });
            let scaled = part * self.inverse_scale[k];
            if scaled > size || scaled.is_nan() {
                (size, worst) = (scaled, k);
            }
        }
        worst
    }
}

/// Something done with the vectors of a processor, and for a number of stages that the compiler knows.
trait Kernel {
    type Output;

    fn run<V: Vector, const S: usize>(self, all: &mut BatchedStages) -> Self::Output;
}

fn run<K: Kernel>(instructions: Instructions, all: &mut BatchedStages, kernel: K) -> K::Output {
    match instructions {
        // SAFETY: these instructions are chosen only where they were detected.
        #[cfg(target_arch = "x86_64")]
        Instructions::Avx512 => unsafe { run_avx512(all, kernel) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        Instructions::Avx2 => unsafe { run_avx2(all, kernel) },
        Instructions::Portable => run_stages::<Lanes, K>(all, kernel),
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx2,fma")]
fn run_avx512<K: Kernel>(all: &mut BatchedStages, kernel: K) -> K::Output {
    run_stages::<std::arch::x86_64::__m512d, K>(all, kernel)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn run_avx2<K: Kernel>(all: &mut BatchedStages, kernel: K) -> K::Output {
    run_stages::<x86::Pair, K>(all, kernel)
}

#[inline(always)]
fn run_stages<V: Vector, K: Kernel>(all: &mut BatchedStages, kernel: K) -> K::Output {
    match all.table.method.stages {
        2 => kernel.run::<V, 2>(all),
        3 => kernel.run::<V, 3>(all),
        5 => kernel.run::<V, 5>(all),
        7 => kernel.run::<V, 7>(all),
        _ => unreachable!("there are methods of 2, 3, 5 and 7 stages"),
    }
}

struct Factor {
    shifts: Octet,
    differential: usize,
}

impl Kernel for Factor {
    type Output = bool;

    #[inline(always)]
    fn run<V: Vector, const S: usize>(self, all: &mut BatchedStages) -> bool {
        all.lu.factor::<V>(&all.jacobian, self.differential, &self.shifts)
    }
}

struct Filter;

impl Kernel for Filter {
    type Output = ();

    #[inline(always)]
    fn run<V: Vector, const S: usize>(self, all: &mut BatchedStages) {
        all.lu.solve::<V>(&mut all.change);
    }
}

/// Σⱼ matrixⱼ xⱼ, matrixⱼ being a column.
#[inline(always)]
fn product<V: Vector, const S: usize>(matrix: &[Octet; MOST_STAGES], x: impl Fn(usize) -> f64) -> V {
    let mut sum = V::load(&matrix[0].0).times(V::splat(x(0)));
    // Plain counting: the compiler leaves calls of adapters' functions in place, with vectors in memory.
    let mut j = 1;
    while j < S {
        sum = V::load(&matrix[j].0).multiply_add(V::splat(x(j)), sum);
        j += 1;
    }
    sum
}

/// The largest of eight numbers that are not negative, `sum` being sums of such; not finite if one is not.
#[inline(always)]
fn largest<V: Vector>(most: V, sum: V) -> f64 {
    let (mut a, mut b) = ([0.0; OCTET], [0.0; OCTET]);
    most.larger(most.swapped()).store(&mut a);
    sum.plus(sum.swapped()).store(&mut b);
    let sum = (b[0] + b[1]) + (b[2] + b[3]);
    let larger = |a: f64, b: f64| if a > b { a } else { b };
    if sum.is_finite() { larger(larger(a[0], a[1]), larger(a[2], a[3])) } else { sum }
}

struct Begin<'a> {
    z: &'a [f64],
}

impl Kernel for Begin<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Vector, const S: usize>(self, all: &mut BatchedStages) {
        let n = all.n;
        for k in 0..n {
            let mut z = [self.z[(S - 1) * n + k]; OCTET];
            for (i, z) in z.iter_mut().enumerate().take(S - 1) {
                *z = self.z[i * n + k];
            }
            all.z[k] = Octet(z);
            V::load(&z).plus(V::splat(all.y0[k])).store(&mut all.y[k].0);
        }
    }
}

struct Residual {
    sigma: f64,
    differential: usize,
}

impl Kernel for Residual {
    /// Whether all is finite.
    type Output = bool;

    #[inline(always)]
    fn run<V: Vector, const S: usize>(self, all: &mut BatchedStages) -> bool {
        let minus_sigma = V::splat(-self.sigma);
        let zero = V::splat(0.0);
        let (mut most, mut sum) = (zero, zero);
        let n = all.n;
        let table = all.table;
        let (z, f) = (&all.z[..n], &all.f[..n]);
        let (change, inverse_scale) = (&mut all.change[..n], &all.inverse_scale[..n]);
        for k in 0..n {
            let mut x = V::load(&f[k].0);
            if k < self.differential {
                x = product::<V, S>(&table.inverse, |j| z[k].0[j]).multiply_add(minus_sigma, x);
            }
            x.store(&mut change[k].0);
            let part = x.abs().times(V::splat(inverse_scale[k]));
            most = most.larger(part);
            sum = sum.plus(part);
        }
        all.size = largest(most, sum);
        all.size.is_finite()
    }
}

struct Change;

impl Kernel for Change {
    type Output = ();

    #[inline(always)]
    fn run<V: Vector, const S: usize>(self, all: &mut BatchedStages) {
        let n = all.n;
        let table = all.table;
        let (z, y, change) = (&mut all.z[..n], &mut all.y[..n], &mut all.change[..n]);
        let (y0, inverse_scale) = (&all.y0[..n], &all.inverse_scale[..n]);
        for change in change.iter_mut() {
            product::<V, S>(&table.from_stages, |j| change.0[j]).store(&mut change.0);
        }
        all.lu.solve::<V>(change);
        let (mut most, mut sum) = (V::splat(0.0), V::splat(0.0));
        for k in 0..n {
            let x = product::<V, S>(&table.to_stages, |q| change[k].0[table.lanes[q]]);
            x.store(&mut change[k].0);
            let new = V::load(&z[k].0).plus(x);
            new.store(&mut z[k].0);
            new.plus(V::splat(y0[k])).store(&mut y[k].0);
            let part = x.abs().times(V::splat(inverse_scale[k]));
            most = most.larger(part);
            sum = sum.plus(part);
        }
        all.size = largest(most, sum);
    }
}

struct Extrapolate<'a> {
    old: &'a Coefficients,
    z: &'a [f64],
    ratio: f64,
}

impl Kernel for Extrapolate<'_> {
    type Output = ();

    /// [`Coefficients::weights`] of all stages.
    #[inline(always)]
    fn run<V: Vector, const S: usize>(self, all: &mut BatchedStages) {
        let (n, old) = (all.n, self.old);
        let one = V::splat(1.0);
        let theta = V::load(&all.table.c.0).multiply_add(V::splat(self.ratio), one);
        let s = old.stages;
        let (c, lagrange) = (&old.c[..s], &old.lagrange[..s]);
        let mut weights = [one; MOST_STAGES];
        let weights = &mut weights[..s];
        let mut before = theta;
        for j in 0..s {
            weights[j] = before.times(V::splat(lagrange[j]));
            before = before.times(theta.minus(V::splat(c[j])));
        }
        let mut after = one;
        for j in (0..s).rev() {
            weights[j] = weights[j].times(after);
            after = after.times(theta.minus(V::splat(c[j])));
        }
        weights[s - 1] = weights[s - 1].minus(one);
        for k in 0..n {
            let mut sum = V::splat(0.0);
            for (j, weight) in weights[..s].iter().enumerate() {
                sum = weight.multiply_add(V::splat(self.z[j * n + k]), sum);
            }
            sum.store(&mut all.z[k].0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Layout, Method, NewtonOptions, Radau, RadauOrder, StepFailure, Tolerance};

    /// Van der Pol's equation with an equation for its force, z = (1 − x²) v; f does not exist after the time `edge`.
    struct Oscillator {
        layout: Layout,
        abreast: bool,
        edge: f64,
    }

    impl Oscillator {
        fn new(abreast: bool, edge: f64) -> Oscillator {
            let layout = Layout { states: 3, algebraic: 1, timed: true, ..Layout::default() };
            Oscillator { layout, abreast, edge }
        }

        fn f(&self, t: f64, [x, v, z]: [f64; 3]) -> [f64; 3] {
            let outside = if t > self.edge { f64::NAN } else { 0.0 };
            [v + outside, 20.0 * z - x + t.sin(), (1.0 - x * x) * v - z]
        }
    }

    impl System for Oscillator {
        fn layout(&self) -> &Layout {
            &self.layout
        }

        fn derivative(&mut self, t: f64, y: &[f64], _: &[f64], dy: &mut [f64]) {
            dy.copy_from_slice(&self.f(t, [y[0], y[1], y[2]]));
        }

        fn derivative_of_eight(&mut self, _: usize, t: &Octet, y: &[Octet], _: &[f64], dy: &mut [Octet]) -> bool {
            for lane in 0..OCTET {
                let f = self.f(t.0[lane], [y[0].0[lane], y[1].0[lane], y[2].0[lane]]);
                dy.iter_mut().zip(f).for_each(|(dy, f)| dy.0[lane] = f);
            }
            self.abreast
        }
    }

    /// Sixty steps, whose lengths the stages one after another wish for.
    #[test]
    fn stages_side_by_side_are_those_one_after_another() {
        for order in [RadauOrder::Three, RadauOrder::Five, RadauOrder::Nine, RadauOrder::Thirteen, RadauOrder::Variable]
        {
            let mut systems = [false, true].map(|abreast| Oscillator::new(abreast, f64::INFINITY));
            let mut methods = [(); 2].map(|()| Radau::new(3, order, NewtonOptions::default(), false));
            let tol = Tolerance { rtol: 1e-6, atol: vec![1e-8; 3] };
            let (mut t, mut y, mut h) = (0.0, [vec![1.5, 0.0, 0.0], vec![1.5, 0.0, 0.0]], 1e-3);
            let mut accepted = 0;
            while accepted < 60 {
                let mut trials = [None; 2];
                for k in 0..2 {
                    let from = Point { t, y: &y[k], d: &[], f: None };
                    trials[k] = methods[k].try_step(&mut systems[k], &from, h, &tol).ok();
                }
                let [Some(trial), Some(beside)] = trials else {
                    h *= 0.25;
                    continue;
                };
                let apart = (trial.error - beside.error).abs();
                let same = trial.error == beside.error || apart <= 1e-3 * trial.error.max(1e-3);
                assert!(same, "{order:?}, t = {t}: {trial:?} {beside:?}");
                if trial.error <= 1.0 {
                    t += h;
                    for k in 0..2 {
                        y[k] = methods[k].end().to_vec();
                        methods[k].accept();
                    }
                    accepted += 1;
                }
                h = trial.next_h.expect("a wish");
            }
            for (a, b) in y[0].iter().zip(&y[1]) {
                assert!((a - b).abs() < 1e-7 * a.abs().max(1.0), "{order:?}: {y:?}");
            }
        }
    }

    #[test]
    fn the_stage_and_component_without_a_value_are_named() {
        for abreast in [false, true] {
            let mut system = Oscillator::new(abreast, 0.5);
            let mut method = Radau::new(3, RadauOrder::Five, NewtonOptions::default(), false);
            let tol = Tolerance { rtol: 1e-6, atol: vec![1e-8; 3] };
            let from = Point { t: 0.0, y: &[1.4, 1.0, -0.96], d: &[], f: None };
            // The second stage of three is at 0.64 h.
            let failure = method.try_step(&mut system, &from, 1.0, &tol).expect_err("the second stage is too late");
            let StepFailure::NotFinite { t, component: 0 } = failure else { panic!("{abreast}: {failure:?}") };
            assert!((t - 0.645).abs() < 1e-3, "{abreast}: {t}");
        }
    }
}
