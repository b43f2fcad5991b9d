//! `ordinate equilibria`.

use crate::args::{EquilibriaArgs, Format};
use crate::{Exit, message, print_out, source, usage};
use ordinate::{EquilibriaError, EquilibriaOptions, equilibria_json, equilibria_text};

/// Shows the equilibria of a model.
pub fn equilibria(args: &EquilibriaArgs) -> Exit {
    match work(args) {
        Ok(exit) | Err(exit) => exit,
    }
}

fn work(args: &EquilibriaArgs) -> Result<Exit, Exit> {
    let guess = source::guesses(&args.guess)?;
    let compiled = source::compiled(&args.model)?;
    match ordinate::equilibria(&compiled, &EquilibriaOptions { guess }) {
        Ok(found) => Ok(print_out(&match args.format {
            Format::Json => format!("{}\n", equilibria_json(&found)),
            Format::Text => equilibria_text(&found),
        })),
        Err(EquilibriaError::Usage(text)) => Err(usage(&text)),
        Err(EquilibriaError::Interrupted) => Ok(Exit::Interrupted),
        Err(EquilibriaError::None { message: text, hint }) => {
            if args.format == Format::Json {
                print_out("{\"schema\":\"ordinate.equilibria/1\",\"points\":[]}\n");
            }
            message(&format!("stopped {text}"));
            message(&format!("next    {hint}"));
            Ok(Exit::Stopped)
        }
    }
}
