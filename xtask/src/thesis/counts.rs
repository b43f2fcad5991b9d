//! Figures 3.1–3.4: the multiplications that a term of a product of several series needs, one by one and with partial
//! products kept; the latter from the counter of the program itself.

use crate::target;
use std::fmt::Write;
use std::process::Command;

/// Terms in the table, as in the thesis.
const TERMS: usize = 12;

/// The table of all counts.
pub fn section() -> Result<String, String> {
    let mut out = String::from(
        "## Figures 3.1–3.4: multiplications per term\n\nOf products of two to five series: with all index tuples one by one, and as \
         Ordinate computes them, every partial product once (`--emit program`). The growth is polynomial, not exponential.\n\n\
         | term |",
    );
    let ok = "a string takes all text";
    let factors = 2..=5;
    for k in factors.clone() {
        write!(out, " {k} factors, tuples | kept |").expect(ok);
    }
    out.push_str("\n|---|---|---|---|---|---|---|---|---|\n");
    let kept: Vec<Vec<u64>> = factors.clone().map(counted).collect::<Result<_, _>>()?;
    for n in 1..=TERMS {
        write!(out, "| {n} |").expect(ok);
        for (k, kept) in factors.clone().zip(&kept) {
            let tuples = binomial(n + k - 2, k - 1) * (k as u64 - 1);
            write!(out, " {tuples} | {} |", kept[n - 1]).expect(ok);
        }
        out.push('\n');
    }
    out.push('\n');
    Ok(out)
}

fn binomial(n: usize, k: usize) -> u64 {
    (1..=k as u64).fold(1, |product, i| product * (n as u64 - k as u64 + i) / i)
}

/// What the program counts for a product of so many states.
fn counted(factors: usize) -> Result<Vec<u64>, String> {
    let names: Vec<String> = (1..=factors).map(|i| format!("x{i}")).collect();
    let states: Vec<String> = names.iter().map(|name| format!("{name}' = 1; init {name} = 1")).collect();
    let model = format!("y' = {}; init y = 0; {}", names.join("*"), states.join("; "));
    let binary = target().join("release/ordinate");
    let out = Command::new(binary).args(["run", "-e", &model, "-t", "1", "--emit", "program"]).output();
    let text = out.map(|o| String::from_utf8_lossy(&o.stdout).into_owned()).map_err(|e| e.to_string())?;
    let line = text.lines().find_map(|line| line.trim().strip_prefix("multiplications for terms"));
    let numbers = line.and_then(|line| line.split_once(": ")).ok_or("the program does not print its counts")?.1;
    Ok(numbers.split(", ").filter_map(|number| number.parse().ok()).take(TERMS).collect())
}

#[cfg(test)]
mod tests {
    use super::binomial;

    /// Tables 3.1, 3.2, D.1 and D.3: 1, 3, 6, 10, … tuples of three factors, 1, 4, 10, 20, … of four.
    #[test]
    fn tuples_are_those_of_the_tables() {
        let tuples = |k: usize| [1, 2, 3, 4].map(|n| binomial(n + k - 2, k - 1));
        assert_eq!([tuples(2), tuples(3), tuples(4)], [[1, 2, 3, 4], [1, 3, 6, 10], [1, 4, 10, 20]]);
    }
}
