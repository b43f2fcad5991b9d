//! `ordinate transform`.

use crate::args::{TransformArgs, TransformFormat};
use crate::output::write_file;
use crate::{Exit, message, print_out, source, usage};
use ordinate::transform::Polynomial;
use ordinate::{Diagnostic, Failure, Source, compile};

/// Prints a model as a polynomial system, or draws it.
pub fn transform(args: &TransformArgs) -> Exit {
    if args.products.is_some_and(|n| n < 2) {
        return usage("`--products` must be at least 2: a product has two factors");
    }
    let picture = match &args.output {
        Some(path) if path.to_ascii_lowercase().ends_with(".svg") => true,
        Some(path) if path.to_ascii_lowercase().ends_with(".png") => {
            return usage(&format!("`-o {path}`: the block diagram is drawn as .svg"));
        }
        _ => false,
    };
    let source = match source::load(&args.model) {
        Ok(source) => source,
        Err(exit) => return exit,
    };
    let options = match source::compile_options(&args.model) {
        Ok(options) => options,
        Err(exit) => return exit,
    };
    let compiled = match compile(&source, &options) {
        Ok(compiled) => compiled,
        Err(failure) => return source::show_failure(&failure, &source),
    };
    let wrong = |found: Vec<Diagnostic>| source::show_failure(&Failure::Model(found), &source);
    let system = match ordinate::transform::polynomial(&compiled, args.products) {
        Ok(system) => system,
        Err(found) => return wrong(found),
    };
    let format = args.format.unwrap_or_else(|| by_suffix(args.output.as_deref()));
    let text = match if picture { Ok(system.diagram()) } else { written(&system, format, &source) } {
        Ok(text) => text,
        Err(found) => return wrong(found),
    };
    match args.output.as_deref() {
        None | Some("-") => print_out(&text),
        Some(path) => match write_file(path, text.as_bytes()) {
            Ok(()) => {
                message(&format!("wrote   {path}"));
                Exit::Ok
            }
            Err(reason) => usage(&reason),
        },
    }
}

/// The format that the name of the file asks for.
fn by_suffix(path: Option<&str>) -> TransformFormat {
    let suffix = path.and_then(|path| path.rsplit_once('.')).map(|(_, suffix)| suffix.to_ascii_lowercase());
    match suffix.as_deref() {
        Some("json") => TransformFormat::Json,
        Some("eq") => TransformFormat::Eq,
        Some("tex") => TransformFormat::Latex,
        _ => TransformFormat::Text,
    }
}

fn written(system: &Polynomial, format: TransformFormat, source: &Source) -> Result<String, Vec<Diagnostic>> {
    match format {
        TransformFormat::Text => system.text(),
        TransformFormat::Json => Ok(format!("{}\n", system.json()?)),
        TransformFormat::Eq => system.model(&source.name),
        TransformFormat::Latex => Ok(system.latex()),
    }
}
