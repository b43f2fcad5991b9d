//! Reading the model: a file, standard input, or text on the command line.

use crate::args::{ModelArgs, Units};
use crate::{Exit, message, usage};
use ordinate::{CompileOptions, Failure, SetError, Source, UnitCheck, render};
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

fn unreadable(name: &str, e: &std::io::Error) -> String {
    let reason = match e.kind() {
        std::io::ErrorKind::NotFound => {
            let looks_like_text = name.contains('=') || name.contains('\'');
            let hint = if looks_like_text {
                "to give the equations themselves, write `-e \"…\"`"
            } else {
                "`ordinate examples` lists models to start from"
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
                set.push((name.trim().to_string(), value.trim().to_string()));
            }
            _ => return Err(usage(&format!("`--set {text}` must have the form name=value"))),
        }
    }
    let units = match args.units {
        Units::Warn => UnitCheck::Warn,
        Units::Strict => UnitCheck::Strict,
        Units::Off => UnitCheck::Off,
    };
    Ok(CompileOptions { set, units, jacobian: false })
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
            format!("`--set {name}={value}`: the value must be a number or a constant expression such as 2*pi")
        }
    }
}
