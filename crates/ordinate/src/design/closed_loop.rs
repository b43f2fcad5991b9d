//! The text of a plant and a controller together: a model that runs and reads like the author's own. The plant's text is
//! edited, not printed anew, so comments, units and layout stay; what the controller drives is no input any more.

use super::edit::{Edits, Taken};
use super::text::number;
use crate::{CompileOptions, Compiled, Failure, Source, compile};
use ordinate_syntax::{Diagnostic, parse};
use std::path::Path;

/// What a controller adds to the text of a plant. Names must be free (see [`super::Names`]).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ControllerText {
    /// Comments at the top of the file: what it is, how it was made.
    pub header: Vec<String>,
    /// Gains.
    pub parameters: Vec<Parameter>,
    /// References: inputs of the closed loop, constant until somebody writes a function of time.
    pub inputs: Vec<Parameter>,
    /// What drives the inputs.
    pub laws: Vec<Law>,
    /// Further lines: equations, start values, outputs.
    pub lines: Vec<String>,
    /// What a sampled controller keeps from sample to sample; empty for a continuous one.
    pub held: Vec<Held>,
    /// Name and value of the sampling period of a sampled controller.
    pub sampled: Option<(String, f64)>,
    /// The end of a run, where the text of the plant has none.
    pub end: Option<f64>,
    /// Start values of the plant that are others than in its text: name and expression.
    pub starts: Vec<(String, String)>,
}

/// `param name = value  # comment`
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: f64,
    /// What it is; may be empty.
    pub comment: String,
}

/// `input = value`, at all times or at every sample.
#[derive(Clone, Debug, PartialEq)]
pub struct Law {
    /// The input of the plant that is driven.
    pub input: String,
    /// The right-hand side.
    pub value: String,
    /// The value before the first sample, of a sampled controller.
    pub start: f64,
}

/// `name = value` at every sample.
#[derive(Clone, Debug, PartialEq)]
pub struct Held {
    /// Its name.
    pub name: String,
    /// The right-hand side, which sees the values before the sample.
    pub value: String,
    /// The value at the start, a number or an expression.
    pub start: String,
}

/// A plant and its controller.
#[derive(Clone, Debug)]
pub struct ClosedLoop {
    /// The model text.
    pub text: String,
    /// The same, compiled.
    pub compiled: Compiled,
}

/// Why a closed loop cannot be written.
#[derive(Clone, Debug)]
pub enum ClosedLoopError {
    /// Something about the model or the options: what, and what to do.
    Refused(String),
    /// The text that was written does not compile, which is a mistake of ours: the text and what is wrong with it.
    Defect(String, Vec<Diagnostic>),
}

/// The closed loop of a plant. `options` are those with which the plant was compiled: values that they set are written into
/// the text. The text will lie in `folder`, from where the files that it names are looked for.
pub fn closed_loop(
    source: &Source,
    options: &CompileOptions,
    controller: &ControllerText,
    folder: &Path,
) -> Result<ClosedLoop, ClosedLoopError> {
    let (tree, _) = parse(&source.text);
    let mut edits = Edits::new(&tree, &source.text);
    let driven: Vec<&str> = controller.laws.iter().map(|law| law.input.as_str()).collect();
    let taken = edits.take_inputs(&driven).map_err(ClosedLoopError::Refused)?;
    let sets: Vec<&(String, String)> = options.set.iter().chain(&controller.starts).collect();
    let mut added = Vec::new();
    for (k, (name, value)) in sets.iter().enumerate() {
        // of several values for one name the last counts; that of an input which is driven does not
        let again = sets[k + 1..].iter().any(|(later, _)| later == name);
        if again || driven.contains(&name.as_str()) {
            continue;
        }
        added.extend(edits.set(name, value).map_err(ClosedLoopError::Refused)?);
    }
    edits.move_tables(&source.folder, folder);
    let mut text: String = controller.header.iter().map(|line| comment(line) + "\n").collect();
    text += "\n";
    text += edits.apply().trim_end();
    text += "\n\n";
    write_controller(&mut text, controller, &taken);
    if !added.is_empty() {
        text += &format!("\ninit {}\n", added.join(", "));
    }
    let written = Source { name: source.name.clone(), text, folder: folder.to_path_buf() };
    let options = CompileOptions { set: Vec::new(), ..options.clone() };
    match compile(&written, &options) {
        Ok(compiled) => Ok(ClosedLoop { text: written.text, compiled }),
        Err(Failure::Model(found)) => Err(ClosedLoopError::Defect(written.text, found)),
        Err(Failure::Set(_)) => unreachable!("nothing is set from outside"),
    }
}

fn comment(line: &str) -> String {
    format!("# {line}").trim_end().to_string()
}

fn write_controller(text: &mut String, controller: &ControllerText, taken: &[Taken]) {
    let mut line = |words: String| *text += &(words + "\n");
    if !controller.laws.is_empty() {
        line("# the controller".into());
    }
    let period = controller.sampled.as_ref().map(|(name, value)| Parameter {
        name: name.clone(),
        value: *value,
        comment: "sampling period".into(),
    });
    let declared = |kind: &str, p: &Parameter| format!("{kind} {} = {}", p.name, number(p.value));
    let inputs = controller.inputs.iter().map(|p| (declared("input", p), &p.comment));
    let parameters = controller.parameters.iter().chain(&period).map(|p| (declared("param", p), &p.comment));
    let all: Vec<(String, &String)> = inputs.chain(parameters).collect();
    let width = all.iter().map(|(text, _)| text.chars().count()).max().unwrap_or(0);
    for (declared, comment) in &all {
        let padding = " ".repeat(width - declared.chars().count());
        line(if comment.is_empty() { declared.clone() } else { format!("{declared}{padding}  # {comment}") });
    }
    line(String::new());
    let about = |input: &str| taken.iter().find(|taken| taken.covers(input));
    let unit =
        |input: &str| about(input).and_then(|t| t.unit.as_ref()).map_or(String::new(), |unit| format!(" [{unit}]"));
    let remark = |input: &str| about(input).map(|t| t.comment.as_str()).filter(|text| !text.is_empty());
    match &controller.sampled {
        None => {
            for Law { input, value, .. } in &controller.laws {
                let remark = remark(input).map_or(String::new(), |text| format!("  # {text}"));
                line(format!("{input} = {value}{}{remark}", unit(input)));
            }
        }
        Some((period, _)) => {
            controller.lines.iter().for_each(|further| line(further.clone()));
            line(format!("every {period}:"));
            controller.laws.iter().for_each(|law| line(format!("    {} = {}", law.input, law.value)));
            controller.held.iter().for_each(|held| line(format!("    {} = {}", held.name, held.value)));
            let inputs =
                controller.laws.iter().map(|law| format!("{} = {}{}", law.input, number(law.start), unit(&law.input)));
            let held = controller.held.iter().map(|held| format!("{} = {}", held.name, held.start));
            line(format!("init {}", inputs.chain(held).collect::<Vec<_>>().join(", ")));
        }
    }
    if controller.sampled.is_none() {
        controller.lines.iter().for_each(|further| line(further.clone()));
    }
    controller.end.iter().for_each(|end| line(format!("run 0 .. {}", number(*end))));
}
