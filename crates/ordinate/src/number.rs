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
    let end = text.find(|c: char| !(c.is_ascii_digit() || ".+-".contains(c))).unwrap_or(text.len());
    let (number, rest) = (&text[..end], text[end..].trim());
    if number.parse::<f64>().is_err() || rest.is_empty() {
        return None;
    }
    if rest.starts_with("pi") || rest.starts_with('(') {
        return Some(format!("a product needs `*`: {number}*{rest}"));
    }
    rest.starts_with(|c: char| c.is_alphabetic() || c == '[').then(|| format!("leave the unit out: {number}"))
}

#[cfg(test)]
mod tests {
    use super::*;

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
