//! From a text to a compiled model, with everything that is wrong reported at once.

use crate::clock::Stopwatch;
use crate::residual::Typed;
use ordinate_expr::ExprId;
use ordinate_model::{
    Action, IndexTreatment, Inputs, Overrides, SetError, Sorted, TableData, merge, parse_table, resolve_as, sort_as,
};
use ordinate_program::{Evaluator, Program};
use ordinate_solve::StopFlag;
use ordinate_syntax::{Diagnostic, Severity, has_errors, parse};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A model text and where it comes from.
#[derive(Clone, Debug)]
pub struct Source {
    /// What to call it in messages.
    pub name: String,
    /// The text.
    pub text: String,
    /// Where the files that it refers to are looked for.
    pub folder: PathBuf,
}

impl Source {
    /// A text that does not come from a file.
    pub fn text(text: impl Into<String>) -> Source {
        Source { name: "model".into(), text: text.into(), folder: PathBuf::from(".") }
    }
}

/// What to do about units that do not match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UnitCheck {
    /// Warn.
    #[default]
    Warn,
    /// Refuse the model.
    Strict,
    /// Nothing.
    Off,
}

/// How a text is compiled.
#[derive(Clone, Debug, Default)]
pub struct CompileOptions {
    /// Values that replace those of the text: parameters, inputs, start values.
    pub set: Vec<(String, String)>,
    /// Units.
    pub units: UnitCheck,
    /// Whether the Jacobian is compiled, too.
    pub jacobian: bool,
    /// What is done about an index above 1.
    pub index: IndexTreatment,
    /// What the inputs are.
    pub inputs: Inputs,
    /// Whether missing start values are only warnings: for who looks at the structure and runs nothing.
    pub without_starts: bool,
    /// Ends whatever is computed with the model; the compilation itself does not ask.
    pub stop: StopFlag,
}

/// Why a text could not be compiled.
#[derive(Clone, Debug)]
pub enum Failure {
    /// Mistakes in the model; warnings among them.
    Model(Vec<Diagnostic>),
    /// Overrides that do not fit the model.
    Set(Vec<SetError>),
}

/// A compiled model.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The sorted model, with names.
    pub sorted: Arc<Sorted>,
    /// The program.
    pub program: Arc<Program>,
    /// Start and end time of the text.
    pub run: Option<(f64, f64)>,
    /// What its inputs are.
    pub inputs: Inputs,
    /// Ends whatever is computed with it: runs, searches, estimates, comparisons.
    pub stop: StopFlag,
    /// The text, where the equations that are solved are those that were typed.
    pub(crate) typed: Option<Arc<Typed>>,
    /// The times of start values given as `y(a) = …`, one per start value of the model.
    pub(crate) start_times: Vec<Option<f64>>,
    /// The same with its index reduced, where it is above 1 and is not: it knows the start values.
    pub(crate) reduced: Option<Arc<Compiled>>,
    /// What is doubtful in it.
    pub warnings: Vec<Diagnostic>,
    /// What the source was called.
    pub name: String,
    /// The text.
    pub(crate) text: Arc<str>,
    /// Seconds spent in the parser; not a number where there is no clock.
    pub parse_seconds: f64,
    /// Seconds spent from the tree to the program; likewise.
    pub compile_seconds: f64,
}

impl Compiled {
    /// An evaluator that compiles the Jacobian when a method asks for it.
    pub(crate) fn evaluator(&self) -> Evaluator {
        let sorted = self.sorted.clone();
        let complete = Arc::new(move || ordinate_program::compile(&mut Sorted::clone(&sorted), true));
        Evaluator::with_complete(self.program.clone(), complete).stopped_by(self.stop.clone())
    }

    /// The same model for what is still to be made of a result after the end of its computation was wished.
    pub(crate) fn heeding_later_wishes(&self) -> Compiled {
        Compiled { stop: self.stop.from_now(), ..self.clone() }
    }
}

/// A stage that prints itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// What was written.
    Tree,
    /// What is meant.
    Model,
    /// What is solved.
    Sorted,
    /// What is executed.
    Program,
}

/// Compiles a text.
pub fn compile(source: &Source, options: &CompileOptions) -> Result<Compiled, Failure> {
    compile_in_order(source, options, &[])
}

/// The same with these variables before all others, in this order.
pub(crate) fn compile_in_order(
    source: &Source,
    options: &CompileOptions,
    order: &[String],
) -> Result<Compiled, Failure> {
    let begin = Stopwatch::start();
    let (tree, parsed) = parse(&source.text);
    let parse_seconds = begin.seconds();
    let broken = has_errors(&parsed);
    let spelled = |(name, value): &(String, String)| (tree.as_spelled(name), tree.as_spelled(value));
    let overrides: Overrides = options.set.iter().map(spelled).collect();
    let tables = |path: &str, name: &str| read_table(&source.folder, path, name);
    let mut resolved = resolve_as(&tree, &source.text, &overrides, &tables, options.inputs);
    if !order.is_empty() {
        resolved.put_first(order);
    }
    let (mut sorted, found) = sort_as(resolved.model, broken, options.index);
    let mut diagnostics = merge(&tree, parsed, resolved.diagnostics.into_iter().chain(found).collect());
    judge_units(&mut diagnostics, options.units);
    if options.without_starts {
        let missing = diagnostics.iter_mut().filter(|found| found.code == MISSING_START);
        missing.for_each(|found| found.severity = Severity::Warning);
    }
    if !has_errors(&diagnostics) && sorted.states.is_empty() && sorted.columns.is_empty() {
        diagnostics.push(
            Diagnostic::error("empty", Default::default(), "the model has no equation")
                .help("write at least one, such as `y' = -y` with `init y = 1`"),
        );
    }
    if !has_errors(&diagnostics) && options.index == IndexTreatment::Direct {
        diagnostics.extend(unsettled(&sorted));
    }
    if has_errors(&diagnostics) {
        return Err(Failure::Model(diagnostics));
    }
    if !resolved.set_errors.is_empty() {
        return Err(Failure::Set(resolved.set_errors));
    }
    let program = Arc::new(ordinate_program::compile(&mut sorted, options.jacobian));
    let compile_seconds = begin.seconds() - parse_seconds;
    let name = source.name.clone();
    let model = &mut sorted.model;
    let run = model.run.and_then(|(from, to)| Some((model.constant(from)?, model.constant(to)?)));
    let times: Vec<Option<ExprId>> = model.starts.iter().map(|given| given.at.map(|(at, _)| at)).collect();
    let start_times = times.into_iter().map(|at| model.constant(at?)).collect();
    let direct = options.index == IndexTreatment::Direct && !sorted.indices.is_empty();
    let as_typed = options.inputs == Inputs::Given && !matches!(options.index, IndexTreatment::Regularise(_));
    let typed = Typed { tree, text: source.text.clone(), names: resolved.names };
    let reduction = CompileOptions { index: IndexTreatment::Reduce, ..options.clone() };
    let reduced = direct.then(|| compile_in_order(source, &reduction, order));
    Ok(Compiled {
        sorted: Arc::new(sorted),
        program,
        run,
        inputs: options.inputs,
        stop: options.stop.clone(),
        typed: as_typed.then(|| Arc::new(typed)),
        start_times,
        reduced: reduced.and_then(Result::ok).map(Arc::new),
        warnings: diagnostics,
        name,
        text: source.text.as_str().into(),
        parse_seconds,
        compile_seconds,
    })
}

/// The printed form of a stage. Stages before a mistake can be printed, too.
pub fn emit(source: &Source, options: &CompileOptions, stage: Stage) -> Result<String, Failure> {
    if stage == Stage::Tree {
        let (tree, diagnostics) = parse(&source.text);
        let text = ordinate_syntax::print(&tree, &source.text);
        return if has_errors(&diagnostics) { Err(Failure::Model(diagnostics)) } else { Ok(text) };
    }
    let options = CompileOptions { jacobian: true, ..options.clone() };
    let compiled = compile(source, &options)?;
    Ok(match stage {
        Stage::Tree => unreachable!("handled above"),
        Stage::Model => compiled.sorted.model.to_text(),
        Stage::Sorted => compiled.sorted.to_text(),
        Stage::Program => compiled.program.to_text(),
    })
}

/// An action that sets a state of a system of higher index which is solved as it is, where the derivatives of the constraints
/// are not all known: what else must change with it is not known then.
fn unsettled(sorted: &Sorted) -> Option<Diagnostic> {
    let known = sorted.structure.degrees_of_freedom + sorted.invariants.len() >= sorted.states.len();
    if known || sorted.indices.is_empty() {
        return None;
    }
    let is_state = |var| sorted.states.iter().any(|state| state.var == var);
    let sets = |action: &Action| action.assignments.iter().map(|set| set.0).find(|&var| is_state(var));
    let (var, span) = sorted.model.actions.iter().find_map(|action| Some((sets(action)?, action.span)))?;
    let name = sorted.model.name(var);
    let text = format!("what follows from `{name}` when it is set is known only where the index is reduced");
    Some(Diagnostic::error("index-direct", span, text).help("leave `--index direct` out"))
}

/// The code of a start value that is missing.
pub(crate) const MISSING_START: &str = "missing-start";

fn judge_units(diagnostics: &mut Vec<Diagnostic>, check: UnitCheck) {
    let about_units = |d: &Diagnostic| matches!(d.code, "unit-mismatch" | "unknown-unit");
    match check {
        UnitCheck::Warn => {}
        UnitCheck::Off => diagnostics.retain(|d| !about_units(d)),
        UnitCheck::Strict => {
            diagnostics.iter_mut().filter(|d| about_units(d)).for_each(|d| d.severity = Severity::Error);
        }
    }
}

/// Tables larger than this are not for an input.
const MAX_TABLE_BYTES: u64 = 256 << 20;

fn read_table(folder: &Path, path: &str, name: &str) -> Result<TableData, String> {
    // by what is read, not by the size of the file: a device has none
    let file = std::fs::File::open(folder.join(path)).map_err(|e| reason(&e))?;
    let mut bytes = Vec::new();
    file.take(MAX_TABLE_BYTES + 1).read_to_end(&mut bytes).map_err(|e| reason(&e))?;
    if bytes.len() as u64 > MAX_TABLE_BYTES {
        return Err(format!("it has more than the {} MB that are read", MAX_TABLE_BYTES >> 20));
    }
    let text = String::from_utf8(bytes).map_err(|_| "it is not a text in UTF-8".to_string())?;
    parse_table(&text, name)
}

/// An error of the operating system in plain words.
pub(crate) fn reason(e: &std::io::Error) -> String {
    match e.kind() {
        std::io::ErrorKind::NotFound => "there is no such file".into(),
        std::io::ErrorKind::PermissionDenied => "permission denied".into(),
        std::io::ErrorKind::IsADirectory => "it is a folder".into(),
        std::io::ErrorKind::StorageFull => "the disk is full".into(),
        std::io::ErrorKind::BrokenPipe => "the reader closed the pipe".into(),
        _ => e.to_string(),
    }
}
