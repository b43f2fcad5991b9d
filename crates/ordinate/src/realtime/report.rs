//! What a run against the clock found out: computing times, lateness, missed deadlines.

use serde_json::{Value, json};
use std::fmt::Write;

/// The figures of a run against the clock. Times in seconds.
#[derive(Clone, Debug, Default)]
pub struct RealTimeReport {
    /// Between two samples.
    pub period: f64,
    /// Whether it ran as fast as possible, without waiting.
    pub dry: bool,
    /// Samples.
    pub samples: usize,
    /// How often all of them were computed; of every sample the shortest time counts.
    pub runs: usize,
    /// Mean computing time of a sample.
    pub mean: f64,
    /// 999 of 1000 samples were not longer.
    pub p999: f64,
    /// The longest one.
    pub worst: f64,
    /// When the longest one began, in the time of the model.
    pub worst_at: f64,
    /// Deadlines that were missed; of a dry run those that would have been.
    pub missed: usize,
    /// The first of them, in the time of the model.
    pub first_missed: Option<f64>,
    /// When a missed deadline ended the run, in the time of the model.
    pub stopped: Option<f64>,
    /// Samples that were left out to catch up.
    pub skipped: usize,
    /// How late the samples began: count by power of two of microseconds, the first below 1 µs.
    pub late: Vec<usize>,
    /// The latest begin.
    pub latest: f64,
    /// What the operating system refused.
    pub refused: Vec<String>,
}

/// Microseconds for people.
fn micro(seconds: f64) -> String {
    match seconds * 1e6 {
        us if us.abs() < 10.0 => format!("{us:.2} µs"),
        us if us.abs() < 1e4 => format!("{us:.0} µs"),
        us => format!("{:.1} ms", us * 1e-3),
    }
}

impl RealTimeReport {
    /// From the computing times of all samples, in the order of time.
    pub(crate) fn set_times(&mut self, times: &mut [f32], begins: &[f64]) {
        self.samples = times.len();
        if times.is_empty() {
            return;
        }
        self.mean = times.iter().map(|&t| f64::from(t)).sum::<f64>() / times.len() as f64;
        let (longest, worst) = times.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1)).expect("not empty");
        (self.worst, self.worst_at) = (f64::from(*worst), begins[longest]);
        times.sort_by(f32::total_cmp);
        let place = (times.len() * 999).div_ceil(1000).clamp(1, times.len());
        self.p999 = f64::from(times[place - 1]);
    }

    /// The deadlines that a dry run would have missed.
    pub(crate) fn miss(&mut self, times: &[f32], begins: &[f64]) {
        let long = |time: f32| f64::from(time) > self.period;
        self.first_missed = times.iter().zip(begins).find(|(time, _)| long(**time)).map(|(_, t)| t + self.period);
        self.missed = times.iter().filter(|time| long(**time)).count();
    }

    pub(crate) fn count_late(&mut self, late: f64) {
        let class = (late * 1e6).max(0.5).log2().ceil().max(0.0) as usize;
        if self.late.len() <= class {
            self.late.resize(class + 1, 0);
        }
        self.late[class] += 1;
        self.latest = self.latest.max(late);
    }

    /// Why the run ended early, if that was because of the clock.
    pub fn ending(&self) -> Option<String> {
        let t = crate::short(self.stopped?);
        Some(format!("the deadline at t = {t} was missed, and `--on-overrun stop` ends the run"))
    }

    /// For people.
    pub fn to_text(&self) -> String {
        let mut out = String::new();
        let mut line = |head: &str, text: &str| writeln!(out, "{head:<7} {text}").expect("a string takes all text");
        let how = match (self.dry, self.runs) {
            (true, 0 | 1) => "as fast as possible".into(),
            (true, runs) => format!("as fast as possible, of each the shortest time of {runs} runs"),
            (false, _) => "against the clock".to_string(),
        };
        let s = if self.samples == 1 { "" } else { "s" };
        line("real", &format!("{} sample{s} of {} {how}", self.samples, micro(self.period)));
        if self.samples == 0 {
            return out;
        }
        line(
            "compute",
            &format!(
                "mean {}, p99.9 {}, worst {} (t = {})",
                micro(self.mean),
                micro(self.p999),
                micro(self.worst),
                crate::short(self.worst_at)
            ),
        );
        let left = |time: f64| format!("{} ({:.1} %)", micro(self.period - time), 100.0 * (1.0 - time / self.period));
        line("budget", &format!("left per sample: mean {}, worst case {}", left(self.mean), left(self.worst)));
        match (self.missed, self.dry) {
            (0, _) => line("missed", "no deadline"),
            (n, true) => line(
                "missed",
                &format!(
                    "{n} of {} would have missed their deadline, the first at t = {}",
                    self.samples,
                    crate::short(self.first_missed.unwrap_or(0.0))
                ),
            ),
            (n, false) => line(
                "missed",
                &format!(
                    "{n} of {} deadlines, the first at t = {}; {} periods skipped",
                    self.samples,
                    crate::short(self.first_missed.unwrap_or(0.0)),
                    self.skipped
                ),
            ),
        }
        if let Some(end) = self.ending() {
            line("stopped", &end);
            line("next", "lower `--rate`, use a cheaper method, or `--fifo` and `--cpu`");
        }
        if !self.dry && !self.late.is_empty() {
            line("late", &format!("at most {}; number of samples by start delay:", micro(self.latest)));
            let most = self.late.iter().copied().max().unwrap_or(1).max(1);
            for (class, &n) in self.late.iter().enumerate().filter(|(_, n)| **n > 0) {
                let bar = "█".repeat((40 * n).div_ceil(most));
                line("", &format!("{:>9} {n:>8} {bar}", format!("≤ {}", micro(1e-6 * f64::from(1u32 << class)))));
            }
        }
        for refused in &self.refused {
            line("note", &format!("the system did not grant {refused}"));
        }
        out
    }

    /// For programs.
    pub fn to_json(&self) -> Value {
        let histogram: Vec<Value> = self
            .late
            .iter()
            .enumerate()
            .map(|(class, &n)| json!({"below": 1e-6 * f64::from(1u32 << class), "count": n}))
            .collect();
        json!({
            "period": self.period,
            "dry": self.dry,
            "samples": self.samples,
            "runs": self.runs,
            "compute": {"mean": self.mean, "p999": self.p999, "worst": self.worst, "worst_at": self.worst_at},
            "budget_left": {"mean": self.period - self.mean, "worst": self.period - self.worst},
            "missed": self.missed,
            "first_missed": self.first_missed,
            "stopped": self.stopped,
            "skipped": self.skipped,
            "latency": {"worst": self.latest, "histogram": histogram},
            "refused": self.refused,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_those_of_the_samples() {
        let mut report = RealTimeReport { period: 1e-3, ..RealTimeReport::default() };
        let mut times: Vec<f32> = (0..1000).map(|k| k as f32 * 1e-6).collect();
        let begins: Vec<f64> = (0..1000).map(|k| f64::from(k) * 1e-3).collect();
        report.set_times(&mut times, &begins);
        assert!((report.mean - 499.5e-6).abs() < 1e-9 && (report.p999 - 998e-6).abs() < 1e-9);
        assert!((report.worst - 999e-6).abs() < 1e-9 && report.worst_at == 0.999);
        report.period = 0.9975e-3;
        report.miss(&times, &begins);
        assert_eq!((report.missed, report.first_missed), (2, Some(0.998 + 0.9975e-3)));
        [0.2e-6, 0.9e-6, 1.5e-6, 3e-6, 3.5e-6].into_iter().for_each(|late| report.count_late(late));
        assert_eq!(report.late, [2, 1, 2]);
        assert_eq!(report.latest, 3.5e-6);
        let late = RealTimeReport { samples: 1, period: 1e-4, mean: 9e-5, worst: 5.35e-4, ..report };
        let left = "left per sample: mean 10 µs (10.0 %), worst case -435 µs (-435.0 %)";
        assert!(late.to_text().contains(left), "{}", late.to_text());
    }
}
