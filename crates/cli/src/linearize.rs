//! `ordinate linearize`.

use crate::args::{Format, LinearizeArgs, Sampling};
use crate::lists::names;
use crate::output::write_file;
use crate::picture::{self, Plot};
use crate::{Exit, message, print_out, source, usage};
use ordinate::{
    Analysis, AnalysisOptions, Compiled, Failure, Hold, LinearFigureOptions, LinearPicture, Linearization,
    LinearizeError, LinearizeOptions,
};

/// Shows the linear system of a model near a point.
pub fn linearize(args: &LinearizeArgs) -> Exit {
    match work(args) {
        Ok(exit) | Err(exit) => exit,
    }
}

fn work(args: &LinearizeArgs) -> Result<Exit, Exit> {
    let plot = picture::wish(args.plot.as_deref())?;
    let picture = picture_of(args)?;
    if plot == Plot::Terminal && args.format == Format::Json {
        return Err(usage(
            "a plot in the terminal and `--format json` both want standard output; use `--plot FILE.svg`",
        ));
    }
    args.output.iter().try_for_each(|path| suffix(path).map(|_| ()))?;
    let at = source::assignments(&args.at, "--at", "phi=0")?;
    let (source, compiled) = source::compiled_from(&args.model)?;
    let sampled = sampling(args, &compiled)?;
    let span = source::duration(&compiled, "--span", args.span.as_ref())?;
    let time = match &args.time {
        Some(text) => Some(compiled.time(text, "-t").map_err(|text| usage(&text))?),
        None => None,
    };
    let failed = |error: LinearizeError| match error {
        LinearizeError::Usage(text) => usage(&text),
        LinearizeError::Model(found) => source::show_failure(&Failure::Model(found), &source),
        LinearizeError::None { message: text, hint } => {
            message(&format!("stopped {text}"));
            message(&format!("next    {hint}"));
            Exit::Stopped
        }
    };
    let options = LinearizeOptions {
        at,
        time,
        equilibrium: args.equilibrium,
        free: names(&args.free),
        inputs: names(&args.input),
        disturbances: names(&args.disturbance),
    };
    let linear = ordinate::linearize(&compiled, &options).map_err(failed)?;
    let wishes = AnalysisOptions { transfer: args.transfer, gramians: args.gramians, sampled };
    let analysis = ordinate::analyse(&linear, &wishes).map_err(failed)?;
    let name = compiled.name.rsplit('/').next().unwrap_or(&compiled.name);
    if plot != Plot::None {
        let wish = LinearFigureOptions { from: args.from.clone(), to: args.to.clone(), span };
        let figure = match picture {
            LinearPicture::Response => ordinate::response_figure(&linear, &compiled, &wish, name),
            other => ordinate::linear_figure(&linear, other, &wish, name),
        };
        plot.draw(&figure.map_err(failed)?)?;
    }
    for path in &args.output {
        write_file(path, &written(path, &linear, &analysis, &compiled)?).map_err(|text| usage(&text))?;
        message(&format!("wrote   {path}"));
    }
    let text = match args.format {
        Format::Json => return Ok(print_out(&format!("{}\n", ordinate::linearize_json(&linear, &analysis)))),
        Format::Text => ordinate::linearize_text(&linear, &analysis, name),
    };
    Ok(match plot {
        Plot::Terminal => {
            message(text.trim_end());
            Exit::Ok
        }
        Plot::None | Plot::Svg(_) | Plot::Png(_) => print_out(&text),
    })
}

/// What a file is to hold, by its name.
#[derive(Clone, Copy)]
enum Suffix {
    Json,
    Mat,
    Npz,
    Model,
    Text,
}

fn suffix(path: &str) -> Result<Suffix, Exit> {
    let lower = path.to_ascii_lowercase();
    match lower.rsplit_once('.').map(|(_, suffix)| suffix) {
        Some("json") => Ok(Suffix::Json),
        Some("mat") => Ok(Suffix::Mat),
        Some("npz") => Ok(Suffix::Npz),
        Some("eq") => Ok(Suffix::Model),
        Some("txt") => Ok(Suffix::Text),
        Some("svg" | "png") => Err(usage(&format!("`-o {path}`: pictures are drawn by `--plot {path}`"))),
        _ => Err(usage(&format!("`-o {path}`: linear systems are written as .json, .mat, .npz, .eq or .txt"))),
    }
}

fn written(path: &str, linear: &Linearization, analysis: &Analysis, compiled: &Compiled) -> Result<Vec<u8>, Exit> {
    Ok(match suffix(path)? {
        Suffix::Json => format!("{}\n", ordinate::linearize_json(linear, analysis)).into_bytes(),
        Suffix::Mat => ordinate::linearize_mat(linear, analysis),
        Suffix::Npz => ordinate::linearize_npz(linear, analysis),
        Suffix::Model => ordinate::linearize_model(linear, compiled).into_bytes(),
        Suffix::Text => ordinate::linearize_text(linear, analysis, &compiled.name).into_bytes(),
    })
}

fn sampling(args: &LinearizeArgs, compiled: &Compiled) -> Result<Option<(f64, Hold)>, Exit> {
    let Some(period) = source::duration(compiled, "--sampled", args.sampled.as_ref())? else { return Ok(None) };
    let hold = match args.hold {
        Sampling::Zoh => Hold::Zero,
        Sampling::Tustin => Hold::Tustin,
        Sampling::Forward => Hold::Forward,
        Sampling::Backward => Hold::Backward,
    };
    Ok(Some((period, hold)))
}

fn picture_of(args: &LinearizeArgs) -> Result<LinearPicture, Exit> {
    let Some(name) = args.picture.as_deref().map(str::trim) else { return Ok(LinearPicture::Bode) };
    if args.plot.is_none() {
        return Err(usage("`--picture` chooses what `--plot` draws; add `--plot`"));
    }
    if let Some((_, picture)) = LinearPicture::ALL.iter().find(|(known, _)| *known == name) {
        return Ok(*picture);
    }
    let names = LinearPicture::ALL.map(|(name, _)| name);
    Err(usage(&format!("`--picture {name}`: no such picture; available: {}", ordinate::instead(name, names))))
}
