//! Every processor computes what `f64` does.

use super::{LANES, Lanes, Number, Processor, Task};

/// All operations on two rows of numbers.
struct All([Lanes; 2]);

const RESULTS: usize = 13;

impl Task for All {
    type Output = [Lanes; RESULTS];

    #[inline(always)]
    fn run<N: Number<Stored = Lanes>>(self) -> [Lanes; RESULTS] {
        let [a, b] = [N::load(&self.0[0]), N::load(&self.0[1])];
        let results = [
            a + b,
            a - b,
            a * b,
            a / b,
            -a,
            a.abs().sqrt(),
            a.max(b),
            a.min(b),
            N::select(a.less(b), a, b),
            a.map(|x| x + 1.0) + a.map2(b, |x, y| x * y),
            a.abs().exponent(),
            a.abs().fraction(),
            b.abs().exponent().power_of_two(),
        ];
        let mut out = [Lanes::ZERO; RESULTS];
        for (result, out) in results.into_iter().zip(&mut out) {
            result.store(out);
        }
        out
    }
}

fn samples() -> [Lanes; 2] {
    let first = |l: usize| (l as f64 - 7.3) * 10f64.powi(7 * l as i32 - 50);
    let second = |l: usize| [1.0, -2.5, 1e300, 3e-200][l % 4] * (1.0 + l as f64);
    [Lanes(std::array::from_fn(first)), Lanes(std::array::from_fn(second))]
}

#[test]
fn lanes_compute_what_numbers_do() {
    let [a, b] = samples();
    for processor in Processor::all() {
        let results = processor.run(All([a, b]));
        for l in 0..LANES {
            let (a, b): (f64, f64) = (a[l], b[l]);
            let expected = [
                a + b,
                a - b,
                a * b,
                a / b,
                -a,
                a.abs().sqrt(),
                a.max(b),
                a.min(b),
                a.min(b),
                (a + 1.0) + a * b,
                a.abs().log2().floor(),
                a.abs() / a.abs().log2().floor().exp2(),
                b.abs().log2().floor().exp2(),
            ];
            for (k, (found, expected)) in results.iter().zip(expected).enumerate() {
                assert_eq!(found[l], expected, "{processor:?}: result {k} of {a}, {b}");
            }
        }
    }
}

struct Divided(Lanes, f64);

impl Task for Divided {
    type Output = Lanes;

    #[inline(always)]
    fn run<N: Number<Stored = Lanes>>(self) -> Lanes {
        let mut out = Lanes::ZERO;
        N::load(&self.0).over(self.1, 1.0 / self.1).store(&mut out);
        out
    }
}

#[test]
fn division_by_a_whole_number_rounds_as_division() {
    for processor in Processor::all() {
        for divisor in [3.0, 5.0, 6.0, 7.0] {
            for k in 0..1000 {
                let x = Lanes(std::array::from_fn(|l| 1.0 + (k * LANES + l) as f64 * 1.234567e-5));
                let found = processor.run(Divided(x, divisor));
                for l in 0..LANES {
                    assert_eq!(found[l], x[l] / divisor, "{processor:?}: {} / {divisor}", x[l]);
                }
            }
        }
    }
}

#[test]
fn masks_have_a_bit_per_lane() {
    struct Negative(Lanes);
    impl Task for Negative {
        type Output = u32;

        #[inline(always)]
        fn run<N: Number<Stored = Lanes>>(self) -> u32 {
            N::bits(N::load(&self.0).less(N::splat(0.0)))
        }
    }
    for processor in Processor::all() {
        for l in 0..LANES {
            let mut x = Lanes::splat(1.0);
            x[l] = -1.0;
            assert_eq!(processor.run(Negative(x)), 1 << l, "{processor:?}");
        }
        assert_eq!(processor.run(Negative(Lanes::splat(f64::NAN))), 0);
    }
}
