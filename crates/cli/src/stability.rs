//! `ordinate stability`.

use crate::args::{Format, Index, ModelArgs, StabilityArgs, Units};
use crate::picture::{self, Plot};
use crate::{Exit, message, print_out, source, usage};
use ordinate::{Failure, Picture, RunError, RunOptions, Source, compile};

/// Says where a method is stable, with the rates of a model if there is one.
pub fn stability(args: &StabilityArgs) -> Exit {
    match work(args) {
        Ok(exit) | Err(exit) => exit,
    }
}

fn work(args: &StabilityArgs) -> Result<Exit, Exit> {
    let plot = picture::wish(args.plot.as_deref())?;
    let pictures = pictures(args)?;
    if plot == Plot::Terminal && args.format == Format::Json {
        return Err(usage(
            "a plot in the terminal and `--format json` both want standard output; use `--plot FILE.svg`",
        ));
    }
    let options = RunOptions {
        order: args.order.first().copied(),
        t_start: args.t_start.clone(),
        t_end: args.t_end.clone(),
        ..RunOptions::default()
    };
    let methods = named_methods(args);
    let (text, json, exit) = match methods.as_slice() {
        [] if args.order.len() > 1 => return Err(usage("give one `--order` for a model")),
        [] => of_model(args, options, &plot, &pictures)?,
        names => {
            if let Some(option) = model_option(args) {
                let name = &names[0];
                return Err(usage(&format!(
                    "`{option}` belongs to a model: write `ordinate stability MODEL -m {name} {option} …`"
                )));
            }
            of_methods(args, names, &plot, &pictures)?
        }
    };
    let shown = match (args.format, &plot) {
        (Format::Json, _) => print_out(&format!("{json}\n")),
        (Format::Text, Plot::Terminal) => {
            message(text.trim_end());
            Exit::Ok
        }
        (Format::Text, _) => print_out(&text),
    };
    Ok(if shown == Exit::Ok { exit } else { shown })
}

/// For people, for programs, and how it ended.
type Found = (String, serde_json::Value, Exit);

fn draw(plot: &Plot, figure: &dyn Fn() -> ordinate::Figure) -> Result<(), Exit> {
    if *plot == Plot::None { Ok(()) } else { plot.draw(&figure()) }
}

/// The methods that the command names instead of a model.
fn named_methods(args: &StabilityArgs) -> Vec<String> {
    if !args.text.is_empty() || args.method.is_some() || args.along {
        return Vec::new();
    }
    let parts: Vec<String> = args.what.iter().flat_map(|what| what.split(',')).map(|n| n.trim().to_string()).collect();
    if parts.iter().all(|name| ordinate::is_method(name)) { parts } else { Vec::new() }
}

fn of_methods(args: &StabilityArgs, names: &[String], plot: &Plot, pictures: &[Picture]) -> Result<Found, Exit> {
    let found = ordinate::stabilities(names, &args.order).map_err(|e| show_error(&e, None))?;
    if let [only] = found.as_slice() {
        draw(plot, &|| only.figure(pictures))?;
        return Ok((only.to_text(), only.to_json(), Exit::Ok));
    }
    if !args.show.is_empty() {
        return Err(usage(
            "several methods share one picture of their regions; leave `--show` out, or name one method",
        ));
    }
    draw(plot, &|| ordinate::overlay(&found))?;
    let text: Vec<String> = found.iter().map(|one| one.to_text()).collect();
    let json: Vec<serde_json::Value> = found.iter().map(|one| one.to_json()).collect();
    Ok((text.join("\n"), serde_json::json!({"schema": "ordinate.stability/1", "methods": json}), Exit::Ok))
}

fn of_model(args: &StabilityArgs, options: RunOptions, plot: &Plot, pictures: &[Picture]) -> Result<Found, Exit> {
    let Some(method) = args.method.clone().or_else(|| args.along.then(|| "auto".into())) else {
        return Err(usage(&without_method(args)));
    };
    let model = ModelArgs {
        model: args.what.clone(),
        text: args.text.clone(),
        set: args.set.clone(),
        units: Units::Off,
        index: Index::Reduce,
        regularise: None,
    };
    let source = source::load(&model)?;
    let mut compile_options = source::compile_options(&model)?;
    compile_options.jacobian = true;
    let compiled = compile(&source, &compile_options).map_err(|f| source::show_failure(&f, &source))?;
    let step = source::duration(&compiled, "--step", args.step.as_ref())?;
    let options = RunOptions { method, step, ..options };
    let failed = |e: RunError| show_error(&e, Some(&source));
    if args.along {
        let found = ordinate::along(&compiled, &options).map_err(failed)?;
        draw(plot, &|| found.figure())?;
        let exit = if found.stopped { Exit::Stopped } else { Exit::Ok };
        return Ok((found.to_text(), found.to_json(), exit));
    }
    let found = ordinate::stability_of_model(&compiled, &options).map_err(failed)?;
    draw(plot, &|| found.figure(pictures))?;
    if args.t_end.is_some() {
        message("note    `-t` is not used: the eigenvalues are those at the start; `--along` follows them over a run");
    }
    Ok((found.to_text(), found.to_json(), Exit::Ok))
}

fn looks_like_model(name: &str) -> bool {
    name == "-" || name.ends_with(".eq") || name.contains(['/', '\\']) || std::path::Path::new(name).is_file()
}

fn model_option(args: &StabilityArgs) -> Option<&'static str> {
    let given = [
        (args.step.is_some(), "--step"),
        (!args.set.is_empty(), "--set"),
        (args.t_end.is_some(), "-t"),
        (args.t_start.is_some(), "--t-start"),
    ];
    given.into_iter().find(|(is, _)| *is).map(|(_, option)| option)
}

fn without_method(args: &StabilityArgs) -> String {
    match args.what.as_deref() {
        Some(list) if !looks_like_model(list) && args.text.is_empty() => {
            let name = list.split(',').map(str::trim).find(|name| !ordinate::is_method(name)).unwrap_or(list);
            let available = ordinate::methods_text();
            match ordinate::closest_method(name) {
                Some(meant) => format!("there is no method `{name}`; did you mean `{meant}`?"),
                None => format!("there is no method `{name}`; available: {available}"),
            }
        }
        Some(name) => format!("which method? Write `ordinate stability {name} -m rk4 --step 0.1`, or `--along`"),
        None if !args.text.is_empty() => "which method? Give it by `-m rk4 --step 0.1`, or `--along`".into(),
        None => "give a method, as in `ordinate stability rk4`, or a model, as in `ordinate stability MODEL -m rk4 --step 0.1`".into(),
    }
}

fn pictures(args: &StabilityArgs) -> Result<Vec<Picture>, Exit> {
    if !args.show.is_empty() && args.plot.is_none() {
        return Err(usage("`--show` chooses what `--plot` draws; add `--plot`"));
    }
    if !args.show.is_empty() && args.along {
        return Err(usage("`--along` has a picture of its own; leave `--show` out"));
    }
    if args.show.is_empty() {
        return Ok(vec![Picture::Region]);
    }
    let mut chosen = Vec::new();
    for name in args.show.iter().map(|name| name.trim()) {
        match Picture::ALL.iter().find(|(known, _)| *known == name) {
            Some((_, picture)) => chosen.push(*picture),
            None if name == "all" => {}
            None => {
                let names = Picture::ALL.map(|(name, _)| name).join(", ");
                return Err(usage(&format!("`--show {name}`: no such picture; available: {names}, all")));
            }
        }
    }
    if args.show.iter().any(|name| name.trim() == "all") {
        return Ok(Picture::ALL.map(|(_, picture)| picture).to_vec());
    }
    Ok(chosen)
}

fn show_error(error: &RunError, source: Option<&Source>) -> Exit {
    match (error, source) {
        (RunError::NoEndTime, _) => usage("no end time: add `run 0 .. 10` to the model, or give one with `-t 10`"),
        (RunError::Usage(text), _) => usage(text),
        (RunError::Rows(error), _) => usage(&error.reason),
        (RunError::Model(found), Some(source)) => source::show_failure(&Failure::Model(found.clone()), source),
        (RunError::Model(found), None) => {
            found.iter().for_each(|d| message(&format!("error: {}", d.message)));
            Exit::Model
        }
    }
}
