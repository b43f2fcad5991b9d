//! `ordinate examples` and `ordinate new`: the gallery inside the program.

use crate::args::{ExamplesArgs, NewArgs};
use crate::output::write_file;
use crate::{Exit, message, print_out, usage};
use std::path::Path;

include!(concat!(env!("OUT_DIR"), "/gallery.rs"));

/// What a name that is not in the gallery gets.
const SKELETON: &str = "\
# NAME.eq — what it is
# A damped oscillator to start from: change the equations, the start values and the time.
param m = 1 [kg], d = 0.2 [kg/s], k = 4 [N/m]     # parameters; `--set k=5` overrides one
input F = 0 [N]                                   # a function of t, e.g. step(t - 1)

m*x'' + d*x' + k*x = F                            # equations as on paper; x' is a derivative

init x = 1 [m], x' = 0 [m/s]                      # start values
output E = 0.5*m*x'^2 + 0.5*k*x^2                 # stored and plotted beside the states
run 0 .. 20                                       # start and end time
";

/// The text of a model of the gallery.
pub fn model(name: &str) -> Option<&'static str> {
    let file = if name.ends_with(".eq") { name.to_string() } else { format!("{name}.eq") };
    FILES.iter().find(|(known, _)| *known == file).map(|&(_, text)| text)
}

fn models() -> impl Iterator<Item = (&'static str, &'static str)> {
    FILES.iter().filter_map(|&(file, text)| Some((file.strip_suffix(".eq")?, text)))
}

/// Lists the gallery or prints one of its models.
pub fn examples(args: &ExamplesArgs) -> Exit {
    let Some(name) = &args.name else {
        return print_out(&list());
    };
    match model(name) {
        Some(text) => print_out(text),
        None => unknown(name),
    }
}

fn title(name: &str, text: &'static str) -> &'static str {
    let title = text.lines().next().unwrap_or_default().trim_start_matches('#').trim();
    // the file name at the beginning of the comment is in the first column already
    title.strip_prefix(&format!("{name}.eq")).unwrap_or(title).trim_start_matches([' ', '—', '-', ':'])
}

/// The gallery by its sections; what stands in none comes last.
fn list() -> String {
    let mut out = String::new();
    let mut rest: Vec<(&'static str, &'static str)> = models().collect();
    let mut section = |heading: &str, models: &[(&'static str, &'static str)]| {
        if !models.is_empty() {
            out.push_str(&format!("{heading}\n"));
            models.iter().for_each(|&(name, text)| out.push_str(&format!("  {name:<34} {}\n", title(name, text))));
            out.push('\n');
        }
    };
    for (heading, names) in SECTIONS {
        let (here, others): (Vec<_>, Vec<_>) = rest.iter().copied().partition(|(name, _)| names.contains(name));
        rest = others;
        let place = |name: &str| names.iter().position(|known| *known == name);
        let mut here = here;
        here.sort_by_key(|(name, _)| place(name));
        section(heading, &here);
    }
    section("Others", &rest);
    out.push_str("ordinate new NAME writes one of them to NAME.eq; ordinate examples NAME prints it.\n");
    out
}

fn unknown(name: &str) -> Exit {
    let hint = match ordinate::closest(name, models().map(|(known, _)| known)) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => "`ordinate examples` lists them".into(),
    };
    usage(&format!("there is no model `{name}` in the gallery; {hint}"))
}

/// Writes a commented model.
pub fn new(args: &NewArgs) -> Exit {
    let name = args.name.strip_suffix(".eq").unwrap_or(&args.name);
    let path = args.output.clone().unwrap_or_else(|| format!("{name}.eq"));
    if Path::new(&path).exists() {
        return usage(&format!("`{path}` exists already; give another name with -o"));
    }
    let own =
        SKELETON.replace("NAME", Path::new(name).file_name().map_or("model".into(), |n| n.to_string_lossy()).as_ref());
    let known = model(name);
    let text = known.unwrap_or(&own);
    if let Err(reason) = write_file(&path, text.as_bytes()) {
        return usage(&reason);
    }
    // a table that the model reads comes along
    for (file, table) in FILES.iter().filter(|(file, _)| file.ends_with(".csv") && text.contains(file)) {
        let beside = Path::new(&path).with_file_name(file);
        if let Err(reason) = write_file(&beside.to_string_lossy(), table.as_bytes()) {
            return usage(&reason);
        }
    }
    let what = if known.is_some() { "from the gallery" } else { "a damped oscillator to start from" };
    message(&format!("wrote   {path}  ({what})\nnext    ordinate run {path} --plot"));
    Exit::Ok
}
