//! Ticks at round values, with labels that hold no noise: a tick is an integer times a power of ten,
//! and its label is made from that integer. A large or small power of ten common to all labels is
//! taken out into a note at the end of the axis, as is a large constant.

/// A labelled place on an axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Tick {
    /// The value.
    pub value: f64,
    /// What is written beside it.
    pub label: String,
}

/// The ticks of one axis.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Ticks {
    /// In ascending order.
    pub major: Vec<Tick>,
    /// Places without a label, between the decades of a logarithmic axis.
    pub minor: Vec<f64>,
    /// What every label is to be multiplied by or added to, such as `×10⁻⁹`; often empty.
    pub note: String,
}

/// Tells whether neighbouring labels have room, given the labels and the least distance between two of
/// them as a fraction of the axis.
pub type Fits<'a> = &'a dyn Fn(&[Tick], f64) -> bool;

/// Labels are plain decimals while the largest value is in this range, and get a power of ten outside.
const PLAIN: std::ops::Range<f64> = 1e-3..1e5;

/// More digits than this in a label are taken out as a common constant.
const MOST_DIGITS: usize = 6;

/// What the steps of a linear axis may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Steps {
    /// 1, 2 or 5 times a power of ten.
    Decimal,
    /// The same, but whole numbers only.
    Whole,
    /// Parts of a right angle, where the range is as large as that.
    Degrees,
}

/// Ticks of a linear axis at multiples of a round step: the closest that fit.
pub fn linear(lo: f64, hi: f64, steps: Steps, fits: Fits) -> Ticks {
    let size = lo.abs().max(hi.abs());
    let span = hi / 2.0 - lo / 2.0;
    if !(size.is_finite() && span > 0.0) {
        return Ticks::default();
    }
    if steps == Steps::Degrees && (30.0..2000.0).contains(&span) {
        for step in [5, 15, 30, 45, 90, 180, 360] {
            let (ticks, gap) = multiples(lo, hi, step, 0);
            if ticks.major.len() >= 2 && fits(&ticks.major, gap) {
                return ticks;
            }
        }
    }
    // The first step tried makes at most two hundred ticks, more than any axis can show.
    let first = span.log10().floor() as i32 - 1;
    let mut last = Ticks::default();
    for exponent in first..first + 4 {
        if exponent > 308 || (steps == Steps::Whole && exponent < 0) {
            continue;
        }
        for mantissa in [1, 2, 5] {
            let (ticks, gap) = multiples(lo, hi, mantissa, exponent);
            // The step outgrew the range: the roundest single tick, if there is one.
            if ticks.major.len() < 2 && !last.major.is_empty() {
                return sparse(if ticks.major.is_empty() { last } else { ticks }, fits);
            }
            if fits(&ticks.major, gap) {
                return ticks;
            }
            last = ticks;
        }
    }
    sparse(last, fits)
}

/// Ticks of a logarithmic axis: powers of ten, or 1-2-5 steps where there are fewer than two of them.
pub fn logarithmic(lo: f64, hi: f64, fits: Fits) -> Ticks {
    let (a, b) = (lo.log10(), hi.log10());
    if !(a.is_finite() && b > a) {
        return Ticks::default();
    }
    let (first, last) = ((a - 1e-9).ceil() as i32, (b + 1e-9).floor() as i32);
    if last > first {
        return decades(first, last, (a, b), fits);
    }
    // The least distance of neighbours as it will be drawn.
    let gap = |ticks: &[Tick]| {
        let ratios = ticks.windows(2).map(|pair| (pair[1].value / pair[0].value).log10());
        ratios.fold(f64::INFINITY, f64::min) / (b - a)
    };
    for mantissas in [&[1, 2, 3, 4, 5, 6, 7, 8, 9][..], &[1, 2, 5], &[1, 3]] {
        let major: Vec<Tick> = (first - 1..=last + 1)
            .flat_map(|exponent| mantissas.iter().map(move |mantissa| tick(*mantissa, exponent)))
            .filter(|tick| (a - 1e-9..=b + 1e-9).contains(&tick.value.log10()))
            .collect();
        if major.len() >= 2 && fits(&major, gap(&major)) {
            return Ticks { major, ..Ticks::default() };
        }
    }
    // So narrow that it is almost linear to the eye.
    linear(lo, hi, Steps::Decimal, &|ticks: &[Tick], _: f64| fits(ticks, gap(ticks)))
}

/// The exponent as superscript digits: `-9` gives `⁻⁹`.
pub fn superscript(exponent: i32) -> String {
    let raised = |c| match c {
        '-' => '⁻',
        '0' => '⁰',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        '4' => '⁴',
        '5' => '⁵',
        '6' => '⁶',
        '7' => '⁷',
        '8' => '⁸',
        _ => '⁹',
    };
    exponent.to_string().chars().map(raised).collect()
}

/// `mantissa × 10^exponent`, correctly rounded, which a product with `powi` is not.
fn power(mantissa: f64, exponent: i32) -> f64 {
    format!("{mantissa}e{exponent}").parse().expect("a decimal number was just written")
}

/// All multiples of one step in the range, and the step as a fraction of the axis.
fn multiples(lo: f64, hi: f64, mantissa: i64, exponent: i32) -> (Ticks, f64) {
    let step = power(mantissa as f64, exponent);
    let gap = step / 2.0 / (hi / 2.0 - lo / 2.0);
    // The rounding of lo / step must not lose a tick at the end of the axis.
    let slack = 1e-9_f64.min(gap);
    let (first, last) = ((lo / step - slack).ceil(), (hi / step + slack).floor());
    if !(last - first < 5000.0 && first.abs().max(last.abs()) < 1e15) {
        return (Ticks::default(), gap);
    }
    let integers: Vec<i64> = (first as i64..=last as i64).map(|k| k * mantissa).collect();
    let (labels, note) = labels(&integers, exponent);
    let major = integers
        .iter()
        .zip(labels)
        .map(|(integer, label)| Tick { value: power(*integer as f64, exponent), label })
        .filter(|tick| tick.value.is_finite())
        .collect();
    (Ticks { major, minor: Vec::new(), note }, gap)
}

/// The middle tick alone if not even two have room, and none if that is too wide as well.
fn sparse(mut ticks: Ticks, fits: Fits) -> Ticks {
    if !ticks.major.is_empty() {
        ticks.major = vec![ticks.major.swap_remove(ticks.major.len() / 2)];
    }
    if fits(&ticks.major, 1.0) { ticks } else { Ticks::default() }
}

/// Labels of `integers × 10^exponent` and the note that goes with them.
fn labels(integers: &[i64], exponent: i32) -> (Vec<String>, String) {
    let largest = integers.iter().map(|k| k.abs()).max().unwrap_or(0);
    let spread = integers.last().unwrap_or(&0) - integers.first().unwrap_or(&0);
    let mut base = 0;
    if digits(largest) > MOST_DIGITS && digits(spread) + 2 < digits(largest) {
        let unit = 10_i64.pow(digits(spread) as u32);
        base = integers[0].div_euclid(unit) * unit;
    }
    let common = common_exponent(integers.iter().map(|k| (k - base).abs()).max().unwrap_or(0), exponent);
    let labels = integers.iter().map(|k| decimal(k - base, exponent - common)).collect();
    let mut note = String::new();
    if common != 0 {
        note = format!("×10{}", superscript(common));
    }
    if base != 0 {
        let sign = if base < 0 { "−" } else { "+" };
        let constant = scientific(base.abs(), exponent);
        note = if note.is_empty() { format!("{sign}{constant}") } else { format!("{note} {sign} {constant}") };
    }
    (labels, note)
}

/// The power of ten to take out of labels up to `largest × 10^exponent`: a multiple of three, or none.
fn common_exponent(largest: i64, exponent: i32) -> i32 {
    let size = power(largest as f64, exponent);
    if largest == 0 || PLAIN.contains(&size) { 0 } else { (magnitude(largest, exponent)).div_euclid(3) * 3 }
}

/// The decimal exponent of the leading digit.
fn magnitude(integer: i64, exponent: i32) -> i32 {
    digits(integer) as i32 - 1 + exponent
}

fn digits(integer: i64) -> usize {
    integer.unsigned_abs().to_string().len()
}

/// `integer × 10^exponent` written out, with `-exponent` decimals; zero is `0`.
fn decimal(integer: i64, exponent: i32) -> String {
    if integer == 0 {
        return "0".to_string();
    }
    let sign = if integer < 0 { "−" } else { "" };
    let figures = integer.unsigned_abs().to_string();
    if exponent >= 0 {
        return format!("{sign}{figures}{}", "0".repeat(exponent as usize));
    }
    let decimals = exponent.unsigned_abs() as usize;
    let figures = format!("{figures:0>width$}", width = decimals + 1);
    let (whole, fraction) = figures.split_at(figures.len() - decimals);
    format!("{sign}{whole}.{fraction}")
}

/// A positive `integer × 10^exponent` without trailing zeros, with a power of ten if it is large or small.
fn scientific(integer: i64, exponent: i32) -> String {
    let (mut integer, mut exponent) = (integer, exponent);
    while integer != 0 && integer % 10 == 0 {
        integer /= 10;
        exponent += 1;
    }
    let magnitude = magnitude(integer, exponent);
    if (-3..5).contains(&magnitude) {
        return decimal(integer, exponent);
    }
    let mantissa = decimal(integer, exponent - magnitude);
    format!("{mantissa}×10{}", superscript(magnitude))
}

fn tick(mantissa: i64, exponent: i32) -> Tick {
    Tick { value: power(mantissa as f64, exponent), label: scientific(mantissa, exponent) }
}

/// Every n-th power of ten for the smallest n that fits.
fn decades(first: i32, last: i32, (a, b): (f64, f64), fits: Fits) -> Ticks {
    let plain = first >= -3 && last <= 3;
    let label = |exponent: i32| match exponent {
        0 => "1".to_string(),
        1 => "10".to_string(),
        _ if plain => scientific(1, exponent),
        _ => format!("10{}", superscript(exponent)),
    };
    let mut ticks = Ticks::default();
    for stride in [1, 2, 3, 5, 10, 20, 50, 100, 200, 500] {
        let multiples = (first..=last).filter(|exponent| exponent % stride == 0).count();
        // Where only one multiple lies in the range, two ticks at any decades say more.
        let anchor = if multiples < 2 && last - first >= stride { last } else { 0 };
        ticks.major = (first..=last)
            .filter(|exponent| (exponent - anchor) % stride == 0)
            .map(|exponent| Tick { value: power(1.0, exponent), label: label(exponent) })
            .collect();
        if fits(&ticks.major, f64::from(stride) / (b - a)) {
            ticks.minor = minor(first, last, stride, (a, b));
            return ticks;
        }
    }
    sparse(ticks, fits)
}

/// 2 … 9 within every decade, or the decades between labelled ones, if they do not crowd.
fn minor(first: i32, last: i32, stride: i32, (a, b): (f64, f64)) -> Vec<f64> {
    let mut places = Vec::new();
    if stride == 1 && last - first <= 8 {
        for exponent in first - 1..=last {
            places.extend((2..10).map(|mantissa| power(f64::from(mantissa), exponent)));
        }
    } else if stride > 1 && last - first <= 40 {
        places.extend((first..=last).filter(|exponent| exponent % stride != 0).map(|exponent| power(1.0, exponent)));
    }
    places.retain(|value| (a..=b).contains(&value.log10()));
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Room for about `count` labels.
    fn room(count: f64) -> impl Fn(&[Tick], f64) -> bool {
        move |_, gap| gap >= 1.0 / count
    }

    fn texts(ticks: &Ticks) -> Vec<&str> {
        ticks.major.iter().map(|tick| tick.label.as_str()).collect()
    }

    #[test]
    fn labels_are_the_decimals_one_would_write() {
        let cases: [(f64, f64, &[&str], &str); 9] = [
            (0.0, 10.0, &["0", "2", "4", "6", "8", "10"], ""),
            (0.0, 0.5, &["0", "0.1", "0.2", "0.3", "0.4", "0.5"], ""),
            (-1.05, 1.05, &["−1.0", "−0.5", "0", "0.5", "1.0"], ""),
            (0.0, 5e-9, &["0", "1", "2", "3", "4", "5"], "×10⁻⁹"),
            (0.0, 2e-7, &["0", "50", "100", "150", "200"], "×10⁻⁹"),
            (0.0, 1e6, &["0", "0.2", "0.4", "0.6", "0.8", "1.0"], "×10⁶"),
            (99990.0, 99999.0, &["99990", "99992", "99994", "99996", "99998"], ""),
            (1.0, 1.0 + 1e-9, &["0", "0.2", "0.4", "0.6", "0.8", "1.0"], "×10⁻⁹ + 1"),
            (-3e300, 3e300, &["−3", "−2", "−1", "0", "1", "2", "3"], "×10³⁰⁰"),
        ];
        for (lo, hi, expected, note) in cases {
            let ticks = linear(lo, hi, Steps::Decimal, &room(6.0));
            assert_eq!((texts(&ticks), ticks.note.as_str()), (expected.to_vec(), note), "{lo} {hi}");
        }
    }

    #[test]
    fn ticks_lie_inside_are_evenly_spaced_and_have_distinct_labels() {
        for scale in [1e-280, 3.7e-9, 0.02, 1.0, 86_400.0, 6.02e23, 1e300] {
            for offset in [-1.0, -0.3, 0.0, 0.7, 5.0] {
                let (lo, hi) = (offset * scale, (offset + 1.3) * scale);
                let ticks = linear(lo, hi, Steps::Decimal, &room(8.0));
                let values: Vec<f64> = ticks.major.iter().map(|tick| tick.value).collect();
                assert!((3..=9).contains(&values.len()), "{lo} {hi} {values:?}");
                let slack = 1e-9 * (hi - lo);
                assert!(values.iter().all(|v| *v >= lo - slack && *v <= hi + slack));
                for three in values.windows(3) {
                    assert!((three[0] - 2.0 * three[1] + three[2]).abs() < 1e-9 * (hi - lo), "{three:?}");
                }
                let mut labels = texts(&ticks);
                labels.dedup();
                assert_eq!(labels.len(), values.len(), "{labels:?}");
                assert!(labels.iter().all(|label| label.chars().count() <= 8), "{labels:?}");
            }
        }
    }

    #[test]
    fn whole_ticks_are_never_fractions() {
        let ticks = linear(17.8, 20.2, Steps::Whole, &room(20.0));
        assert_eq!(texts(&ticks), ["18", "19", "20"]);
    }

    #[test]
    fn degrees_are_parts_of_a_right_angle() {
        let ticks = linear(-190.0, 10.0, Steps::Degrees, &room(6.0));
        assert_eq!(texts(&ticks), ["−180", "−135", "−90", "−45", "0"]);
        assert_eq!(texts(&linear(0.0, 10.0, Steps::Degrees, &room(3.0))), ["0", "5", "10"]);
    }

    #[test]
    fn a_short_axis_keeps_its_roundest_tick() {
        assert_eq!(texts(&linear(2.7, 3.3, Steps::Decimal, &room(2.0))), ["3.0"]);
    }

    #[test]
    fn decades_are_powers_of_ten_unless_short_decimals_do() {
        let ticks = logarithmic(1e-6, 1.0, &room(8.0));
        assert_eq!(texts(&ticks), ["10⁻⁶", "10⁻⁵", "10⁻⁴", "10⁻³", "10⁻²", "10⁻¹", "1"]);
        assert_eq!(texts(&logarithmic(0.05, 200.0, &room(8.0))), ["0.1", "1", "10", "100"]);
        assert_eq!(texts(&logarithmic(1e-300, 1e300, &room(8.0))).len(), 7);
        assert_eq!(texts(&logarithmic(1e-9, 0.1, &room(2.0))), ["10⁻⁶", "10⁻¹"]);
        assert_eq!(texts(&logarithmic(1.5, 8.0, &room(4.0))), ["2", "5"]);
        assert_eq!(texts(&logarithmic(1.01, 1.05, &room(5.0))), ["1.01", "1.02", "1.03", "1.04", "1.05"]);
    }

    #[test]
    fn an_axis_without_room_has_no_labels_that_would_overlap() {
        let never = |ticks: &[Tick], _: f64| ticks.is_empty();
        assert!(linear(0.0, 10.0, Steps::Decimal, &never).major.is_empty());
        assert!(logarithmic(1.0, 1e9, &never).major.is_empty());
    }
}
