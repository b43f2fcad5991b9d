//! Decimal digits of long numbers, rounded to as many as are wanted.

/// `1.23456e-3` with so many significant digits, written out where the point is near.
pub(crate) fn shorten(text: &str, digits: usize) -> String {
    let digits = digits.max(1);
    let (sign, text) = text.strip_prefix('-').map_or(("", text), |rest| ("-", rest));
    let (number, exponent) = text.split_once('e').unwrap_or((text, "0"));
    let exponent: i64 = exponent.parse().unwrap_or(0);
    let (before, behind) = number.split_once('.').unwrap_or((number, ""));
    let all: Vec<u8> = before.bytes().chain(behind.bytes()).map(|c| c.wrapping_sub(b'0')).collect();
    if all.iter().any(|digit| *digit > 9) {
        return format!("{sign}{text}");
    }
    let Some(first) = all.iter().position(|digit| *digit != 0) else { return "0".into() };
    // the number is 0.d₁d₂… · 10^point
    let mut point = exponent + before.len() as i64 - first as i64;
    let mut kept: Vec<u8> = all[first..].iter().copied().chain(std::iter::repeat(0)).take(digits).collect();
    if all.get(first + digits).is_some_and(|next| *next >= 5) {
        match kept.iter().rposition(|digit| *digit != 9) {
            Some(last) => {
                kept[last] += 1;
                kept[last + 1..].fill(0);
            }
            None => {
                kept.fill(0);
                kept[0] = 1;
                point += 1;
            }
        }
    }
    let text: String = kept.iter().map(|digit| char::from(digit + b'0')).collect();
    match point {
        -4..=0 => format!("{sign}0.{}{text}", "0".repeat(-point as usize)),
        1.. if (point as usize) < text.len() => {
            format!("{sign}{}.{}", &text[..point as usize], &text[point as usize..])
        }
        _ if text.len() == 1 => format!("{sign}{text}e{}", point - 1),
        _ => format!("{sign}{}.{}e{}", &text[..1], &text[1..], point - 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_rounded_and_written_where_the_point_is() {
        for (text, digits, expected) in [
            ("1.23456e-3", 3, "0.00123"),
            ("1.23456e-3", 5, "0.0012346"),
            ("-9.999e2", 3, "-1.00e3"),
            ("-9.999e2", 5, "-999.90"),
            ("9.99e-1", 2, "1.0"),
            ("1.5e20", 3, "1.50e20"),
            ("1.5e-20", 1, "2e-20"),
            ("0.0", 5, "0"),
        ] {
            assert_eq!(shorten(text, digits), expected, "{text} {digits}");
        }
    }
}
