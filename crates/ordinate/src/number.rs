//! Numbers in words: how a message shows one, and what a text that is no number may have meant.

/// A number with at most ten significant digits, as messages show times.
pub fn short(value: f64) -> String {
    let rounded = format!("{value:.9e}").parse().unwrap_or(value);
    let plain = rounded == 0.0 || (1e-4..1e10).contains(&f64::abs(rounded)) || !rounded.is_finite();
    if plain { format!("{rounded}") } else { format!("{rounded:e}") }
}

/// A complex number in the same way.
pub(crate) fn complex(re: f64, im: f64) -> String {
    match im {
        0.0 => short(re),
        im if im < 0.0 => format!("{} − {}i", short(re), short(-im)),
        im => format!("{} + {}i", short(re), short(im)),
    }
}

/// What a text that is no constant expression should have been; `None` where nothing can be guessed.
pub fn number_hint(text: &str) -> Option<String> {
    let text = text.trim();
    if let Some((whole, decimals)) = text.split_once(',')
        && whole.trim().parse::<f64>().is_ok()
        && decimals.chars().all(|c| c.is_ascii_digit())
    {
        return Some(format!("decimals are written with a point: {}.{decimals}", whole.trim()));
    }
    let unsigned = text.trim_start_matches(['+', '-']);
    let sign = if text.starts_with('-') { "-" } else { "" };
    if let Some((prefix, radix)) = [("0x", 16), ("0b", 2), ("0o", 8)]
        .into_iter()
        .find(|(prefix, _)| unsigned.get(..2).is_some_and(|start| start.eq_ignore_ascii_case(prefix)))
    {
        let value = u64::from_str_radix(&unsigned[prefix.len()..], radix).ok();
        return Some(match value {
            Some(value) => format!("numbers are decimal: {sign}{value}"),
            None => "numbers are decimal".into(),
        });
    }
    let end = number_end(text);
    let (number, rest) = (&text[..end], text[end..].trim());
    if number.parse::<f64>().is_ok_and(f64::is_infinite) {
        return Some("no number may be larger than 1.797e308".into());
    }
    if number.parse::<f64>().is_ok() && matches!(rest, "e" | "E" | "e+" | "E+" | "e-" | "E-") {
        return Some(format!("the exponent has no digits; write {number}{rest}3, for example"));
    }
    if number.parse::<f64>().is_err() || rest.is_empty() {
        return None;
    }
    if rest.starts_with("pi") || rest.starts_with('(') {
        return Some(format!("a product needs `*`: {number}*{rest}"));
    }
    rest.starts_with(|c: char| c.is_alphabetic() || c == '[').then(|| format!("leave the unit out: {number}"))
}

/// Where the number at the start of a text ends, its exponent included.
fn number_end(text: &str) -> usize {
    let digits = |from: usize, more: &str| {
        let rest = &text[from..];
        from + rest.find(|c: char| !(c.is_ascii_digit() || more.contains(c))).unwrap_or(rest.len())
    };
    let end = digits(0, ".+-");
    let Some(exponent) = text[end..].strip_prefix(['e', 'E']) else { return end };
    let from = end + 1 + usize::from(exponent.starts_with(['+', '-']));
    let all = digits(from, "");
    if all > from { all } else { end }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Who follows the advice gets the value that was written.
    #[test]
    fn advice_about_a_number_keeps_its_value() {
        let cases = [
            ("5s", "leave the unit out: 5"),
            ("1e3s", "leave the unit out: 1e3"),
            ("-2.5E-3 [m]", "leave the unit out: -2.5E-3"),
            ("0x10", "numbers are decimal: 16"),
            ("-0b11", "numbers are decimal: -3"),
            ("0xzz", "numbers are decimal"),
            ("1e400", "no number may be larger than 1.797e308"),
            ("1e", "the exponent has no digits; write 1e3, for example"),
            ("2pi", "a product needs `*`: 2*pi"),
        ];
        for (text, hint) in cases {
            assert_eq!(number_hint(text).as_deref(), Some(hint), "{text}");
        }
        assert_eq!(number_hint("k"), None);
    }

    #[test]
    fn a_time_in_a_message_has_no_noise() {
        let cases = [
            (0.269_999_999_999_999_96, "0.27"),
            (20.0, "20"),
            (std::f64::consts::PI, "3.141592654"),
            (0.0, "0"),
            (-1.5e-7, "-1.5e-7"),
            (1e12, "1e12"),
        ];
        for (value, text) in cases {
            assert_eq!(short(value), text);
        }
    }

    #[test]
    fn near_misses_of_numbers_are_understood() {
        let hint = |text: &str| number_hint(text).unwrap_or_default();
        assert!(hint("5,0").ends_with(" 5.0"), "{}", hint("5,0"));
        assert!(hint("5s").ends_with(" 5") && hint("5 [s]").ends_with(" 5"));
        assert!(hint("2pi").ends_with(" 2*pi"));
        assert_eq!(number_hint("omega"), None);
        assert_eq!(number_hint("5 +"), None);
    }
}
