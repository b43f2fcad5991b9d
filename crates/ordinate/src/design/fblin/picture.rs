//! The closed loop in a picture: outputs with their references, errors, inputs.

use super::Fblin;
use ordinate_plot::{Colour, Figure, Panel, Style};

/// Outputs and references above, the errors in the middle, the inputs below; `None` if the model does not say how long it runs.
pub fn fblin_figure(found: &Fblin, name: &str) -> Option<Figure> {
    let time = found.rows.column("time")?.to_vec();
    let mut figure = Figure::new(&format!("feedback linearisation of {name}"));
    (figure.width, figure.height) = (800.0, 760.0);
    let outputs: Vec<&String> = found.channels.iter().map(|channel| &channel.output).collect();
    let label = |names: &[&String]| names.iter().map(|name| name.as_str()).collect::<Vec<_>>().join(", ");
    let mut above = Panel::new("time", &label(&outputs));
    for (output, (channel, reference)) in outputs.iter().zip(found.channels.iter().zip(&found.references)) {
        above.add(output, time.clone(), found.rows.column(output)?.to_vec(), Style::Line);
        let follows = match found.rows.column(reference) {
            Some(column) => column.to_vec(),
            None => vec![channel.reference.parse().unwrap_or(f64::NAN); time.len()],
        };
        above.add(&format!("{output} wanted"), time.clone(), follows, Style::Line).colour = Colour::Grey;
    }
    let mut middle = Panel::new("time", &label(&found.errors.iter().collect::<Vec<_>>()));
    let mut below = Panel::new("time", &label(&found.inputs.iter().collect::<Vec<_>>()));
    for (panel, names) in [(&mut middle, &found.errors), (&mut below, &found.inputs)] {
        panel.share = 0.5;
        for name in names {
            panel.add(name, time.clone(), found.rows.column(name)?.to_vec(), Style::Line);
        }
    }
    figure.panels = vec![above, middle, below];
    Some(figure)
}
