//! What the designs that work on formulas share: their errors, and expressions of the command line in the words of a model.

use super::Names;
use crate::{CompileOptions, Compiled, Failure, Source, UnitCheck, compile};
use ordinate_syntax::{Diagnostic, Severity, Span};

/// Why there is no answer.
#[derive(Clone, Debug)]
pub enum SymbolicError {
    /// An option does not make sense: what, and what to do.
    Usage(String),
    /// An expression of the command line has mistakes: the option, the expression and what is wrong with it.
    Expression(&'static str, String, Vec<Diagnostic>),
    /// The model does not fit what is asked: what, and what to do.
    Model(String, String),
    /// No controller that could be written: why, and what to try.
    None(String, String),
}

impl SymbolicError {
    pub(super) fn model(message: impl Into<String>, hint: impl Into<String>) -> SymbolicError {
        SymbolicError::Model(message.into(), hint.into())
    }

    pub(super) fn none(message: impl Into<String>, hint: impl Into<String>) -> SymbolicError {
        SymbolicError::None(message.into(), hint.into())
    }
}

/// An expression given to an option, and the name that it gets in the model.
pub(super) struct Added {
    option: &'static str,
    text: String,
    pub name: String,
}

impl Added {
    /// An expression under a name that the model does not use.
    pub fn new(option: &'static str, text: &str, wish: &str, names: &mut Names) -> Result<Added, SymbolicError> {
        if text.trim().is_empty() {
            return Err(SymbolicError::Usage(format!("`{option}` needs an expression, such as `{option} \"x^2\"`")));
        }
        if let Some(sign) = text.chars().find(|c| matches!(c, ';' | '\n' | '#')) {
            return Err(SymbolicError::Usage(format!("`{option} \"{text}\"`: one expression without `{sign}`")));
        }
        Ok(Added { option, text: text.to_string(), name: names.fresh(wish) })
    }
}

/// The model with further outputs; mistakes are told of the expressions, not of the text that they were added to.
pub(super) fn extended(source: &Source, options: &CompileOptions, added: &[Added]) -> Result<Compiled, SymbolicError> {
    let mut text = source.text.trim_end().to_string() + "\n";
    let mut places = Vec::new();
    for Added { text: expression, name, .. } in added {
        text += &format!("output {name} = ");
        places.push(text.len());
        text += &format!("{expression}\n");
    }
    let longer = Source { text, ..source.clone() };
    let options = CompileOptions { units: UnitCheck::Off, ..options.clone() };
    let found = match compile(&longer, &options) {
        Ok(compiled) => return Ok(compiled),
        Err(Failure::Set(_)) => return Err(SymbolicError::Usage("a value of `--set` does not fit the model".into())),
        Err(Failure::Model(found)) => found,
    };
    let errors: Vec<&Diagnostic> = found.iter().filter(|d| d.severity == Severity::Error).collect();
    for (added, &place) in added.iter().zip(&places) {
        let end = place + added.text.len();
        let inside = |span: Span| span.start as usize >= place && span.end as usize <= end;
        let shift = |span: Span| Span { start: span.start - place as u32, end: span.end - place as u32 };
        let own: Vec<Diagnostic> = errors
            .iter()
            .filter(|d| inside(d.span))
            .map(|d| {
                let labels = d.labels.iter().filter(|(span, _)| inside(*span));
                let labels = labels.map(|(span, text)| (shift(*span), text.clone())).collect();
                Diagnostic { span: shift(d.span), labels, ..(*d).clone() }
            })
            .collect();
        if !own.is_empty() {
            return Err(SymbolicError::Expression(added.option, added.text.clone(), own));
        }
    }
    let first = errors.first().map_or(String::new(), |d| d.message.clone());
    let options: Vec<&str> = added.iter().map(|added| added.option).collect();
    Err(SymbolicError::Usage(format!("`{}` does not fit the model: {first}", options.join("`, `"))))
}
