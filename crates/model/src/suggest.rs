//! `did you mean …`: the closest of the known names.

use std::cmp::Reverse;

/// The candidate that is closest to a misspelt name, if one is close enough to be meant.
pub fn closest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let length = name.chars().count();
    let limit = match length {
        0..=1 => 0,
        2..=4 => 1,
        5..=7 => 2,
        _ => 3,
    };
    // Of two that are equally far away, the one that differs by a doubled letter is meant, then the one that begins
    // like the name: `sinn` is `sin`, not `sign`.
    let once = |name: &str| {
        let mut letters: Vec<char> = name.chars().collect();
        letters.dedup();
        letters
    };
    let start = |candidate: &str| name.chars().zip(candidate.chars()).take_while(|(a, b)| a == b).count();
    let mut best = None;
    for candidate in candidates {
        let same_but_case = look_alike(name, candidate);
        // An abbreviation or a forgotten index (`omega` for `omega0`) counts as one step.
        let prefix =
            length >= 2 && (candidate.starts_with(name) || name.starts_with(candidate)) && !candidate.is_empty();
        let near = candidate.chars().count().abs_diff(length) <= 2;
        // The same letters in another case are meant before anything that is one letter away.
        let d = if same_but_case {
            0
        } else if prefix && near {
            1
        } else {
            distance(name, candidate)
        };
        let allowed = if same_but_case { 1 } else { limit };
        if d <= allowed && candidate != name {
            let rank = (d, once(name) != once(candidate), Reverse(start(candidate)));
            if best.is_none_or(|(least, _)| rank < least) {
                best = Some((rank, candidate));
            }
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// So many names are listed.
const LISTED: usize = 12;

/// The end of a sentence about a name that does not exist: the name that was meant, all names where they are few, otherwise the
/// nearest ones.
pub fn instead<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    let mut all: Vec<&str> = candidates.into_iter().collect();
    if let Some(meant) = closest(name, all.iter().copied()) {
        return format!("did you mean `{meant}`?");
    }
    let count = all.len();
    match count {
        0 => "there is none".into(),
        1..=LISTED => format!("there are {}", all.join(", ")),
        _ => {
            all.sort_by_cached_key(|candidate| distance(name, candidate));
            format!("the nearest of {count} names are {}", all[..LISTED].join(", "))
        }
    }
}

/// Whether two names differ only in case or in letters that look the same.
pub(crate) fn look_alike(a: &str, b: &str) -> bool {
    let plain = |name: &str| -> String {
        let lower = name.to_lowercase();
        lower
            .chars()
            .map(|c| match c {
                'ϕ' => 'φ',
                'ϵ' => 'ε',
                'ϑ' => 'θ',
                'ϱ' => 'ρ',
                'ς' => 'σ',
                'ϰ' => 'κ',
                'ϖ' => 'π',
                '∆' => 'δ',
                _ => c,
            })
            .collect()
    };
    plain(a) == plain(b)
}

/// Number of single-character edits, an exchange of neighbours counting as one
/// (optimal string alignment, Damerau 1964).
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let change = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut d = change.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                d = d.min(before[j - 2] + 1);
            }
            row.push(d);
        }
        before = last;
        last = row;
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_many_names_only_the_nearest_are_told() {
        let many: Vec<String> = (0..10_000).map(|k| format!("T[{},{}]", k / 100, k % 100)).collect();
        let told = instead("pressure", many.iter().map(String::as_str));
        assert!(told.starts_with("the nearest of 10000 names are ") && told.len() < 200, "{told}");
        assert_eq!(instead("T[3,101]", many.iter().map(String::as_str)), "did you mean `T[3,10]`?");
        assert_eq!(instead("q", ["x", "y"]), "there are x, y");
    }

    #[test]
    fn a_slip_of_the_finger_finds_its_name() {
        let known = ["omega0", "chi", "phi", "k", "gravity", "M"];
        for (typed, meant) in [
            ("omega", "omega0"),
            ("omgea0", "omega0"),
            ("hpi", "phi"),
            ("gravty", "gravity"),
            ("m", "M"),
            ("Phi", "phi"),
        ] {
            assert_eq!(closest(typed, known), Some(meant), "{typed}");
        }
        assert_eq!(closest("Sin", ["min", "sin"]), Some("sin"));
        assert_eq!(closest("sinn", ["asin", "sign", "sin", "sinh"]), Some("sin"));
        assert_eq!(closest("coss", ["cos", "cosh"]), Some("cos"));
        assert_eq!(closest("φ", ["x", "ϕ"]), Some("ϕ"));
        assert_eq!(closest("x", known), None);
        assert_eq!(closest("temperature", known), None);
    }
}
