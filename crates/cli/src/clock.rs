//! `--realtime` and what belongs to it.

use crate::args::{Overrun, RealTimeArgs};
use crate::{Exit, usage};
use ordinate::{OnOverrun, Privileges, RealTime};

/// The options of a run against the clock.
pub fn how(args: &RealTimeArgs) -> Result<RealTime, Exit> {
    let rate = match &args.rate {
        None => RealTime::default().rate,
        Some(text) => rate(text).ok_or_else(|| {
            let unclear = ["mhz", "MHZ"].iter().any(|unit| text.trim().ends_with(unit));
            let hint = if unclear { "; a million is written MHz, a thousandth mHz" } else { "" };
            usage(&format!("`--rate {text}` must be a positive frequency, the number of samples per second, such as 500, 50Hz or 1kHz{hint}"))
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

/// `500`, `50Hz`, `1kHz`, `0.1 MHz`, `2 mHz`. As everywhere, m is a thousandth and M a million.
fn rate(text: &str) -> Option<f64> {
    let text = text.trim();
    let unit = text.trim_start_matches(|c: char| !c.is_ascii_alphabetic() || "eE".contains(c));
    let factor = match unit {
        "" => 1.0,
        "mHz" => 1e-3,
        "MHz" | "Mhz" => 1e6,
        _ => match unit.to_ascii_lowercase().as_str() {
            "hz" => 1.0,
            "khz" => 1e3,
            _ => return None,
        },
    };
    let rate = text[..text.len() - unit.len()].trim().parse::<f64>().ok()? * factor;
    (rate > 0.0 && rate.is_finite()).then_some(rate)
}

#[cfg(test)]
mod tests {
    use super::rate;

    #[test]
    fn rates_may_have_units() {
        let all =
            [("500", 500.0), ("50Hz", 50.0), ("1kHz", 1000.0), ("2 khz", 2000.0), ("0.1 MHz", 1e5), ("1e2hz", 100.0)];
        let all = all.into_iter().chain([("2mHz", 0.002), ("2 Mhz", 2e6), ("1E3", 1000.0)]);
        for (text, value) in all {
            assert_eq!(rate(text), Some(value), "{text}");
        }
        for text in ["", "fast", "-1", "0", "1 kV", "inf", "Hz", "2 mhz", "2MHZ", "1e"] {
            assert_eq!(rate(text), None, "{text}");
        }
    }
}
