//! After construction, factoring and solving allocate nothing: what a step of bounded time needs. This file is a program
//! of its own, for its allocator counts.

#[path = "../../../tests/support/counting.rs"]
mod counting;

use ordinate_linalg::{Complex, Lu, Pattern, Scalar, Structure};
use ordinate_solve::{BLOCK_ITERATIONS, Block, BlockStatus, Layout as Shape, Point, System as _, Tolerance, by_name};

fn allocations(work: impl FnOnce()) -> usize {
    let before = counting::so_far();
    work();
    counting::so_far() - before
}

/// A matrix with a strong diagonal, factored `before` times before allocations are counted.
fn count<T: Scalar>(pattern: &Pattern, before: usize) -> (Structure, usize) {
    let mut lu = Lu::<T>::new(pattern);
    let n = pattern.n as f64;
    let values = |shift: f64| {
        let value = |(i, j): (u32, u32)| T::from(if i == j { 3.0 * n } else { (f64::from(i * 3 + j) + shift).sin() });
        pattern.elements().map(value).collect::<Vec<T>>()
    };
    let (first, second) = (values(0.0), values(0.1));
    let mut b = vec![T::from(1.0); pattern.n];
    (0..before).for_each(|_| lu.factor(&first).expect("regular"));
    let counted = allocations(|| {
        for values in [&first, &second] {
            lu.factor(values).expect("regular");
            lu.solve(&mut b);
            lu.solve_transposed(&mut b);
        }
    });
    (lu.structure(), counted)
}

#[test]
fn the_allocator_counts() {
    assert_eq!(allocations(|| drop(std::hint::black_box(vec![1.0; 10]))), 1);
}

#[test]
fn small_dense_and_band_matrices_allocate_nothing_after_construction() {
    for n in [1, 2, 3, 7, 14, 30, 32, 50, 100] {
        assert_eq!(count::<f64>(&Pattern::dense(n), 0).1, 0, "n = {n}");
        assert_eq!(count::<Complex>(&Pattern::dense(n), 0).1, 0, "n = {n}");
    }
    let chain =
        Pattern::from_elements(200, (0..200).flat_map(|i| [(i, i), (i, (i + 1).min(199)), ((i + 1).min(199), i)]));
    assert_eq!(count::<f64>(&chain, 0), (Structure::Band { lower: 1, upper: 1 }, 0));
}

#[test]
fn sparse_matrices_allocate_nothing_once_there_are_pivots() {
    let arrow = Pattern::from_elements(300, (0..300).flat_map(|i| [(i, i), (0, i), (i, 0)]));
    assert_eq!(count::<f64>(&arrow, 1), (Structure::Sparse { blocks: 1, largest: 300 }, 0));
    assert_eq!(count::<Complex>(&arrow, 1).1, 0);
}

/// x′ = −50 (x − cos t): no Jacobian of its own.
struct Follower(Shape);

impl ordinate_solve::System for Follower {
    fn layout(&self) -> &Shape {
        &self.0
    }

    fn derivative(&mut self, t: f64, y: &[f64], _d: &[f64], dy: &mut [f64]) {
        dy[0] = -50.0 * (y[0] - t.cos());
    }
}

#[test]
fn bdf_steps_allocate_nothing_after_the_start() {
    for (name, fixed) in [("bdf", false), ("bdf2", true), ("bdf5", true)] {
        let mut system = Follower(Shape { states: 1, ..Shape::default() });
        assert_eq!(system.layout().states, 1);
        let mut method = by_name(name).expect("a method").build(1, fixed);
        let tol = Tolerance { rtol: 1e-6, atol: vec![1e-9] };
        let (mut t, mut h, mut y) = (0.0, 1e-4, [0.0]);
        let mut go = |steps: u32| {
            for _ in 0..steps {
                let from = Point { t, y: &y, d: &[], f: None };
                let trial = method.try_step(&mut system, &from, h, &tol).expect("a step");
                if trial.error <= 1.0 {
                    t += h;
                    y.copy_from_slice(method.end());
                    method.accept();
                }
                h = trial.next_h.unwrap_or(h);
            }
        };
        go(20);
        assert_eq!(allocations(|| go(500)), 0, "{name}");
        let exact = (2500.0 * (t.cos() - (-50.0 * t).exp()) + 50.0 * t.sin()) / 2501.0;
        assert!(t > 0.05 && (y[0] - exact).abs() < 1e-5, "{name}: {} at {t}", y[0]);
    }
}

/// y₁′ = −y₁³ + y₂, y₂′ = −1000 (y₂ − y₁)
struct Stiff(ordinate_solve::Layout, std::sync::Arc<Pattern>);

impl ordinate_solve::System for Stiff {
    fn layout(&self) -> &ordinate_solve::Layout {
        &self.0
    }

    fn derivative(&mut self, _t: f64, y: &[f64], _d: &[f64], dy: &mut [f64]) {
        (dy[0], dy[1]) = (y[1] - y[0].powi(3), -1000.0 * (y[1] - y[0]));
    }

    fn jacobian_pattern(&mut self) -> Option<std::sync::Arc<Pattern>> {
        Some(self.1.clone())
    }

    fn jacobian(&mut self, _t: f64, y: &[f64], _d: &[f64], values: &mut [f64]) {
        values.copy_from_slice(&[-3.0 * y[0] * y[0], 1.0, 1000.0, -1000.0]);
    }
}

#[test]
fn implicit_steps_allocate_nothing_after_the_first() {
    let tol = Tolerance { rtol: 1e-6, atol: vec![1e-9; 2] };
    for name in ["backward-euler", "trapezoid", "radau3", "radau5", "radau9", "radau13"] {
        for fixed_step in [true, false] {
            let states = ordinate_solve::Layout { states: 2, ..Default::default() };
            let mut system = Stiff(states, std::sync::Arc::new(Pattern::dense(2)));
            let mut method = by_name(name).expect("a method").build(2, fixed_step);
            let mut y = [1.0, 0.5];
            let mut step = |k: u32, h: f64| {
                let from = Point { t: 0.01 * f64::from(k), y: &y, d: &[], f: None };
                method.try_step(&mut system, &from, h, &tol).expect("solvable");
                y.copy_from_slice(method.end());
                method.accept();
            };
            step(0, 0.01);
            let counted = allocations(|| (1..20).for_each(|k| step(k, if k % 5 == 0 { 0.02 } else { 0.01 })));
            assert_eq!(counted, 0, "{name}, fixed step: {fixed_step}");
        }
    }
}

/// Robertson's reactions, which begin with a concentration of zero; it counts its Jacobians.
struct Robertson(ordinate_solve::Layout, std::sync::Arc<Pattern>, u32);

impl ordinate_solve::System for Robertson {
    fn layout(&self) -> &ordinate_solve::Layout {
        &self.0
    }

    fn derivative(&mut self, _t: f64, y: &[f64], _d: &[f64], dy: &mut [f64]) {
        dy[0] = -0.04 * y[0] + 1e4 * y[1] * y[2];
        dy[2] = 3e7 * y[1] * y[1];
        dy[1] = -dy[0] - dy[2];
    }

    fn jacobian_pattern(&mut self) -> Option<std::sync::Arc<Pattern>> {
        Some(self.1.clone())
    }

    fn jacobian(&mut self, _t: f64, y: &[f64], _d: &[f64], values: &mut [f64]) {
        self.2 += 1;
        let (b, c) = (1e4 * y[2], 1e4 * y[1]);
        values.copy_from_slice(&[-0.04, b, c, 0.04, -b - 6e7 * y[1], -c, 0.0, 6e7 * y[1], 0.0]);
    }
}

/// A block solves a difficult step, too, within its iterations, and takes no memory for it, from its first step on.
#[test]
fn a_difficult_step_of_a_block_is_bounded() {
    for name in Block::METHODS {
        let shape = Shape { states: 3, held: 1, ..Shape::default() };
        let mut system = Robertson(shape, std::sync::Arc::new(Pattern::dense(3)), 0);
        let mut block = Block::new(name, &mut system, 1).expect("a method");
        let mut y = [1.0, 3.6e-5, 1e-5];
        let counted = allocations(|| {
            for k in 0..100 {
                // Another input makes the past useless, and so does another state.
                if k % 20 == 10 {
                    y = [1.0, 0.0, 0.0];
                }
                let (input, before) = ([f64::from(k / 20)], system.2);
                let status = block.step(&mut system, &input, 1e-3 * f64::from(k), 1e-3, &mut y);
                assert_eq!(status, BlockStatus::Ok, "{name}, step {k}");
                // One for each stage of each iteration, and those at the beginning.
                assert!(system.2 - before <= 3 * BLOCK_ITERATIONS + 2, "{name}: {} Jacobians", system.2 - before);
            }
        });
        assert_eq!(counted, 0, "{name}");
        assert!((y[0] + y[1] + y[2] - 1.0).abs() < 1e-12 && (y[1] - 3.6e-5).abs() < 1e-6, "{name}: {y:?}");
    }
}

/// yᵢ′ = y₀ − 3 yᵢ³ − yᵢ, y₀′ = −Σ yᵢ: a star, whose matrix is neither small nor a band.
struct Star(Shape, std::sync::Arc<Pattern>);

impl ordinate_solve::System for Star {
    fn layout(&self) -> &Shape {
        &self.0
    }

    fn derivative(&mut self, _t: f64, y: &[f64], _d: &[f64], dy: &mut [f64]) {
        dy[0] = -y.iter().sum::<f64>();
        dy[1..].iter_mut().zip(&y[1..]).for_each(|(dy, own)| *dy = y[0] - 3.0 * own.powi(3) - own);
    }

    fn jacobian_pattern(&mut self) -> Option<std::sync::Arc<Pattern>> {
        Some(self.1.clone())
    }

    fn jacobian(&mut self, _t: f64, y: &[f64], _d: &[f64], values: &mut [f64]) {
        for (value, (i, j)) in values.iter_mut().zip(self.1.elements()) {
            *value = match (i, j) {
                (0, _) => -1.0,
                (_, 0) => 1.0,
                (i, _) => -9.0 * y[i as usize] * y[i as usize] - 1.0,
            };
        }
    }
}

/// Large and sparse, or without a Jacobian of its own: all memory is taken when the block is made.
#[test]
fn a_block_takes_its_memory_when_it_is_made() {
    let n = 300;
    let star = Pattern::from_elements(n, (0..n as u32).flat_map(|i| [(i, i), (0, i), (i, 0)]));
    for name in Block::METHODS {
        let shape = |states| Shape { states, ..Shape::default() };
        let mut sparse = Star(shape(n), std::sync::Arc::new(star.clone()));
        let mut follower = Follower(shape(1));
        let systems: [(&mut dyn ordinate_solve::System, Vec<f64>); 2] =
            [(&mut sparse, (0..n).map(|i| (i as f64).sin()).collect()), (&mut follower, vec![0.0])];
        for (system, mut y) in systems {
            let mut block = Block::new(name, system, 2).expect("a method");
            let counted = allocations(|| {
                for k in 0..20 {
                    // A state of one's own in between: the history begins anew.
                    y[0] += f64::from(k / 8);
                    let status = block.step(system, &[], 0.01 * f64::from(k), 0.01, &mut y);
                    assert_eq!(status, BlockStatus::Ok, "{name}, step {k}");
                }
            });
            assert_eq!(counted, 0, "{name}, {} states", y.len());
        }
    }
}
