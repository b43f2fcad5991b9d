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
    ("dae", "algebraic and implicit equations, their start values", || DAE.into()),
    ("index", "the index of such equations, and what is done about it", || INDEX.into()),
    ("newton", "how implicit equations are solved, and looking on", || NEWTON.into()),
    ("linear", "linear systems: the point, the matrices, the pictures", || LINEAR.into()),
    ("controllers", "designs: the point, the kinds, the closed loop", || crate::design::HELP.into()),
    ("realtime", "runs against the wall clock", || REALTIME.into()),
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
  input u = step(t - 1)     a function of time; or a table: input u from \"u.csv\"
  output E = 0.5*x'^2       stored beside the states
  init x = 1, x' = 0        start values; or x(0) = 1; guess z = 1 where one follows from the equations
  run 0 .. 20               start and end time; `-t` overrides the end

  def sat(x) = max(-1, min(1, x))          a function of your own
  for k in 2..S: u[k]' = u[k-1] - u[k]     many alike; u[3] is an element
  if h > 0 then a else b                   a branch; and, or, not, < <= > >= == in conditions
  when h < 0: v = -0.8*v                   an event: acts when the condition becomes true
  stop when y < 0                          ends the run
  every 0.01: u = K*(r - y)                a sampled controller; u is held in between
  quantize(x, q), saturate(x, -1, 1)       a converter and an actuator; noise(seed, sigma) inside `every`
  delay(x, T)                              x a time T ago; delay(x, T, cos(t)) tells its past
  pade(x, T, 5)                            the same approximately, by states; 5 is the order
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
        ("abs", "magnitude; its kink is located"),
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

Units are compared where they are given, and nothing is converted: mm does not fit m.
A number without a unit fits everything. --units warn says what does not fit (default),
--units strict refuses the model, --units off does not look. Time is in seconds: `every T`,
`run 0 .. T` and t beside T want a T in s. Own functions are looked into with the units they get.
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
taylor makes series of the equations as they are, mtsm of the polynomial system that they are transformed to.
radau, bdf, trapezoid and backward-euler are implicit: for stiff models and algebraic equations.
ge3 is for x'' = f(x, t). --order P, --max-order P fix or bound the order (abm, adams, bdf, too).
Runs of ab…, abm and am… start with low orders, which leaves them the orders 2, 2 and 3.
--step H makes the step fixed; the error is not controlled then, but taylor and mtsm add terms until three
in a row are below --atol; --h-scale S lengthens the step once, when the order stays at --min-ord.
ordinate compare MODEL measures them all; ordinate stability METHOD says where one is stable.\n",
    );
    out
}

fn reasons() -> String {
    let mut out = String::from(
        "Why a run ended early: the word behind `stopped`, and `reason.kind` of a summary.\n\
         Each run says more about its own case.\n",
    );
    for kind in ReasonKind::ALL {
        let (word, meaning, next) = (kind.word(), kind.meaning(), kind.next());
        writeln!(out, "\n  {word:<21}  {meaning}\n  {:<21}  {next}", "").expect("a string takes all text");
    }
    out
}

const DAE: &str = "\
An equation need not begin with a derivative: it is just another line.

  x^2 + y^2 = l^2            a constraint; or 0 = x^2 + y^2 - l^2
  v + R*i = u                implicit: solved for what no other equation determines
  exp(x') + x' = u           derivatives may stand anywhere

  init x = 1                 a start value that holds
  guess lam = 0              where the search for one begins: it follows from the equations

How many values must be given is the number of degrees of freedom; `ordinate info MODEL` says it, and
which ones follow. More may be given: they are checked. Values that contradict each other end the run at
once, with the violated equations and what would have to be `guess` instead of `init`.
An event keeps what its action sets; the rest moves so that the equations hold again, velocities first.

  ordinate run examples/pendulum-dae.eq --plot --plot-vars x,y
  ordinate run examples/robertson-dae.eq

ordinate help index, ordinate help newton
";

const INDEX: &str = "\
The index says how often equations must be differentiated until all derivatives follow from them:
0 an ordinary differential equation, 1 with algebraic equations that can be solved as they are,
2 and 3 with constraints on the states, as in mechanics. `ordinate info MODEL` shows it.

  --index reduce        (default) what must be is differentiated; the run stays on the constraints,
                        which are restored at every step and row; all methods can solve the result
  --index direct        radau and bdf on the equations as they are: to compare; errors are larger
  --regularise XI       constraints 0 = g become XI*z' = g: to see why that is worse

Constraints that repeat each other, and equations that determine nothing, are named with the variables
concerned.

ordinate help dae
";

const NEWTON: &str = "\
Implicit methods solve equations in every step, by Newton's method with the exact Jacobian.

  --newton full|simplified|inexact   a new Jacobian in each iteration; one for many steps (default);
                                     linear equations solved only as well as needed
  --newton-tol T                     ends when the residual is below T, and not when the step is good enough;
                                     for a fixed step, so it needs --step H
  --newton-max N                     iterations for one equation, at most
  --trace newton                     prints the iterates, in place of the rows (-o FILE has these);
                                     with --summary json on standard error

  ordinate run examples/minus-x-cubed.eq -m backward-euler --step 0.5 --newton full --trace newton

ordinate help dae, ordinate help methods
";

const LINEAR: &str = "\
ordinate linearize MODEL replaces a model near a point by  x' = A x + B u,  y = C x + D u  (deviations from
the point). Inputs are the `input`s of the model, outputs its `output`s or, without any, all states.

  --at \"phi=0, u=0\"     the point; what is not named has its start value, an input its value at the start
  -t T                   the point that the solution reaches at T
  --equilibrium          the equilibrium near that, with the inputs as they are
  --at \"x=0.01\" --free u   the input u with which x stays there
  --disturbance w        a matrix G of its own for w, an input or a parameter; --input p makes p an input

Derivatives are exact. At a kink or jump (abs, if, …) there is no linear system, and it says so. Algebraic
variables are eliminated; constraints leave their degrees of freedom. What `every` and `when` do is left out.

  --transfer, --gramians, --sampled 0.01 [--hold zoh|tustin|forward|backward]
  --plot [FILE] --picture bode|nyquist|locus|poles|step|impulse|response  [--from INPUT] [--to OUTPUT]
  -o FILE                .json, .mat (MATLAB), .npz (NumPy), .txt, .eq (a linear model that runs)

A mode decays if its eigenvalue has a negative real part; its damping is 1 where it just does not swing.
What no input reaches cannot be controlled, what no output shows cannot be observed: both are named.

  ordinate linearize examples/cart.eq --at \"phi=0\"
  ordinate linearize examples/maglev.eq --at \"x=0.009\" --free u --transfer
  ordinate linearize examples/pendulum-damped.eq --at \"phi=0\" --plot --picture response

ordinate equilibria MODEL searches for equilibria from many starts, and says where it cannot prove that
there are no others; --guess \"x=3\" begins there, too.
";

const REALTIME: &str = "\
--realtime runs a model against the wall clock, one second of the model in one second.

  --rate 1kHz           samples per second (default 1000)
  --substeps N          steps of the method in a sample
  --cpu N, --fifo       on one core; with a real-time priority, where the system permits it
  --on-overrun warn|skip|stop    what a missed deadline does; exit code 4 says that there was one,
                        and \"realtime\" in the summary has the times
  --dry                 as fast as possible: what a sample costs
  --repeat N            with --dry: of each sample the shortest of N runs, that of the program alone

What is declared as `input`, a formula or a table, is read when a sample begins and held until the next one,
over substeps, too: more of them help a slow input, not a fast one. Rows have what was held, and the error
is that of the solution with held inputs. Formulas of t in equations belong to the model: not sampled.
The method is radau3 unless -m names another; a step has at most ten iterations and, without delays and
events, takes no memory.
Some samples are rehearsed before the clock starts, so that the first one costs what others do. The report
has the mean, the 99.9th percentile and the worst computing time of all samples, delays and missed deadlines.

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
