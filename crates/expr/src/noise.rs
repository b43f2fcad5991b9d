//! Random numbers without a state: number k of a sequence is computed from the seed and k alone, so it does not depend on steps,
//! threads or the order of evaluation, and by additions and products of integers and doubles only, so it is the same everywhere.
//!
//! ```text
//!   bits = mix(seed · 2³² + k),      u = (bits + 1/2) / 2⁵³,      noise = Φ⁻¹(u)
//! ```
//!
//! The mixing is that of SplitMix64 (G. L. Steele, D. Lea, C. H. Flood, OOPSLA 2014), Φ⁻¹ the algorithm AS 241 of M. J.
//! Wichura, Appl. Statist. 37 (1988) 477–484.

/// Seeds are below this number, and k is below 2³¹ in magnitude: together they fit into a double.
pub const SEEDS: f64 = 2_097_152.0;

/// What is added to the number k to make it the argument of [`crate::Function::Noise`], per seed.
pub const PER_SEED: f64 = 4_294_967_296.0;

/// The number of the standard normal distribution that belongs to a whole number.
pub(crate) fn normal(key: f64) -> f64 {
    if !key.is_finite() {
        return f64::NAN;
    }
    // Twice, so that neighbouring keys of neighbouring seeds have nothing in common.
    let bits = mix(mix(key.floor() as i64 as u64));
    inverse_normal(((bits >> 11) as f64 + 0.5) / 9_007_199_254_740_992.0)
}

/// One step of SplitMix64 from the given state.
fn mix(state: u64) -> u64 {
    let mut z = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Φ⁻¹(u) to about 16 digits.
fn inverse_normal(u: f64) -> f64 {
    let q = u - 0.5;
    if q.abs() <= 0.425 {
        let r = 0.180_625 - q * q;
        return q * polynomial(&CENTRE[0], r) / polynomial(&CENTRE[1], r);
    }
    let r = (-logarithm(if q < 0.0 { u } else { 1.0 - u })).sqrt();
    let tail = match r <= 5.0 {
        true => polynomial(&NEAR[0], r - 1.6) / polynomial(&NEAR[1], r - 1.6),
        false => polynomial(&FAR[0], r - 5.0) / polynomial(&FAR[1], r - 5.0),
    };
    if q < 0.0 { -tail } else { tail }
}

fn polynomial(c: &[f64; 8], x: f64) -> f64 {
    c.iter().rev().fold(0.0, |sum, c| sum * x + c)
}

/// log u, for the logarithm of the standard library may differ between machines in its last digit:
///
/// ```text
///   log(m · 2ᵉ) = e log 2 + 2 artanh s,      s = (m − 1)/(m + 1),      √½ ≤ m < √2
/// ```
fn logarithm(u: f64) -> f64 {
    let bits = u.to_bits();
    let mut exponent = ((bits >> 52) as i64 - 1023) as f64;
    let mut m = f64::from_bits((bits & ((1 << 52) - 1)) | (1023 << 52));
    if m > std::f64::consts::SQRT_2 {
        m *= 0.5;
        exponent += 1.0;
    }
    let s = (m - 1.0) / (m + 1.0);
    let square = s * s;
    let series = (0..12).rev().fold(0.0, |sum, k| sum * square + 1.0 / f64::from(2 * k + 1));
    exponent * std::f64::consts::LN_2 + 2.0 * s * series
}

/// Numerators and denominators for |u − 1/2| ≤ 0.425.
#[rustfmt::skip]
const CENTRE: [[f64; 8]; 2] = [
    [3.387_132_872_796_366_5, 133.141_667_891_784_38, 1_971.590_950_306_551_3, 13_731.693_765_509_46,
     45_921.953_931_549_87, 67_265.770_927_008_7, 33_430.575_583_588_13, 2_509.080_928_730_122_7],
    [1.0, 42.313_330_701_600_91, 687.187_007_492_057_9, 5_394.196_021_424_751,
     21_213.794_301_586_597, 39_307.895_800_092_71, 28_729.085_735_721_943, 5_226.495_278_852_854],
];

/// The same for √(−log u) ≤ 5.
#[rustfmt::skip]
const NEAR: [[f64; 8]; 2] = [
    [1.423_437_110_749_683_5, 4.630_337_846_156_546, 5.769_497_221_460_691, 3.647_848_324_763_204_5,
     1.270_458_252_452_368_4, 0.241_780_725_177_450_6, 0.022_723_844_989_269_184, 7.745_450_142_783_414e-4],
    [1.0, 2.053_191_626_637_759, 1.676_384_830_183_803_8, 0.689_767_334_985_1,
     0.148_103_976_427_480_08, 0.015_198_666_563_616_457, 5.475_938_084_995_345e-4, 1.050_750_071_644_416_9e-9],
];

/// The same beyond.
#[rustfmt::skip]
const FAR: [[f64; 8]; 2] = [
    [6.657_904_643_501_103, 5.463_784_911_164_114, 1.784_826_539_917_291_3, 0.296_560_571_828_504_87,
     0.026_532_189_526_576_124, 0.001_242_660_947_388_078_4, 2.711_555_568_743_487_6e-5, 2.010_334_399_292_288_1e-7],
    [1.0, 0.599_832_206_555_888, 0.136_929_880_922_735_8, 0.014_875_361_290_850_615,
     7.868_691_311_456_133e-4, 1.846_318_317_510_054_8e-5, 1.421_511_758_316_446e-7, 2.044_263_103_389_939_8e-15],
];

#[cfg(test)]
mod tests {
    use super::*;

    /// Quantiles computed with 25 digits: Φ(x) = erfc(−x/√2)/2.
    #[test]
    fn quantiles_of_the_normal_distribution_are_exact() {
        for (u, x) in [
            (0.5, 0.0),
            (0.975, 1.959_963_984_540_053_9),
            (0.1, -1.281_551_565_544_600_4),
            (0.05, -1.644_853_626_951_472_7),
            (1e-10, -6.361_340_902_404_056),
            (1e-16, -8.222_082_216_130_436),
        ] {
            let found = inverse_normal(u);
            assert!((found - x).abs() <= 4e-16 * (1.0 + x.abs()), "{u}: {found} instead of {x}");
        }
    }

    /// Mean 0, variance 1, fourth moment 3, no correlation with the neighbour and with the other seed, within five standard deviations.
    #[test]
    fn numbers_are_normal_and_independent() {
        let n = 100_000;
        let draw = |seed: f64, k: i32| normal(seed * PER_SEED + f64::from(k));
        let mean = |f: &dyn Fn(i32) -> f64| (0..n).map(f).sum::<f64>() / f64::from(n);
        let bound = |variance: f64| 5.0 * (variance / f64::from(n)).sqrt();
        for seed in [0.0, 1.0, 2.0, 2_097_151.0] {
            assert!(mean(&|k| draw(seed, k)).abs() < bound(1.0), "mean of {seed}");
            assert!((mean(&|k| draw(seed, k).powi(2)) - 1.0).abs() < bound(2.0), "variance of {seed}");
            assert!((mean(&|k| draw(seed, k).powi(4)) - 3.0).abs() < bound(96.0), "fourth moment of {seed}");
            assert!(mean(&|k| draw(seed, k) * draw(seed, k + 1)).abs() < bound(1.0), "neighbours of {seed}");
            assert!(mean(&|k| draw(seed, k) * draw(seed + 1.0, k)).abs() < bound(1.0), "seeds {seed} and the next");
        }
    }

    /// The sequence is a promise: results that were published must come out again.
    #[test]
    fn the_sequence_stays_as_it_is() {
        let first: Vec<u64> = (0..3).map(|k| normal(PER_SEED + f64::from(k)).to_bits()).collect();
        let promised = [0.673_962_677_481_948_3, -0.043_838_604_518_963_424, -0.425_263_121_945_583_1_f64];
        assert_eq!(
            first,
            promised.map(f64::to_bits),
            "{:?}",
            first.iter().map(|&b| f64::from_bits(b)).collect::<Vec<_>>()
        );
    }
}
