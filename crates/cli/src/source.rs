//! Reading the model: a file, standard input, or text on the command line.

use crate::args::{Index, ModelArgs, Units};
use crate::{Exit, interrupt, message, usage};
use ordinate::{
    CompileOptions, Compiled, Failure, IndexTreatment, SetError, Source, UnitCheck, compile, has_errors, number_hint,
    render,
};
use std::fs::File;
use std::io::{IsTerminal, Read};
use std::path::Path;

/// The parser refuses texts beyond ten megabytes; there is no use in reading more.
const MOST_BYTES: u64 = (10 << 20) + 1024;

/// The source of a model, or why there is none.
pub fn load(args: &ModelArgs) -> Result<Source, Exit> {
    match (&args.model, args.text.as_slice()) {
        (None, []) => Err(usage("no model: give a file, `-` for standard input, or `-e \"y' = -y; y(0) = 1\"`")),
        (Some(_), [_, ..]) => Err(usage("give either a model file or `-e`, not both")),
        (None, texts) => Ok(Source { name: "-e".into(), ..Source::text(texts.join("\n")) }),
        (Some(name), []) if name == "-" => {
            let mut bytes = Vec::new();
            let read = std::io::stdin().lock().take(MOST_BYTES).read_to_end(&mut bytes);
            read.map_err(|e| usage(&format!("standard input cannot be read: {e}")))?;
            Ok(Source { name: "<stdin>".into(), ..Source::text(decode(bytes, "standard input")?) })
        }
        (Some(name), []) => {
            let path = Path::new(name);
            let missing = |e: std::io::Error| usage(&unreadable(name, &e));
            let mut bytes = Vec::new();
            File::open(path).map_err(missing)?.take(MOST_BYTES).read_to_end(&mut bytes).map_err(missing)?;
            let folder = path.parent().map(Path::to_path_buf).unwrap_or_default();
            Ok(Source { name: name.clone(), text: decode(bytes, name)?, folder })
        }
    }
}

/// A model in the same folder whose name is almost the one given.
fn similar_file(path: &Path) -> Option<String> {
    let given = path.file_name()?.to_str()?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let entries = std::fs::read_dir(folder).ok()?.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    let mut models: Vec<String> = entries.filter(|name| name.ends_with(".eq")).collect();
    models.sort();
    let near = ordinate::closest(given, models.iter().map(String::as_str))?;
    Some(path.with_file_name(near).to_string_lossy().into_owned())
}

fn unreadable(name: &str, e: &std::io::Error) -> String {
    let path = Path::new(name);
    let reason = match e.kind() {
        std::io::ErrorKind::NotFound => {
            let looks_like_text = name.contains('=') || name.contains('\'');
            let with_suffix = format!("{name}.eq");
            let stem = name.strip_suffix(".eq").unwrap_or(name);
            let hint = if looks_like_text {
                "to give the equations themselves, write `-e \"…\"`".to_string()
            } else if Path::new(&with_suffix).is_file() {
                format!("did you mean `{with_suffix}`?")
            } else if let Some(near) = similar_file(path) {
                format!("did you mean `{near}`?")
            } else if crate::examples::model(stem).is_some() {
                format!("`ordinate new {stem}` writes the one of the gallery")
            } else {
                "`ordinate examples` lists models to start from".to_string()
            };
            return format!("there is no model file `{name}`; {hint}");
        }
        std::io::ErrorKind::IsADirectory => "it is a folder".to_string(),
        std::io::ErrorKind::PermissionDenied => "permission denied".to_string(),
        _ => e.to_string(),
    };
    format!("the model `{name}` cannot be read: {reason}")
}

fn decode(bytes: Vec<u8>, name: &str) -> Result<String, Exit> {
    let too_long = bytes.len() as u64 == MOST_BYTES;
    String::from_utf8(bytes).or_else(|e| {
        let at = e.utf8_error().valid_up_to();
        let bytes = e.into_bytes();
        if too_long {
            // the limit may have cut a character; the parser will say that the text is too long
            return Ok(String::from_utf8_lossy(&bytes).into_owned());
        }
        let line = bytes[..at].iter().filter(|&&b| b == b'\n').count() + 1;
        let column = at - bytes[..at].iter().rposition(|&b| b == b'\n').map_or(0, |p| p + 1) + 1;
        Err(usage(&format!(
            "`{name}` is not a text in UTF-8: byte 0x{:02x} in line {line}, column {column}; save the file as UTF-8",
            bytes[at]
        )))
    })
}

/// The options of the compilation.
pub fn compile_options(args: &ModelArgs) -> Result<CompileOptions, Exit> {
    let mut set = Vec::new();
    for text in &args.set {
        match text.split_once('=') {
            Some((name, value)) if !name.trim().is_empty() && !value.trim().is_empty() => {
                let (name, value) = (name.trim(), value.trim());
                if let Some(hint) = set_hint(name, value) {
                    return Err(usage(&format!("`--set \"{text}\"`: {hint}")));
                }
                set.push((name.to_string(), value.to_string()));
            }
            _ => {
                return Err(usage(&format!("`--set {text}` must have the form name=value, as in `--set k=5`")));
            }
        }
    }
    let units = match args.units {
        Units::Warn => UnitCheck::Warn,
        Units::Strict => UnitCheck::Strict,
        Units::Off => UnitCheck::Off,
    };
    let index = match (args.regularise, args.index) {
        (Some(xi), _) if xi > 0.0 && xi.is_finite() => IndexTreatment::Regularise(xi),
        (Some(xi), _) => return Err(usage(&format!("`--regularise {xi}` must be positive, such as 1e-3"))),
        (None, Index::Reduce) => IndexTreatment::Reduce,
        (None, Index::Direct) => IndexTreatment::Direct,
    };
    Ok(CompileOptions { set, units, index, stop: interrupt::flag(), ..CompileOptions::default() })
}

/// `--guess "x=1, y=2"`, which may be repeated, as names and values.
pub fn guesses(texts: &[String]) -> Result<Vec<(String, String)>, Exit> {
    assignments(texts, "--guess", "x=1")
}

/// The same of any option; `example` is one that is right.
pub fn assignments(texts: &[String], option: &str, example: &str) -> Result<Vec<(String, String)>, Exit> {
    let mut all = Vec::new();
    for text in texts.iter().flat_map(|text| ordinate::list_parts(text)) {
        match text.split_once('=') {
            Some((name, value)) if !name.trim().is_empty() && !value.trim().is_empty() => {
                all.push((name.trim().to_string(), value.trim().to_string()));
            }
            _ => {
                return Err(usage(&format!(
                    "`{option} {text}` must have the form name=value, as in `{option} \"{example}\"`"
                )));
            }
        }
    }
    Ok(all)
}

/// The value of an option that takes a length of time: a number, or an expression with parameters of the model.
pub fn duration(compiled: &Compiled, option: &str, text: Option<&String>) -> Result<Option<f64>, Exit> {
    let Some(text) = text else { return Ok(None) };
    let value = compiled.time(text, option).map_err(|message| usage(&message))?;
    match value > 0.0 && value.is_finite() {
        true => Ok(Some(value)),
        false => Err(usage(&format!("`{option} {text}` must be a positive number"))),
    }
}

/// A model with its Jacobian, its warnings shown.
pub fn compiled(args: &ModelArgs) -> Result<Compiled, Exit> {
    compiled_from(args).map(|(_, compiled)| compiled)
}

/// The same with its text.
pub fn compiled_from(args: &ModelArgs) -> Result<(Source, Compiled), Exit> {
    let source = load(args)?;
    let options = CompileOptions { jacobian: true, ..compile_options(args)? };
    let compiled = compile(&source, &options).map_err(|failure| show_failure(&failure, &source))?;
    if !compiled.warnings.is_empty() {
        message(render(&compiled.warnings, &source.name, &source.text, color()).trim_end());
    }
    let wrong = ordinate::check_starts(&compiled);
    if has_errors(&wrong) {
        return Err(show_failure(&Failure::Model(wrong), &source));
    }
    Ok((source, compiled))
}

/// Forms of the language that `--set` does not take.
fn set_hint(name: &str, value: &str) -> Option<String> {
    if let Some((bare, _)) = name.split_once('(') {
        return Some(format!("a start value is set by its name alone: `--set \"{bare}={value}\"`"));
    }
    if value.contains('=') {
        // Advice that is refused again is worse than an example.
        let given = format!("{name}={value}");
        let parts: Vec<&str> = given.split([',', ';']).map(str::trim).filter(|part| !part.is_empty()).collect();
        let right = |part: &&str| {
            part.split_once('=').is_some_and(|(name, value)| {
                !name.trim().is_empty() && !value.trim().is_empty() && !value.contains('=')
            })
        };
        if let Some(one) = value.strip_prefix('=').map(str::trim).filter(|one| !one.is_empty() && !one.contains('=')) {
            return Some(format!("write one `=`: `{}`", set_option(&format!("{name}={one}"))));
        }
        return Some(if parts.iter().all(right) {
            let options: Vec<String> = parts.into_iter().map(set_option).collect();
            format!("one value each: `{}`", options.join(" "))
        } else {
            "one value each, as in `--set k=5 --set x=2`".into()
        });
    }
    if let Some((number, _)) = value.split_once('[') {
        return Some(format!("write the number without its unit: `--set {name}={}`", number.trim()));
    }
    None
}

/// `--set k=5` as a shell takes it.
fn set_option(assignment: &str) -> String {
    let plain = assignment.chars().all(|c| c.is_alphanumeric() || "_=.+-".contains(c));
    if plain { format!("--set {assignment}") } else { format!("--set \"{assignment}\"") }
}

/// Whether messages may be coloured.
pub fn color() -> bool {
    std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()) && std::io::stderr().is_terminal()
}

/// Shows why a model did not compile.
pub fn show_failure(failure: &Failure, source: &Source) -> Exit {
    match failure {
        Failure::Model(diagnostics) => {
            message(render(diagnostics, &source.name, &source.text, color()).trim_end());
            let errors = diagnostics.iter().filter(|d| d.severity == ordinate::Severity::Error).count();
            let plural = if errors == 1 { "" } else { "s" };
            message(&format!("\n{errors} error{plural} in {}", source.name));
            Exit::Model
        }
        Failure::Set(errors) => {
            for error in errors {
                usage(&set_error(error));
            }
            Exit::Usage
        }
    }
}

fn set_error(error: &SetError) -> String {
    match error {
        SetError::Unknown { name, suggestion: Some(meant) } => {
            format!("`--set {name}=…`: the model has no `{name}`; did you mean `{meant}`?")
        }
        SetError::Unknown { name, suggestion: None } => {
            format!("`--set {name}=…`: the model has no parameter, input or state `{name}`")
        }
        SetError::Follows { name } => {
            format!("`--set {name}=…`: `{name}` follows from the equations; set a parameter, an input or a start value")
        }
        SetError::BadValue { name, value } => {
            let hint = number_hint(value).unwrap_or("write a number or a constant expression such as 2*pi".into());
            format!("`--set {name}={value}`: the value is not a constant; {hint}")
        }
    }
}
