//! `ordinate help`: commands, and one screen each on the language, functions, units, methods and implicit models.

use crate::args::{HelpArgs, Line};
use crate::{Exit, print_out, usage};
use clap::CommandFactory;
use ordinate::{Arity, FUNCTIONS, ReasonKind};
use std::fmt::Write;

/// Name, what it is about, how its text is made.
type Topic = (&'static str, &'static str, fn() -> String);

/// The topics.
pub const TOPICS: [Topic; 11] = [
    ("language", "how a model is written", language),
    ("functions", "functions of the language", functions),
    ("units", "units and how they are checked", units),
    ("methods", "numerical methods for -m", methods),
    ("reasons", "why a run may end early, and what to do", reasons),
    ("dae", "algebraic and implicit equations, consistent initial conditions", || DAE.into()),
    ("index", "the index of a DAE, and index reduction", || INDEX.into()),
    ("newton", "how implicit equations are solved, and how to trace it", || NEWTON.into()),
    ("linear", "linearisation: operating point, matrices, plots", || LINEAR.into()),
    ("controllers", "controller design: operating point, methods, closed loop", || crate::design::HELP.into()),
    ("realtime", "real-time runs against the wall clock", || REALTIME.into()),
];

/// The list of topics below the list of commands.
pub fn topics() -> String {
    let mut out = String::from("Topics:\n");
    for (name, about, _) in TOPICS {
        writeln!(out, "  ordinate help {name:<11} {about}").expect("a string takes all text");
    }
    out
}

/// Shows the help of a command or a topic.
pub fn help(args: &HelpArgs) -> Exit {
    let mut line = Line::command();
    line.build();
    let Some(topic) = &args.topic else { return print_out(&line.render_help().to_string()) };
    if let Some((.., text)) = TOPICS.iter().find(|(name, ..)| name == topic) {
        return print_out(&text());
    }
    if let Some(command) = line.find_subcommand_mut(topic) {
        return print_out(&command.render_help().to_string());
    }
    let commands: Vec<String> = line.get_subcommands().map(|command| command.get_name().to_string()).collect();
    let known = commands.iter().map(String::as_str).chain(TOPICS.iter().map(|(name, ..)| *name));
    let hint = match ordinate::closest(topic, known) {
        Some(meant) => format!("did you mean `ordinate help {meant}`?"),
        None => format!("topics are {}", TOPICS.map(|(name, ..)| name).join(", ")),
    };
    usage(&format!("there is no help on `{topic}`; {hint}"))
}

fn language() -> String {
    "\
Equations are written as on paper, one per line or separated by `;`, in any order. `#` starts a comment.

  x'' = -k/m*x              derivative: y', y'', …; equations may be implicit: m*x'' + k*x = F
  F = -k*x                  a named expression; every name can be stored and plotted
  param k = 4 [N/m]         a constant; `--set k=5` overrides it
  input u = step(t - 1)     a function of time, or a table: input u from \"u.csv\"
  output E = 0.5*x'^2       stored with the states
  init x = 1, x' = 0        initial conditions, or x(0) = 1; guess z = 1 where the equations give the value
  run 0 .. 20               start and end time; `-t` overrides the end

  def sat(x) = max(-1, min(1, x))          a function of your own
  for k in 2..S: u[k]' = u[k-1] - u[k]     one equation for each k; u[3] is an element
  if h > 0 then a else b                   a branch; and, or, not, < <= > >= == in conditions
  when h < 0: v = -0.8*v                   an event: acts when the condition becomes true
  stop when y < 0                          ends the run
  every 0.01: u = K*(r - y)                a sampled controller; u is held in between
  quantize(x, q), saturate(x, -1, 1)       a converter and an actuator; noise(seed, sigma) inside `every`
  delay(x, T)                              x(t - T); delay(x, T, cos(t)) gives x before the start
  pade(x, T, 5)                            a Padé approximation of order 5
  laplace((s + 2)/(s^2 + 3*s + 1), u)      a transfer function, from rest

A line that ends in `:` is followed by an indented block. `^` is power, `*` is always written,
`t` is time, `pi` is 3.14159…; -x^2 is -(x^2). Names may hold letters of any script, digits and _.

ordinate help functions, ordinate help units; ordinate examples lists models to look at.
"
    .to_string()
}

fn functions() -> String {
    const ABOUT: &[(&str, &str)] = &[
        ("log", "natural logarithm"),
        ("log10", "decimal logarithm"),
        ("atan2", "atan2(y, x): the angle of the point (x, y)"),
        ("erf", "error function"),
        ("expm1", "exp(x) - 1, to the last digit where x is small"),
        ("log1p", "log(1 + x), to the last digit where x is small"),
        ("pow", "pow(x, p): x to the power p, as x^p"),
        ("cbrt", "cube root"),
        ("abs", "absolute value; its kink is located"),
        ("sign", "-1, 0 or 1; its jump is located"),
        ("floor", "greatest integer not above x"),
        ("step", "0 for x < 0, then 1"),
        ("pulse", "pulse(x, w): 1 for 0 <= x < w, else 0"),
        ("ramp", "max(0, x)"),
        ("quantize", "quantize(x, q): x rounded to a multiple of q, halves upwards"),
        ("saturate", "saturate(x, low, high), or saturate(x, m) between -m and m"),
        ("noise", "noise(seed, sigma) in `every` and `when`; noise(seed, sigma, Ts) elsewhere"),
    ];
    let mut out = String::from("Functions of the language; angles are in radians.\n\n");
    let mut plain: Vec<String> = Vec::new();
    for &(name, arity) in FUNCTIONS {
        let call = match arity {
            Arity::Exactly(1) => format!("{name}(x)"),
            Arity::Exactly(n) => format!("{name}({})", vec!["…"; n].join(", ")),
            Arity::AtLeast(_) => format!("{name}(x, y, …)"),
            Arity::OrOneMore(_) => format!("{name}(…)"),
        };
        match ABOUT.iter().find(|(known, _)| *known == name) {
            Some((_, about)) => writeln!(out, "  {call:<14} {about}").expect("a string takes all text"),
            None => plain.push(call),
        }
    }
    out.push('\n');
    for row in plain.chunks(6) {
        writeln!(out, "  {}", row.join(", ")).expect("a string takes all text");
    }
    out.push_str("\nYour own: def sat(x) = max(-1, min(1, x))\n");
    out
}

fn units() -> String {
    "\
A unit is a bracket at the end of a declaration, after a space: param k = 4 [N/m], init x = 1 [m].
(`u[3]` without a space is an element.) Products and powers: kg*m/s^2, J/(kg*K), 1/s, m^0.5.

  base        m kg s A K mol cd
  derived     rad deg ° sr Hz N Pa J W C V F Ohm Ω S Wb T H Bq
  others      L l bar eV min h day year AU rpm %
  prefixes    f p n u µ m c d h k M G T

Units are compared where they are given, and nothing is converted: mm does not match m.
A number without a unit matches everything. --units warn warns of a mismatch (default),
--units strict refuses the model, --units off does not check. Time is in seconds: `every T`,
`run 0 .. T` and t beside T need T in s. Functions (`def`) are checked with the units of their arguments.
"
    .to_string()
}

fn methods() -> String {
    let mut out = String::from("Methods for -m; capital letters do not matter.\n\n");
    let mut line = |names: &str, text: &str| writeln!(out, "  {names:<22} {text}").expect("a string takes all text");
    line("auto", "taylor or dp8; radau or bdf where they cost less (stiff models) or are needed");
    let (fixed, controlled): (Vec<_>, Vec<_>) = ordinate::methods().into_iter().partition(|method| method.needs_step);
    // Neighbours of which the same is to be said share a line.
    let mut lines: Vec<(Vec<&str>, String)> = Vec::new();
    for method in controlled {
        let control = if method.estimates { "" } else { ", error by step doubling" };
        let also =
            if method.aliases.is_empty() { String::new() } else { format!("; also {}", method.aliases.join(", ")) };
        let varies = if method.order_varies { "up to " } else { "" };
        let text = format!("order {varies}{}{control}{also}", method.order);
        match lines.last_mut().filter(|(_, last)| *last == text) {
            Some((names, _)) => names.push(method.name),
            None => lines.push((vec![method.name], text)),
        }
    }
    lines.iter().for_each(|(names, text)| line(&names.join(", "), text));
    let fixed: Vec<&str> = fixed.iter().map(|method| method.name).collect();
    line("with --step only", &runs(&fixed));
    out.push_str(
        "
taylor expands the equations as written, mtsm the polynomial system to which they are transformed.
radau, bdf, trapezoid and backward-euler are implicit: for stiff models and algebraic equations.
ge3 is for x'' = f(x, t). --order P and --max-order P fix or limit the order (also of abm, adams, bdf).
ab…, abm and am… start with low orders, which limits the order of the global error to 2, 2 and 3.
--step H fixes the step size; the error is then not controlled, except that taylor and mtsm add terms until
three in a row are below --atol; --h-scale S lengthens the step once, when the order stays at --min-ord.
ordinate compare MODEL measures them all; ordinate stability METHOD shows the stability region of one.\n",
    );
    out
}

fn reasons() -> String {
    let mut out = String::from(
        "Why a run ended early: `reason.kind` in the summary, what it means, and what to do.\n\
         The message of each run says more about its own case.\n",
    );
    for kind in ReasonKind::ALL {
        let (word, meaning, next) = (kind.word(), kind.meaning(), kind.next());
        writeln!(out, "\n  {word:<21}  {meaning}\n  {:<21}  {next}", "").expect("a string takes all text");
    }
    out
}

const DAE: &str = "\
Differential-algebraic equations (DAEs): an equation need not begin with a derivative.

  x^2 + y^2 = l^2            a constraint; or 0 = x^2 + y^2 - l^2
  v + R*i = u                implicit: solved for what no other equation determines
  exp(x') + x' = u           derivatives may stand anywhere

  init x = 1                 an initial condition: a start value that holds exactly
  guess lam = 0              an initial guess: the value itself follows from the equations

Consistent initial conditions: as many values must be given as there are degrees of freedom; `ordinate
info MODEL` says how many, and which values follow. More may be given: they are checked. Values that
contradict each other end the run at once, with the violated equations and with what should be `guess`
instead of `init`. After an event, variables that its action sets keep their values; the others change as
little as possible so that the equations hold again.

  ordinate run examples/pendulum-dae.eq --plot --plot-vars x,y
  ordinate run examples/robertson-dae.eq

ordinate help index, ordinate help newton
";

const INDEX: &str = "\
The (differentiation) index is how many times equations must be differentiated until all derivatives
follow from them: 0 for ordinary differential equations, 1 with algebraic equations that can be solved
as they are, 2 and 3 with constraints on the states, as in mechanics. `ordinate info MODEL` shows it.

  --index reduce        (default) index reduction: equations are differentiated as needed, and the solution
                        is projected onto the constraints at every step and row; all methods apply
  --index direct        radau and bdf on the equations as written (for comparison; errors are larger)
  --regularise XI       constraints 0 = g become XI*z' = g (for comparison; less accurate)

Redundant constraints and equations that determine nothing are named, with the variables involved.

ordinate help dae
";

const NEWTON: &str = "\
Implicit methods solve equations in every step, by Newton's method with the exact Jacobian.

  --newton full|simplified|inexact   a new Jacobian in each iteration; one for many steps (default);
                                     linear equations solved only to the accuracy needed
  --newton-tol T                     iterate until the residual is below T, instead of until the step is
                                     accurate enough; needs a fixed step, --step H
  --newton-max N                     maximum number of iterations for one solution
  --trace newton                     print the iterates instead of the rows (-o FILE stores the rows);
                                     with --summary json they go to standard error

  ordinate run examples/minus-x-cubed.eq -m backward-euler --step 0.5 --newton full --trace newton

ordinate help dae, ordinate help methods
";

const LINEAR: &str = "\
ordinate linearize MODEL approximates a model near an operating point by  x' = A x + B u,  y = C x + D u
(in deviations from the point). Inputs are the `input`s of the model, outputs its `output`s or, without any, all states.

  --at \"phi=0, u=0\"     the point; unnamed variables keep their start values, inputs their values at the start
  -t T                   the point that the solution reaches at T
  --equilibrium          the equilibrium near that point, with the inputs as they are
  --at \"x=0.01\" --free u   find the input u that holds x there
  --disturbance w        a separate matrix G for w, an input or a parameter; --input p makes p an input

Derivatives are exact. A kink or jump at the point (abs, if, …) is refused by name. Algebraic variables
are eliminated; constraints leave their degrees of freedom. The actions of `every` and `when` are left out.

  --transfer, --gramians, --sampled 0.01 [--hold zoh|tustin|forward|backward]
  --plot [FILE] --picture bode|nyquist|locus|poles|step|impulse|response  [--from INPUT] [--to OUTPUT]
  -o FILE                .json, .mat (MATLAB), .npz (NumPy), .txt, .eq (a runnable linear model)

A mode decays if its eigenvalue has a negative real part; its damping ratio is 1 at critical damping.
A mode that no input reaches is uncontrollable, one that no output shows is unobservable: both are named.

  ordinate linearize examples/cart.eq --at \"phi=0\"
  ordinate linearize examples/maglev.eq --at \"x=0.009\" --free u --transfer
  ordinate linearize examples/pendulum-damped.eq --at \"phi=0\" --plot --picture response

ordinate equilibria MODEL searches for equilibria from many starts, and says when it cannot
prove that there are no others; --guess \"x=3\" also starts there.
";

const REALTIME: &str = "\
--realtime runs a model against the wall clock: one second of the model takes one second.

  --rate 1kHz           samples per second (default 1000)
  --substeps N          steps of the method in a sample
  --cpu N, --fifo       pin to one core; real-time priority (SCHED_FIFO), if the system permits it
  --on-overrun warn|skip|stop    what to do about a missed deadline; exit code 4 says that there was
                        one, and \"realtime\" in the summary has the times
  --dry                 as fast as possible: measures the computing time per sample
  --repeat N            with --dry: the shortest of N runs for each sample, without the system's interruptions

Inputs (`input`, formula or table) are sampled: read when a sample begins and held until the next one, over
all its substeps. Rows show the held values, and the error is that of the solution with held inputs. Formulas
of t in equations are part of the model and are not sampled.
The method is radau3 unless -m names another; a step has at most ten Newton iterations and, without delays and
events, allocates no memory.
A few samples are computed before the clock starts, to warm up. The report has the mean, the 99.9th percentile
and the worst computing time of all samples, their start delays and missed deadlines.

  ordinate run examples/reactor.eq --realtime --dry -o reactor.csv
  ordinate run examples/dae-spring-fast.eq --realtime --dry --rate 10Hz --substeps 10 --plot
";

/// `ab1, ab2, ab3, abm` as `ab1 … ab3, abm`.
fn runs(names: &[&str]) -> String {
    let stem = |name: &str| name.trim_end_matches(|c: char| c.is_ascii_digit()).to_string();
    let mut parts: Vec<(&str, &str)> = Vec::new();
    for name in names {
        match parts.last_mut().filter(|(first, _)| stem(first) == stem(name)) {
            Some((_, last)) => *last = name,
            None => parts.push((name, name)),
        }
    }
    let text =
        |(first, last): &(&str, &str)| if first == last { first.to_string() } else { format!("{first} … {last}") };
    parts.iter().map(text).collect::<Vec<_>>().join(", ")
}
