//! The summary of a run as one JSON object.

use crate::{BeyondStability, Compiled, GlobalError, Note, Run};
use ordinate_solve::{EnergyDrift, Status};
use serde_json::{Map, Value, json};

/// `--summary json`; a number that is not finite becomes null.
pub fn summary_json(compiled: &Compiled, run: &Run, write_seconds: f64) -> Value {
    let statistics = &run.outcome.statistics;
    let status = match (&run.reason, run.outcome.status) {
        (Some(reason), _) if reason.kind == "inconsistent_start" => "stopped",
        (_, Status::Ok) => "ok",
        (_, Status::Stopped) => "stopped",
        (_, Status::Interrupted) => "interrupted",
    };
    let reason = run
        .reason
        .as_ref()
        .map(|r| json!({"kind": r.kind, "t": r.t, "variable": r.variable, "message": r.message, "hint": r.hint}));
    let values: Map<String, Value> =
        run.final_values.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
    let (low, high, mean) = run.orders();
    let work = &statistics.evaluations;
    let mut summary = json!({
        "schema": "ordinate.run/1",
        "status": status,
        "reason": reason,
        "method": run.method,
        "chosen": run.choice_text(),
        "t_start": run.t_start,
        "t_end": run.t_end,
        "t_reached": run.outcome.t_reached,
        "steps": statistics.steps,
        "rejected": statistics.rejected,
        "events": statistics.events,
        "order": {"min": low, "max": high, "mean": mean},
        "evaluations": {"f": work.f, "jets": work.jets, "jacobian": work.jacobian, "lu": work.lu, "newton": work.newton},
        "global_error": run.error.as_ref().map(error_json),
        "stiff": run.is_stiff(),
        "beyond_stability": run.beyond.as_ref().map(BeyondStability::to_json),
        "energy_drift": match run.outcome.energy {
            Some(EnergyDrift::Changed(drift)) => Some(drift),
            Some(EnergyDrift::Unbounded | EnergyDrift::Unknown(_)) | None => None,
        },
        "energy": run.energy_text(),
        "notes": run.notes.iter().map(Note::to_json).collect::<Vec<Value>>(),
        "conflict": run.conflict.as_ref().map(|(name, t)| json!({"variable": name, "t": t})),
        "not_finite": run.not_finite.as_ref().map(|(name, t)| json!({"variable": name, "t": t})),
        "seconds": {
            "parse": compiled.parse_seconds,
            "compile": compiled.compile_seconds,
            "solve": run.seconds.solve,
            "solve_median": run.seconds.solve_median,
            "write": write_seconds,
        },
        "final": values,
    });
    if let Some(precise) = &run.precise {
        let texts = precise.final_text.iter().map(|(name, text)| (name.clone(), json!(text)));
        summary["precision"] = json!(precise.digits);
        summary["final_text"] = Value::Object(texts.collect());
    }
    if let Some(digits) = &run.digits {
        summary["digits"] = digits.to_json();
    }
    summary
}

/// `global_error` of the summary: of the variables of the equations, and apart from them of what is computed from those.
fn error_json(error: &GlobalError) -> Value {
    let map = |values: &[f64], wanted: &dyn Fn(usize) -> bool| -> Map<String, Value> {
        let columns = error.names.iter().zip(values).enumerate().filter(|(column, _)| wanted(*column));
        columns.map(|(_, (name, value))| (name.clone(), json!(value.abs()))).collect()
    };
    json!({
        "estimate": error.estimate(),
        "by_variable": map(&error.largest, &|column| error.is_variable(column)),
        "by_output": map(&error.largest, &|column| !error.is_variable(column)),
        "final": map(&error.last, &|_| true),
        "until": error.until,
        "complete": error.complete,
        "gap": error.gap(),
        "lost": error.lost.map(|(state, t)| json!({"variable": error.names[state], "t": t})),
        "faint": error.faint.map(|(state, _)| &error.names[state]),
        "corrected": error.corrected,
    })
}
