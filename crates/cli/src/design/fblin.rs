//! `ordinate design fblin`.

use super::{CommonArgs, Delivery, deliver, prepare, show_closed_loop_error, show_symbolic_error};
use crate::lists::{List, names};
use crate::{Exit, source, usage};
use clap::Args;
use ordinate::design::{FblinError, FblinOptions, fblin, fblin_figure, fblin_json, fblin_text};

/// The options.
#[derive(Args, Debug)]
pub struct FblinArgs {
    #[command(flatten)]
    pub common: CommonArgs,
    /// What follows a reference: a state, a named expression or an output; as many as inputs
    #[arg(long, value_name = "OUT,…")]
    pub output: Vec<List>,
    /// What it follows, an expression of t, as in "cos(t)"; its value at the point if not given (repeatable, one per output)
    #[arg(long, value_name = "EXPR", allow_hyphen_values = true)]
    pub reference: Vec<String>,
    /// Poles of the error, as many as the relative degree; chosen by the length of the run if not given
    #[arg(long, value_name = "POLES", allow_hyphen_values = true)]
    pub poles: Option<String>,
}

/// Designs the controller.
pub fn run(args: &FblinArgs) -> Result<Exit, Exit> {
    let common = &args.common;
    if common.sampled.is_some() {
        return Err(usage(
            "`--sampled`: feedback linearisation needs a continuous controller; a held input does not \
                          cancel the nonlinear terms",
        ));
    }
    if common.equilibrium || common.time.is_some() {
        return Err(usage("`--equilibrium` and `-t`: fblin holds around any point; name one with `--at`"));
    }
    let options = FblinOptions {
        outputs: names(&args.output),
        inputs: names(&common.input),
        references: args.reference.clone(),
        poles: args.poles.clone(),
        at: source::assignments(&common.at, "--at", "phi=0")?,
        starts: source::assignments(&common.start, "--start", "phi=0.3")?,
        command: super::command(),
    };
    let prepared = prepare(common)?;
    let found = fblin(&prepared.source, &prepared.options, &prepared.compiled, &options, &prepared.folder);
    let found = found.map_err(|error| match error {
        FblinError::Law(error) => show_symbolic_error(&error, &prepared.source),
        FblinError::Loop(error) => show_closed_loop_error(&error),
    })?;
    let delivery = Delivery {
        text: fblin_text(&found),
        json: fblin_json(&found),
        figure: fblin_figure(&found, &prepared.source.name),
        closed_loop: Some(found.closed_loop.text.clone()),
        refusal: found.refusal.clone(),
    };
    deliver(common, &prepared, &delivery)
}
