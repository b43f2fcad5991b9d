//! Poles and weights as they are written on the command line.

use super::DesignError;
use ordinate_control::{Complex, Matrix};
use ordinate_model::constant;

fn wrong(option: &str, text: &str, why: &str) -> DesignError {
    DesignError::Usage(format!("`{option} \"{text}\"`: {why}"))
}

fn real(text: &str, lookup: &dyn Fn(&str) -> Option<f64>) -> Option<f64> {
    constant(text.trim(), lookup)
}

/// `-5+1i, -5-1i, -3`; a pole is a real number, `a+bi` or `a-bi`, and `a±bi` stands for both.
pub(super) fn poles(
    option: &str,
    text: &str,
    lookup: &dyn Fn(&str) -> Option<f64>,
) -> Result<Vec<Complex>, DesignError> {
    let mut all = Vec::new();
    for part in text.split([',', ';']).map(str::trim).filter(|part| !part.is_empty()) {
        let pair = part.contains('±') || part.contains("+-");
        let plain = part.replace("+-", "±").replace('±', "+");
        let found = complex(&plain, lookup).ok_or_else(|| {
            wrong(option, text, &format!("`{part}` is not a pole; write -3, or -5+1i and its conjugate -5-1i"))
        })?;
        all.push(found);
        if pair {
            all.push(Complex::new(found.re, -found.im));
        }
    }
    if all.is_empty() { Err(wrong(option, text, "there is no pole in it")) } else { Ok(all) }
}

fn complex(text: &str, lookup: &dyn Fn(&str) -> Option<f64>) -> Option<Complex> {
    if let Some(value) = real(text, lookup) {
        return Some(Complex::new(value, 0.0));
    }
    let body = text.strip_suffix(['i', 'j'])?.trim_end().trim_end_matches('*');
    // the sign that separates the parts is the last one that is not that of an exponent
    let bytes = body.as_bytes();
    let split = (1..bytes.len()).rev().find(|&k| {
        (bytes[k] == b'+' || bytes[k] == b'-')
            && !matches!(bytes[k - 1], b'e' | b'E' | b'*' | b'/' | b'(' | b'+' | b'-')
    });
    let (re, im) = split.map_or(("0", body), |at| (&body[..at], &body[at..]));
    let im = match im.trim() {
        "" | "+" => 1.0,
        "-" => -1.0,
        im => real(im.strip_prefix('+').unwrap_or(im), lookup)?,
    };
    Some(Complex::new(real(re, lookup)?, im))
}

/// A weight: one number for each (`15,2`), one for all (`1`), or a matrix (`[[15, 0], [0, 2]]`, `15,0;0,2`). The names say
/// whose they are.
pub(super) fn weight(
    option: &str,
    text: &str,
    names: &[String],
    lookup: &dyn Fn(&str) -> Option<f64>,
) -> Result<Matrix, DesignError> {
    let n = names.len();
    let bare = text.trim();
    let inner = bare.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(bare).trim();
    let rows: Vec<&str> = match inner.starts_with('[') {
        true => inner.split(']').map(|row| row.trim().trim_start_matches(',').trim().trim_start_matches('[')).collect(),
        false => inner.split(';').collect(),
    };
    let mut matrix: Vec<Vec<f64>> = Vec::new();
    for row in rows.iter().map(|row| row.trim()).filter(|row| !row.is_empty()) {
        let mut values = Vec::new();
        for part in row.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let value = real(part, lookup).ok_or_else(|| wrong(option, text, &format!("`{part}` is not a number")))?;
            values.push(value);
        }
        matrix.push(values);
    }
    match matrix.as_slice() {
        [] => Err(wrong(option, text, &format!("there is no weight in it; give one for each of {}", names.join(", ")))),
        [diagonal] if diagonal.len() == n => Ok(Matrix::diagonal(diagonal)),
        [one] if one.len() == 1 => Ok(Matrix::diagonal(&vec![one[0]; n])),
        [list] => {
            let (count, all) = (list.len(), names.join(", "));
            Err(wrong(option, text, &format!("{count} weights for {n}: one for each of {all}, in this order")))
        }
        rows if rows.len() == n && rows.iter().all(|row| row.len() == n) => {
            Ok(Matrix::from_elements(n, n, rows.concat()))
        }
        rows => {
            let widest = rows.iter().map(Vec::len).max().unwrap_or(0);
            Err(wrong(option, text, &format!("{} rows of {widest} numbers; the matrix is {n} × {n}", rows.len())))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn none(_: &str) -> Option<f64> {
        None
    }

    #[test]
    fn poles_are_read_as_people_write_them() {
        let all = |text: &str| poles("--poles", text, &none).unwrap().iter().map(|p| (p.re, p.im)).collect::<Vec<_>>();
        assert_eq!(all("-5+1i,-5-1i"), [(-5.0, 1.0), (-5.0, -1.0)]);
        assert_eq!(all("-5+i, -5 - 1j"), [(-5.0, 1.0), (-5.0, -1.0)]);
        assert_eq!(all("-5+-2i; -3"), [(-5.0, 2.0), (-5.0, -2.0), (-3.0, 0.0)]);
        assert_eq!(all("-1e-3+2e-1i"), [(-1e-3, 0.2)]);
        assert_eq!(all("-2*pi, 3i"), [(-2.0 * std::f64::consts::PI, 0.0), (0.0, 3.0)]);
        assert!(poles("--poles", "-5+", &none).is_err());
        assert!(poles("--poles", " , ", &none).is_err());
    }

    #[test]
    fn weights_are_diagonals_or_matrices() {
        let names = ["omega".to_string(), "i".to_string()];
        let read = |text: &str| weight("--q", text, &names, &none).map(|m| m.elements().to_vec());
        assert_eq!(read("15,2").unwrap(), [15.0, 0.0, 0.0, 2.0]);
        assert_eq!(read("3").unwrap(), [3.0, 0.0, 0.0, 3.0]);
        assert_eq!(read("[[15, 1], [1, 2]]").unwrap(), [15.0, 1.0, 1.0, 2.0]);
        assert_eq!(read("15,1; 1,2").unwrap(), [15.0, 1.0, 1.0, 2.0]);
        for text in ["1,2,3", "[[1,2],[3]]", "a,b", ""] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
