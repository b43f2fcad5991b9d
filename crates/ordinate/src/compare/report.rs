//! A comparison as JSON, as a table for people, and as a page.

use super::{Chart, Comparison, Row};
use crate::{ReasonKind, short};
use serde_json::{Value, json};
use std::fmt::Write;

impl Comparison {
    /// `compare --format json`.
    pub fn to_json(&self) -> Value {
        let row = |row: &Row| {
            let work = &row.work;
            json!({
                "method": row.method,
                "rtol": if row.step.is_some() { Value::Null } else { json!(row.rtol) },
                "step": row.step,
                "steps": row.steps,
                "rejected": row.rejected,
                "evaluations": {"f": work.f, "jets": work.jets, "jacobian": work.jacobian, "lu": work.lu, "newton": work.newton},
                "error": row.error,
                "estimate": row.estimate,
                "seconds": row.seconds,
                "ratio": row.ratio,
            })
        };
        let reason = match (self.interruption(), self.skipped.first()) {
            (Some(message), _) => json!({"kind": ReasonKind::Interrupted.word(), "message": message}),
            (None, Some(first)) if self.rows.is_empty() => {
                json!({"kind": ReasonKind::NoRows.word(), "message": format!("no method has a result; {}: {}", first.method, first.reason)})
            }
            (None, _) => Value::Null,
        };
        let skipped = self.skipped.iter().map(|s| json!({"method": s.method, "rtol": s.rtol, "reason": s.reason}));
        json!({
            "schema": "ordinate.compare/1",
            "status": match (&self.interrupted, self.rows.is_empty()) {
                (Some(_), _) => "interrupted",
                (None, true) => "stopped",
                (None, false) => "ok",
            },
            "reason": reason,
            "model": self.name,
            "t_start": self.range.0,
            "t_end": self.range.1,
            "t_compared": [self.range.0, self.reference.t_end],
            "reference": {
                "method": self.reference.digits.method,
                "check": self.reference.digits.checked_by,
                "error": self.reference.error,
                "digits": self.reference.digits.to_json(),
            },
            "rows": self.rows.iter().map(row).collect::<Vec<Value>>(),
            "skipped": skipped.collect::<Vec<Value>>(),
        })
    }

    /// The cells of the table.
    fn cells(&self) -> Vec<[String; 10]> {
        let row = |row: &Row| {
            let control = row.step.map_or_else(|| format!("{:e}", row.rtol), |h| format!("h {}", rounded(h)));
            let floor = if row.error <= self.reference.error { "≤" } else { "" };
            [
                row.method.clone(),
                control,
                row.steps.to_string(),
                row.rejected.to_string(),
                row.work.f.to_string(),
                (row.work.jets + row.work.jacobian + row.work.lu).to_string(),
                format!("{floor}{:.1e}", row.error.max(if floor.is_empty() { 0.0 } else { self.reference.error })),
                row.estimate.map_or_else(|| "–".into(), |estimate| format!("{estimate:.1e}")),
                time_text(row.seconds),
                format!("{:.1}", row.ratio),
            ]
        };
        self.rows.iter().map(row).collect()
    }

    /// What the errors are measured against, in words.
    fn reference_text(&self) -> String {
        let digits = &self.reference.digits;
        let why = digits.why.as_ref().map_or_else(String::new, |why| format!("; {why}"));
        format!("{}{why}", digits.to_text())
    }

    /// The span that was compared, where a stop condition made it shorter.
    fn compared(&self) -> String {
        let (from, to) = (self.range.0, self.reference.t_end);
        match to < self.range.1 {
            true => format!("; compared over {} … {}, where it stops", short(from), short(to)),
            false => String::new(),
        }
    }

    /// Why there is not more, where somebody ended the comparison.
    pub fn interruption(&self) -> Option<String> {
        let method = self.interrupted.as_ref()?;
        Some(format!("interrupted while {method} was running; what was complete before is shown"))
    }

    /// `compare` for people.
    pub fn to_text(&self) -> String {
        let mut out = String::new();
        let (from, to) = self.range;
        writeln!(out, "model      {}, {} … {}{}", self.name, short(from), short(to), self.compared())
            .expect("a string takes all text");
        writeln!(out, "reference  {}\n", self.reference_text()).expect("a string takes all text");
        let mut lines = vec![HEADER.map(String::from)];
        lines.extend(self.cells());
        let widths: Vec<usize> =
            (0..HEADER.len()).map(|k| lines.iter().map(|line| line[k].chars().count()).max().unwrap_or(0)).collect();
        let mut last = String::new();
        for (index, line) in lines.iter().enumerate() {
            if index > 1 && line[0] != last {
                out.push('\n');
            }
            last.clone_from(&line[0]);
            let cell = |(k, text): (usize, &String)| {
                let pad = " ".repeat(widths[k] - text.chars().count());
                if k == 0 { format!("{text}{pad}") } else { format!("{pad}{text}") }
            };
            let cells: Vec<String> = line.iter().enumerate().map(cell).collect();
            writeln!(out, "{}", cells.join("  ").trim_end()).expect("a string takes all text");
        }
        if !self.skipped.is_empty() {
            out.push_str("\nnot in the table\n");
            for skipped in &self.skipped {
                let at = skipped.rtol.map_or_else(String::new, |rtol| format!(" at {rtol:e}"));
                let name = format!("{}{at}", skipped.method);
                writeln!(out, "  {name:<22} {}", skipped.reason).expect("a string takes all text");
            }
        }
        if let Some(text) = self.interruption() {
            writeln!(out, "\n{text}").expect("a string takes all text");
        }
        out
    }

    /// One page with the table and all pictures, complete in itself.
    pub fn to_html(&self) -> String {
        let mut body = String::new();
        let mut add = |text: String| body.push_str(&(text + "\n"));
        let (from, to) = self.range;
        add(format!("<h1>{}</h1>", escaped(self.title())));
        let reference = escaped(&self.reference_text());
        add(format!(
            "<p>t = {} … {}{}. Errors are the largest over states and times, relative to the largest value of the state, against {reference}.</p>",
            short(from),
            short(to),
            self.compared()
        ));
        for (_, chart) in Chart::ALL {
            for figure in self.figures(chart) {
                add(format!("<figure>{}</figure>", figure.to_svg()));
            }
        }
        add("<table><thead><tr>".into());
        HEADER.iter().for_each(|name| add(format!("<th>{}</th>", escaped(name))));
        add("</tr></thead><tbody>".into());
        for line in self.cells() {
            let cells: Vec<String> = line.iter().map(|text| format!("<td>{}</td>", escaped(text))).collect();
            add(format!("<tr>{}</tr>", cells.concat()));
        }
        add("</tbody></table>".into());
        add("<p>ratio: time over the shortest one of any row that is at least as accurate. Further evaluations: Taylor series, Jacobians, decompositions.</p>".into());
        if !self.skipped.is_empty() {
            add("<h2>Not in the table</h2><ul>".into());
            for skipped in &self.skipped {
                let at = skipped.rtol.map_or_else(String::new, |rtol| format!(" at {rtol:e}"));
                add(format!("<li><b>{}{at}</b>: {}</li>", escaped(&skipped.method), escaped(&skipped.reason)));
            }
            add("</ul>".into());
        }
        if let Some(text) = self.interruption() {
            add(format!("<p>{}</p>", escaped(&text)));
        }
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{}</title><style>{STYLE}</style></head><body>\n{body}</body></html>\n",
            escaped(self.title())
        )
    }
}

const HEADER: [&str; 10] = ["method", "rtol", "steps", "rejected", "f", "other", "error", "estimate", "time", "ratio"];

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;color:#262626;max-width:1160px;margin:2em auto;padding:0 1em}\
figure{margin:1.5em 0}figure>svg{max-width:100%;height:auto}table{border-collapse:collapse;font-variant-numeric:tabular-nums}\
th,td{padding:.2em .8em;text-align:right;border-bottom:1px solid #e6e6e6}th:first-child,td:first-child{text-align:left}";

fn rounded(value: f64) -> String {
    short(format!("{value:.3e}").parse().unwrap_or(value))
}

fn time_text(seconds: f64) -> String {
    match seconds {
        s if s >= 1.0 => format!("{s:.2} s"),
        s if s >= 1e-3 => format!("{:.2} ms", s * 1e3),
        s => format!("{:.1} µs", s * 1e6),
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
