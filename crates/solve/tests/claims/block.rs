//! The block for real time: what it does with states, times and inputs that do not continue the step before.

use ordinate_solve::{Block, BlockError, BlockStatus, Layout, Reaction, System};

/// x′ = d − x with a held input d.
struct Lag(Layout);

impl System for Lag {
    fn layout(&self) -> &Layout {
        &self.0
    }

    fn derivative(&mut self, _t: f64, y: &[f64], d: &[f64], dy: &mut [f64]) {
        dy[0] = d[0] - y[0];
    }
}

fn lag() -> Lag {
    Lag(Layout { states: 1, held: 1, ..Layout::default() })
}

/// A block behind ten steps from 1, and the state that it returned last.
fn under_way(name: &str, system: &mut Lag) -> (Block, [f64; 1]) {
    let mut block = Block::new(name, system, 1).expect("a method");
    let mut y = [1.0];
    for k in 0..10 {
        assert_eq!(block.step(system, &[0.0], 0.01 * f64::from(k), 0.01, &mut y), BlockStatus::Ok);
    }
    assert!((y[0] - (-0.1f64).exp()).abs() < 1e-5, "{name}: {}", y[0]);
    (block, y)
}

/// x(h) = u + (x₀ − u) exp(−h), whatever was before.
#[test]
fn a_block_forgets_what_a_step_does_not_continue() {
    for name in Block::METHODS {
        // another state, input, time, length
        let others = [(5.0, 0.0, 0.1, 0.01), (f64::NAN, 3.0, 0.1, 0.01), (5.0, 0.0, 7.0, 0.01), (5.0, 0.0, 0.1, 0.02)];
        for (state, input, t, h) in others {
            let mut system = lag();
            let (mut block, mut y) = under_way(name, &mut system);
            if state.is_finite() {
                y[0] = state;
            }
            let exact = input + (y[0] - input) * f64::exp(-h);
            assert_eq!(block.step(&mut system, &[input], t, h, &mut y), BlockStatus::Ok, "{name}");
            assert!((y[0] - exact).abs() < 1e-6, "{name} from {state}, input {input}: {} for {exact}", y[0]);
            // as a block does that has just been made
            let mut anew = [if state.is_finite() { state } else { under_way(name, &mut system).1[0] }];
            let mut block = Block::new(name, &mut system, 1).expect("a method");
            assert_eq!(block.step(&mut system, &[input], t, h, &mut anew), BlockStatus::Ok);
            assert_eq!(y, anew, "{name}");
        }
    }
}

/// Times that are counted and times that are added up differ by rounding; the history must not begin anew for that.
#[test]
fn a_block_keeps_its_history_in_spite_of_rounding() {
    for name in ["bdf2", "bdf3"] {
        let mut system = lag();
        let [mut counted, mut added] = [(); 2].map(|()| (Block::new(name, &mut lag(), 1).expect("a method"), [1.0]));
        let mut t = 0.0;
        for k in 0..1000 {
            counted.0.step(&mut system, &[0.0], 0.1 * f64::from(k), 0.1, &mut counted.1);
            added.0.step(&mut system, &[0.0], t, 0.1, &mut added.1);
            t += 0.1;
        }
        assert_eq!(counted.1, added.1, "{name}");
    }
}

#[test]
fn a_block_says_what_does_not_fit() {
    for name in Block::METHODS {
        let mut system = lag();
        let (mut block, y) = under_way(name, &mut system);
        let mut step = |input: &[f64], t: f64, h: f64, y: &[f64]| {
            let mut state = y.to_vec();
            let status = block.step(&mut system, input, t, h, &mut state);
            assert!(status == BlockStatus::Ok || state == y, "{name}: the state is left as it was");
            status
        };
        assert_eq!(step(&[], 0.1, 0.01, &y), BlockStatus::WrongInputs { expected: 1, found: 0 });
        assert_eq!(step(&[0.0, 1.0], 0.1, 0.01, &y), BlockStatus::WrongInputs { expected: 1, found: 2 });
        assert_eq!(step(&[0.0], 0.1, 0.01, &[1.0, 2.0]), BlockStatus::WrongStates { expected: 1, found: 2 });
        for (t, h) in [(0.1, 0.0), (0.1, -0.01), (0.1, f64::NAN), (f64::INFINITY, 0.01)] {
            assert_eq!(step(&[0.0], t, h, &y), BlockStatus::BadTime, "t = {t}, h = {h}");
        }
        assert_eq!(step(&[f64::NAN], 0.1, 0.01, &y), BlockStatus::NotFinite { component: 0 });
        assert_eq!(step(&[0.0], 0.1, 0.01, &y), BlockStatus::Ok);
    }
}

#[test]
fn there_is_no_block_of_what_only_the_driver_can_do() {
    let of = |name: &str, layout: Layout| Block::new(name, &mut Lag(layout), 1).err();
    let plain = || Layout { states: 1, held: 1, ..Layout::default() };
    assert_eq!(of("radau5", plain()), None);
    assert_eq!(of("dp5", plain()), Some(BlockError::NoSuchMethod));
    assert_eq!(of("radau5", Layout { conditions: vec![Reaction::Stop], ..plain() }), Some(BlockError::HasEvents));
    assert_eq!(of("radau5", Layout { invariants: 1, ..plain() }), Some(BlockError::HasInvariants));
}
