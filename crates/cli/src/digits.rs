//! `--digits` and `--precision`: what they exclude, and what a result file says about them.

use crate::args::RunArgs;
use crate::{Exit, usage};
use ordinate::RunOptions;

/// Refuses tolerances beside digits: those are what tolerances follow from.
pub fn check(args: &RunArgs) -> Result<(), Exit> {
    let option = match (args.digits, args.precision) {
        (Some(_), _) => "--digits",
        (None, Some(_)) => "--precision",
        (None, None) => return Ok(()),
    };
    if args.rtol != 1e-6 || args.atol != 1e-9 {
        return Err(usage(&format!("leave out `--rtol` and `--atol`: with `{option}` the tolerances follow")));
    }
    if args.newton.trace.is_some() {
        return Err(usage(&format!("`--trace newton` cannot be combined with `{option}`")));
    }
    Ok(())
}

/// What stands in a result file instead of tolerances.
pub fn comment(options: &RunOptions) -> Option<String> {
    let digits = options.digits.map(|digits| format!("digits {digits}"));
    digits.or(options.precision.map(|digits| format!("precision {digits}")))
}
