//! A linear system for programs: `linearize --format json`.

use super::{Analysis, Linearization, Mode};
use ordinate_control::{Complex, Hold, Matrix};
use serde_json::{Map, Value, json};

/// The JSON of a linear system and of what was seen of it.
pub fn linearize_json(linear: &Linearization, analysis: &Analysis) -> Value {
    let named = |list: &[(String, f64)]| {
        list.iter().map(|(name, value)| (name.clone(), json!(value))).collect::<Map<String, Value>>()
    };
    let system = &linear.system;
    let reach = [&analysis.controllability, &analysis.observability];
    let modes: Vec<Value> = analysis
        .modes
        .iter()
        .map(|mode| {
            json!({
                "eigenvalue": complex(mode.value),
                "frequency": mode.frequency,
                "damping": mode.damping,
                "time_constant": mode.time_constant,
                "controllable": mode.controllable,
                "observable": mode.observable,
            })
        })
        .collect();
    // the eigenvalues as they stand above, not those of the part that is not reached
    let lost = |seen: &dyn Fn(&Mode) -> bool| {
        analysis.modes.iter().filter(|mode| !seen(mode)).map(|mode| complex(mode.value)).collect::<Vec<_>>()
    };
    let mut object = json!({
        "schema": "ordinate.linearize/1",
        "point": named(&linear.point),
        "time": linear.time,
        "equilibrium": linear.is_rest(),
        "states": linear.states,
        "inputs": linear.inputs,
        "disturbances": linear.disturbances,
        "outputs": linear.outputs,
        "A": rows(&system.a),
        "B": rows(&system.b),
        "C": rows(&system.c),
        "D": rows(&system.d),
        "G": rows(&linear.g),
        "Dg": rows(&linear.dg),
        "rates": linear.rates,
        "outputs_at": linear.outputs_at,
        "algebraic": named(&linear.algebraic),
        "eigenvalues": analysis.modes.iter().map(|mode| complex(mode.value)).collect::<Vec<_>>(),
        "modes": modes,
        "controllability_rank": reach[0].rank,
        "observability_rank": reach[1].rank,
        "controllability": rows(&reach[0].matrix),
        "observability": rows(&reach[1].matrix),
        "singular_values": {
            "controllability": reach[0].singular_values,
            "observability": reach[1].singular_values,
        },
        "uncontrollable": lost(&|mode| mode.controllable),
        "unobservable": lost(&|mode| mode.observable),
        "units": {
            "states": linear.units.states,
            "inputs": linear.units.inputs,
            "disturbances": linear.units.disturbances,
            "outputs": linear.units.outputs,
        },
        "notes": linear.notes,
    });
    let mut add = |name: &str, value: Value| object.as_object_mut().map(|map| map.insert(name.into(), value));
    if !analysis.channels.is_empty() {
        let channels = analysis.channels.iter().map(|channel| {
            json!({
                "output": linear.outputs[channel.output],
                "input": linear.inputs[channel.input],
                "numerator": channel.transfer.numerator,
                "denominator": channel.transfer.denominator,
                "poles": list(&channel.poles),
                "zeros": list(&channel.zeros),
                "dc_gain": finite(channel.dc_gain),
            })
        });
        add("transfer", channels.collect());
    }
    if let Some((reached, shown)) = &analysis.gramians {
        add("gramians", json!({ "controllability": rows(reached), "observability": rows(shown) }));
    }
    if let Some((sampled, hold)) = &analysis.sampled {
        let poles = sampled.poles().unwrap_or_default();
        add(
            "sampled",
            json!({
                "period": sampled.period,
                "hold": hold_name(*hold),
                "F": rows(&sampled.a),
                "G": rows(&sampled.b),
                "H": rows(&sampled.c),
                "I": rows(&sampled.d),
                "eigenvalues": list(&poles),
            }),
        );
    }
    object
}

/// A hold as the command names it.
pub(super) fn hold_name(hold: Hold) -> &'static str {
    match hold {
        Hold::Zero => "zoh",
        Hold::Tustin => "tustin",
        Hold::Forward => "forward",
        Hold::Backward => "backward",
    }
}

fn rows(matrix: &Matrix) -> Vec<Vec<f64>> {
    (0..matrix.rows()).map(|i| matrix.row(i).to_vec()).collect()
}

fn complex(z: Complex) -> Value {
    json!({ "re": z.re, "im": z.im })
}

fn list(values: &[Complex]) -> Vec<Value> {
    values.iter().map(|&z| complex(z)).collect()
}

/// JSON has no infinity: what has none is null.
fn finite(value: f64) -> Option<f64> {
    Some(value).filter(|value| value.is_finite())
}
