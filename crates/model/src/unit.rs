//! Units: products of powers of the seven base units and a factor. Two units fit when both agree:
//! a millimetre does not fit a metre, since nothing converts the number.

use std::fmt;

/// A unit as exponents of m, kg, s, A, K, mol, cd (in sixths, so that roots stay exact) and a factor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Unit {
    powers: [i16; 7],
    factor: f64,
}

const BASE: [&str; 7] = ["m", "kg", "s", "A", "K", "mol", "cd"];

/// Exponents are counted in sixths.
const PARTS: i16 = 6;

/// name, exponents of m kg s A K mol cd, factor, whether prefixes are allowed
#[rustfmt::skip]
const NAMED: &[(&str, [i16; 7], f64, bool)] = &[
    ("m",   [1, 0, 0, 0, 0, 0, 0], 1.0, true),   ("g",   [0, 1, 0, 0, 0, 0, 0], 1e-3, true),
    ("s",   [0, 0, 1, 0, 0, 0, 0], 1.0, true),   ("A",   [0, 0, 0, 1, 0, 0, 0], 1.0, true),
    ("K",   [0, 0, 0, 0, 1, 0, 0], 1.0, true),   ("mol", [0, 0, 0, 0, 0, 1, 0], 1.0, true),
    ("cd",  [0, 0, 0, 0, 0, 0, 1], 1.0, true),   ("rad", [0; 7], 1.0, true),
    ("sr",  [0; 7], 1.0, false),                 ("1",   [0; 7], 1.0, false),
    ("-",   [0; 7], 1.0, false),                 ("%",   [0; 7], 0.01, false),
    ("deg", [0; 7], std::f64::consts::PI / 180.0, false), ("°", [0; 7], std::f64::consts::PI / 180.0, false),
    ("Hz",  [0, 0, -1, 0, 0, 0, 0], 1.0, true),  ("N",   [1, 1, -2, 0, 0, 0, 0], 1.0, true),
    ("Pa",  [-1, 1, -2, 0, 0, 0, 0], 1.0, true), ("J",   [2, 1, -2, 0, 0, 0, 0], 1.0, true),
    ("W",   [2, 1, -3, 0, 0, 0, 0], 1.0, true),  ("C",   [0, 0, 1, 1, 0, 0, 0], 1.0, true),
    ("V",   [2, 1, -3, -1, 0, 0, 0], 1.0, true), ("F",   [-2, -1, 4, 2, 0, 0, 0], 1.0, true),
    ("Ohm", [2, 1, -3, -2, 0, 0, 0], 1.0, true), ("ohm", [2, 1, -3, -2, 0, 0, 0], 1.0, true),
    ("Ω",   [2, 1, -3, -2, 0, 0, 0], 1.0, true), ("S",   [-2, -1, 3, 2, 0, 0, 0], 1.0, true),
    ("Wb",  [2, 1, -2, -1, 0, 0, 0], 1.0, true), ("T",   [0, 1, -2, -1, 0, 0, 0], 1.0, true),
    ("H",   [2, 1, -2, -2, 0, 0, 0], 1.0, true), ("Bq",  [0, 0, -1, 0, 0, 0, 0], 1.0, true),
    ("eV",  [2, 1, -2, 0, 0, 0, 0], 1.602176634e-19, true), ("bar", [-1, 1, -2, 0, 0, 0, 0], 1e5, true),
    ("L",   [3, 0, 0, 0, 0, 0, 0], 1e-3, true),  ("l",   [3, 0, 0, 0, 0, 0, 0], 1e-3, true),
    ("min", [0, 0, 1, 0, 0, 0, 0], 60.0, false), ("h",   [0, 0, 1, 0, 0, 0, 0], 3600.0, false),
    ("day", [0, 0, 1, 0, 0, 0, 0], 86400.0, false), ("d", [0, 0, 1, 0, 0, 0, 0], 86400.0, false),
    ("year", [0, 0, 1, 0, 0, 0, 0], 31557600.0, false), ("AU", [1, 0, 0, 0, 0, 0, 0], 149597870700.0, false),
    ("au",  [1, 0, 0, 0, 0, 0, 0], 149597870700.0, false), ("rpm", [0, 0, -1, 0, 0, 0, 0], std::f64::consts::PI / 30.0, false),
];

const PREFIXES: &[(&str, f64)] = &[
    ("da", 1e1),
    ("f", 1e-15),
    ("p", 1e-12),
    ("n", 1e-9),
    ("u", 1e-6),
    ("µ", 1e-6),
    ("μ", 1e-6),
    ("m", 1e-3),
    ("c", 1e-2),
    ("d", 1e-1),
    ("h", 1e2),
    ("k", 1e3),
    ("M", 1e6),
    ("G", 1e9),
    ("T", 1e12),
];

impl Unit {
    /// No unit: a pure number.
    pub const ONE: Unit = Unit { powers: [0; 7], factor: 1.0 };
    /// The unit of t.
    pub const SECOND: Unit = Unit { powers: [0, 0, PARTS, 0, 0, 0, 0], factor: 1.0 };

    /// Reads `kg*m/s^2`, `N·m`, `1/s`, `rad/s`, `m^0.5`, `J/(kg*K)`. The error names the part that is not understood.
    pub fn parse(text: &str) -> Result<Unit, String> {
        let text = &plain_exponents(text);
        let mut unit = Unit::ONE;
        let mut rest = text.trim();
        let mut sign = 1;
        if rest.is_empty() {
            return Err("a unit is missing between the brackets".into());
        }
        loop {
            rest = rest.trim_start();
            let factor;
            if let Some(inner) = rest.strip_prefix('(') {
                let close = matching_bracket(inner).ok_or("a `)` is missing")?;
                factor = Unit::parse(&inner[..close])?;
                rest = &inner[close + 1..];
            } else {
                let end = rest.find(|c: char| "*/·^() ".contains(c)).unwrap_or(rest.len());
                let (name, after) = rest.split_at(end);
                factor = Unit::named(name).ok_or_else(|| format!("`{name}` is not a unit known here"))?;
                rest = after;
            }
            let mut exponent = PARTS * sign;
            rest = rest.trim_start();
            if let Some(after) = rest.strip_prefix('^') {
                let after = after.trim_start();
                let end = after.find(|c: char| !"+-.0123456789".contains(c)).unwrap_or(after.len());
                let (number, tail) = after.split_at(end);
                let value: f64 =
                    number.parse().map_err(|_| format!("the exponent after `^` in `{text}` is not a number"))?;
                let sixths = value * f64::from(PARTS);
                if sixths.abs() > 200.0 || sixths.fract() != 0.0 {
                    return Err(format!("the exponent {number} is too large or not a simple fraction"));
                }
                exponent = sixths as i16 * sign;
                rest = tail.trim_start();
            }
            unit = unit.times(factor.power(f64::from(exponent) / f64::from(PARTS)));
            match rest.chars().next() {
                None => return Ok(unit),
                Some('*' | '·') => sign = 1,
                Some('/') => sign = -1,
                Some(other) => return Err(format!("`{other}` is not expected in a unit; write `kg*m/s^2`")),
            }
            rest = &rest[rest.chars().next().map_or(0, char::len_utf8)..];
        }
    }

    fn named(name: &str) -> Option<Unit> {
        let exact = NAMED.iter().find(|(known, ..)| *known == name);
        let scaled = || {
            PREFIXES.iter().find_map(|&(prefix, scale)| {
                let rest = name.strip_prefix(prefix)?;
                NAMED.iter().find(|(known, .., prefixed)| *prefixed && *known == rest).map(|entry| (entry, scale))
            })
        };
        let (&(_, powers, factor, _), scale) = exact.map(|entry| (entry, 1.0)).or_else(scaled)?;
        // kg is a base unit: keep its factor exactly one
        let factor = if name == "kg" { 1.0 } else { factor * scale };
        Some(Unit { powers: powers.map(|p| p * PARTS), factor })
    }

    /// Product.
    pub fn times(self, other: Unit) -> Unit {
        let mut powers = self.powers;
        powers.iter_mut().zip(other.powers).for_each(|(p, q)| *p = p.saturating_add(q));
        Unit { powers, factor: self.factor * other.factor }
    }

    /// Quotient.
    pub fn over(self, other: Unit) -> Unit {
        self.times(other.power(-1.0))
    }

    /// Power.
    pub fn power(self, exponent: f64) -> Unit {
        let powers = self.powers.map(|p| (f64::from(p) * exponent).round().clamp(-3e4, 3e4) as i16);
        Unit { powers, factor: self.factor.powf(exponent) }
    }

    /// The unit of a derivative with respect to time.
    pub fn per_time(self, primes: u32) -> Unit {
        self.over(Unit::SECOND.power(f64::from(primes)))
    }

    /// How many of the other unit make one of this, where they measure the same.
    pub fn in_terms_of(self, other: Unit) -> Option<f64> {
        (self.powers == other.powers).then_some(self.factor / other.factor)
    }

    /// Whether numbers in the two units may be added and compared.
    pub fn fits(self, other: Unit) -> bool {
        self.powers == other.powers && (self.factor / other.factor - 1.0).abs() < 1e-9
    }
}

/// `s²` and `s⁻¹` as `s^2` and `s^-1`.
fn plain_exponents(text: &str) -> String {
    const RAISED: [(char, char); 11] = [
        ('⁰', '0'),
        ('¹', '1'),
        ('²', '2'),
        ('³', '3'),
        ('⁴', '4'),
        ('⁵', '5'),
        ('⁶', '6'),
        ('⁷', '7'),
        ('⁸', '8'),
        ('⁹', '9'),
        ('⁻', '-'),
    ];
    let mut plain = String::with_capacity(text.len());
    let mut raised = false;
    for c in text.chars() {
        let below = RAISED.iter().find(|(above, _)| *above == c).map(|&(_, below)| below);
        if below.is_some() && !raised {
            plain.push('^');
        }
        raised = below.is_some();
        plain.push(below.unwrap_or(c));
    }
    plain
}

/// What is probably meant by the name of a unit that is not known.
pub(crate) fn meant(name: &str) -> Option<String> {
    let lower = name.to_lowercase();
    let word = match lower.trim_end_matches('s') {
        "meter" | "metre" => "m",
        "sec" | "second" => "s",
        "minute" => "min",
        "hour" | "hr" => "h",
        "degree" => "deg",
        "radian" => "rad",
        "kelvin" => "K",
        "newton" => "N",
        "joule" => "J",
        "watt" => "W",
        "volt" => "V",
        "amp" | "ampere" => "A",
        "ohm" => "Ohm",
        "gram" => "g",
        "kilogram" => "kg",
        "pascal" => "Pa",
        "hertz" => "Hz",
        "°c" | "degc" | "celsiu" | "grad" => "K",
        _ => "",
    };
    if word == "K" && lower != "kelvin" {
        return Some("write `K`, and add 273.15 to a temperature in °C".into());
    }
    let letters = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let known = |part: &str| Unit::named(part).is_some();
    let cased =
        || NAMED.iter().map(|entry| entry.0).chain(["kg", "km", "mm", "cm", "ms"]).find(|u| u.to_lowercase() == lower);
    let split = || {
        let mut places = name.char_indices().skip(1).map(|(at, _)| name.split_at(at));
        places.find(|(a, b)| known(a) && known(b)).map(|(a, b)| format!("{a}*{b}"))
    };
    let meant = if !word.is_empty() {
        word.to_string()
    } else if letters.len() < name.len() && known(letters) {
        format!("{letters}^{}", &name[letters.len()..])
    } else if name.split('.').count() > 1 && name.split('.').all(known) {
        name.replace('.', "*")
    } else if let Some(cased) = cased() {
        cased.to_string()
    } else {
        split()?
    };
    Some(format!("write `{meant}`"))
}

/// Four digits are enough to recognise a factor.
pub(crate) fn shortened(factor: f64) -> String {
    format!("{factor:.3e}").parse::<f64>().map_or_else(|_| factor.to_string(), |short| short.to_string())
}

fn matching_bracket(text: &str) -> Option<usize> {
    let mut depth = 1;
    for (at, c) in text.char_indices() {
        depth += i32::from(c == '(') - i32::from(c == ')');
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let short = ["N", "J", "W", "Pa", "V", "Ohm", "F", "H", "T", "Wb", "C"];
        let factor =
            if (self.factor - 1.0).abs() < 1e-12 { String::new() } else { format!("{} ", shortened(self.factor)) };
        for below in ["", "/s"] {
            let same = |name: &&&str| {
                let unit = Unit::named(name).map(|unit| if below.is_empty() { unit } else { unit.over(Unit::SECOND) });
                unit.is_some_and(|unit| unit.powers == self.powers)
            };
            // C/s is an ampere
            if let Some(name) = short.iter().filter(|name| below.is_empty() || **name != "C").find(same) {
                return write!(f, "{factor}{name}{below}");
            }
        }
        let part = |positive: bool| -> String {
            let mut terms = Vec::new();
            // kilogram first, as it is usually written
            for k in [1, 0, 2, 3, 4, 5, 6] {
                let (name, power) = (BASE[k], self.powers[k]);
                if power != 0 && (power > 0) == positive {
                    let exponent = f64::from(power.abs()) / f64::from(PARTS);
                    terms.push(if exponent == 1.0 { name.to_string() } else { format!("{name}^{exponent}") });
                }
            }
            terms.join("*")
        };
        let (above, below) = (part(true), part(false));
        match (above.is_empty(), below.is_empty()) {
            (true, true) => write!(f, "{factor}1"),
            (false, true) => write!(f, "{factor}{above}"),
            (true, false) if !below.contains('*') => write!(f, "{factor}1/{below}"),
            (true, false) => write!(f, "{factor}1/({below})"),
            (false, false) if !below.contains('*') => write!(f, "{factor}{above}/{below}"),
            (false, false) => write!(f, "{factor}{above}/({below})"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn different_ways_of_writing_one_unit_fit() {
        for (a, b) in [
            ("N", "kg*m/s^2"),
            ("J", "N*m"),
            ("V", "J/C"),
            ("Ohm", "V/A"),
            ("H", "V*s/A"),
            ("F", "C/V"),
            ("T", "V*s/m^2"),
            ("rad/s", "1/s"),
            ("Hz", "1/s"),
            ("kg", "kg"),
            ("J/(kg*K)", "m^2/s^2/K"),
            ("ms", "ms"),
            ("m/s²", "m/s^2"),
            ("kg·s⁻¹", "kg/s"),
        ] {
            assert!(Unit::parse(a).unwrap().fits(Unit::parse(b).unwrap()), "{a} {b}");
        }
        assert!(!Unit::parse("mm").unwrap().fits(Unit::parse("m").unwrap()));
        assert!(!Unit::parse("deg").unwrap().fits(Unit::ONE));
    }

    #[test]
    fn units_print_in_their_usual_names() {
        for text in ["N", "m/s^2", "kg*m^2", "1/s", "V", "1", "m^0.5", "kg/(m*s)", "V/s"] {
            assert_eq!(Unit::parse(text).unwrap().to_string(), text);
        }
    }

    #[test]
    fn a_unit_of_another_spelling_is_recognised() {
        for (name, words) in [
            ("s2", "`s^2`"),
            ("Kg", "`kg`"),
            ("Nm", "`N*m`"),
            ("N.m", "`N*m`"),
            ("meters", "`m`"),
            ("sec", "`s`"),
            ("degree", "`deg`"),
            ("°C", "273.15"),
            ("ohms", "`Ohm`"),
            ("Volt", "`V`"),
        ] {
            assert!(Unit::parse(name).is_err(), "{name}");
            assert!(meant(name).is_some_and(|help| help.contains(words)), "{name}: {:?}", meant(name));
        }
        assert_eq!(meant("furlong"), None);
    }

    #[test]
    fn nonsense_is_named() {
        for text in ["", "kgg", "m/", "m^x", "m s", "(m", "furlong"] {
            assert!(Unit::parse(text).is_err(), "{text}");
        }
    }
}
