//! `--realtime` and what belongs to it.

use crate::args::{Overrun, RealTimeArgs};
use crate::{Exit, usage};
use ordinate::{OnOverrun, Privileges, RealTime};

/// The options of a run against the clock.
pub fn how(args: &RealTimeArgs) -> Result<RealTime, Exit> {
    let rate = match &args.rate {
        None => RealTime::default().rate,
        Some(text) => rate(text).ok_or_else(|| {
            usage(&format!("`--rate {text}` must be a number of samples per second, such as 500, 50Hz or 1kHz"))
        })?,
    };
    if args.substeps == 0 {
        return Err(usage("`--substeps` must be at least 1"));
    }
    Ok(RealTime {
        rate,
        substeps: args.substeps,
        dry: args.dry,
        on_overrun: match args.on_overrun {
            Overrun::Warn => OnOverrun::Warn,
            Overrun::Skip => OnOverrun::Skip,
            Overrun::Stop => OnOverrun::Stop,
        },
        privileges: Privileges { cpu: args.cpu, fifo: args.fifo },
    })
}

/// `500`, `50Hz`, `1kHz`, `0.1 MHz`
fn rate(text: &str) -> Option<f64> {
    let lower = text.trim().to_ascii_lowercase();
    let (number, factor) = match lower.strip_suffix("hz").map(str::trim_end) {
        None => (lower.as_str(), 1.0),
        Some(rest) => match (rest.strip_suffix('k'), rest.strip_suffix('m')) {
            (Some(number), _) => (number, 1e3),
            (_, Some(number)) => (number, 1e6),
            (None, None) => (rest, 1.0),
        },
    };
    let rate = number.trim().parse::<f64>().ok()? * factor;
    (rate > 0.0 && rate.is_finite()).then_some(rate)
}

#[cfg(test)]
mod tests {
    use super::rate;

    #[test]
    fn rates_may_have_units() {
        let all = [("500", 500.0), ("50Hz", 50.0), ("1kHz", 1000.0), ("2 khz", 2000.0), ("0.1 MHz", 1e5)];
        for (text, value) in all {
            assert_eq!(rate(text), Some(value), "{text}");
        }
        for text in ["", "fast", "-1", "0", "1 kV", "inf", "Hz"] {
            assert_eq!(rate(text), None, "{text}");
        }
    }
}
