//! The kinds of models. Most have y′ = z′ − a (y − z) with z a function of a known x: then y = z + (y₀ − z₀) exp(−a t).

use crate::case::{Case, Expect, Known};
use crate::driver::Driver;
use crate::random::Random;
use crate::shape::Shape;

/// So many models of a kind.
pub fn cases(seed: u64, count: usize, kind: fn(&mut Random) -> Case) -> impl Iterator<Item = Case> {
    let mut random = Random::new(seed);
    (0..count).map(move |_| kind(&mut random))
}

/// y follows z exactly (a = 0), or what is left of the difference dies away.
fn follower(random: &mut Random, driver: Driver, z_text: &str, z: Known, t_end: f64) -> Case {
    let rate = if random.one_in(2) { 0.0 } else { random.between(0.1, 2.0) };
    let start = random.between(-1.0, 1.0);
    let law = match rate {
        0.0 => "y' = z'".to_string(),
        _ => format!("y' = z' - {rate:?}*(y - z)"),
    };
    let lines = [driver.text(), format!("z = {z_text}\n"), format!("{law}\ninit y = {start:?}\n")];
    let order = random.pick(&[[0, 1, 2], [2, 1, 0], [1, 2, 0]]);
    let text = order.map(|k| lines[k].as_str()).concat();
    let z = std::sync::Arc::new(z);
    let of_y = z.clone();
    let known: Vec<(&'static str, Known)> = vec![
        ("x", Box::new(move |t| driver.at(t))),
        ("z", Box::new(move |t| z(driver.at(t)))),
        ("y", Box::new(move |t| of_y(driver.at(t)) + (start - of_y(driver.at(0.0))) * (-rate * t).exp())),
    ];
    Case { text, t_end, known, expect: Expect::Solution }
}

/// z is made of branches.
pub fn branches(random: &mut Random) -> Case {
    let driver = Driver::random(random);
    let depth = 1 + random.below(3);
    let shape = Shape::random(random, depth);
    let t_end = random.between(3.0, 8.0);
    follower(random, driver, &shape.text(), Box::new(move |x| shape.at(x)), t_end)
}

/// u = saturate(k (r − x), low, high), y′ = u + τ u′.
pub fn lead(random: &mut Random) -> Case {
    let driver = Driver::monotone(random);
    let (gain, goal, lead) = (random.between(0.5, 4.0), random.between(-1.0, 2.0), random.between(0.05, 1.0));
    let (low, high) = (random.between(-1.5, -0.1), random.between(0.1, 1.5));
    let u = move |t: f64| (gain * (goal - driver.at(t))).min(high).max(low);
    let integral = move |end: f64| {
        let mut breaks = vec![0.0, end];
        breaks.extend([low, high].iter().filter_map(|side| driver.when(goal - side / gain)).filter(|t| *t < end));
        breaks.sort_by(f64::total_cmp);
        let pieces = breaks.windows(2).map(|ends| {
            let (from, to) = (ends[0], ends[1]);
            match u(0.5 * (from + to)) {
                side if side == low || side == high => side * (to - from),
                _ => gain * (goal * (to - from) - (driver.integral(to) - driver.integral(from))),
            }
        });
        pieces.sum::<f64>()
    };
    let text = format!(
        "{}u = saturate({gain:?}*({goal:?} - x), {low:?}, {high:?})\nT = u + {lead:?}*u'\ny' = T\ninit y = 0\n",
        driver.text()
    );
    let known: Vec<(&'static str, Known)> =
        vec![("u", Box::new(u)), ("y", Box::new(move |t| integral(t) + lead * (u(t) - u(0.0))))];
    Case { text, t_end: random.between(3.0, 8.0), known, expect: Expect::Solution }
}

/// z is a function that underflows to a constant at ordinary points.
pub fn underflow(random: &mut Random) -> Case {
    let speed = random.pick(&[1.0, 2.0, 0.5]);
    let driver = Driver::ramp(random.between(-5.0, 5.0), speed);
    let (centre, width) = (random.between(40.0, 90.0), random.between(1.0, 4.0));
    let q = format!("((x - {centre:?})/{width:?})");
    let q_at = move |x: f64| (x - centre) / width;
    let (text, z): (String, Known) = match random.below(5) {
        0 => (format!("exp(-{q}^2)"), Box::new(move |x| (-q_at(x).powi(2)).exp())),
        1 => (format!("tanh{q}"), Box::new(move |x| q_at(x).tanh())),
        2 => (format!("erf{q}"), Box::new(move |x| libm::erf(q_at(x)))),
        3 => (format!("1/(1 + exp(-{q}))"), Box::new(move |x| 1.0 / (1.0 + (-q_at(x)).exp()))),
        _ => (format!("log(1 + exp({q}))"), Box::new(move |x| q_at(x).max(0.0) + (-q_at(x).abs()).exp().ln_1p())),
    };
    follower(random, driver, &text, z, 100.0 / speed)
}

/// y′ = A exp(−((x − c)/s)²), x = v t, with a width of a hundredth of the range or more.
pub fn peak(random: &mut Random) -> Case {
    let (speed, range) = (random.between(0.5, 2.0), 10.0);
    let (height, centre) = (random.between(0.5, 5.0), random.between(2.0, 8.0));
    let width = random.between(0.1, 1.0);
    let text = format!("x' = {speed:?}\ny' = {height:?}*exp(-((x - {centre:?})/{width:?})^2)\ninit x = 0, y = 0\n");
    let half = height * width / speed * std::f64::consts::PI.sqrt() / 2.0;
    let y = move |t: f64| half * (libm::erf((speed * t - centre) / width) + libm::erf(centre / width));
    let known: Vec<(&'static str, Known)> = vec![("y", Box::new(y))];
    Case { text, t_end: range / speed, known, expect: Expect::Solution }
}

/// y′ = k g((x − c)/s) with a gate g whose exponential overflows at the start.
pub fn gate(random: &mut Random) -> Case {
    let speed = random.between(0.5, 20.0);
    let (gain, centre) = (random.between(0.5, 3.0), random.between(3.0, 8.0));
    let width = random.pick(&[0.01, 0.02, 0.05, 0.1, 0.3, 1.0]);
    let q = format!("(x - {centre:?})/{width:?}");
    let q_at = move |t: f64| (speed * t - centre) / width;
    // log(1 + exp q) and log cosh q, without overflow
    let softplus = |q: f64| q.max(0.0) + (-q.abs()).exp().ln_1p();
    let log_cosh = |q: f64| q.abs() + (-2.0 * q.abs()).exp().ln_1p() - std::f64::consts::LN_2;
    let scale = gain * width / speed;
    let (law, y): (String, Known) = match random.below(4) {
        0 => (
            format!("{gain:?}/(1 + exp(-({q})))"),
            Box::new(move |t| scale * (softplus(q_at(t)) - softplus(q_at(0.0)))),
        ),
        1 => (
            format!("{gain:?}*exp({q})/(1 + exp({q}))"),
            Box::new(move |t| scale * (softplus(q_at(t)) - softplus(q_at(0.0)))),
        ),
        2 => (format!("{gain:?}*tanh({q})"), Box::new(move |t| scale * (log_cosh(q_at(t)) - log_cosh(q_at(0.0))))),
        _ => {
            (format!("{gain:?}/(1 + exp({q}))"), Box::new(move |t| scale * (softplus(-q_at(0.0)) - softplus(-q_at(t)))))
        }
    };
    let text = format!("x' = {speed:?}\ny' = {law}\ninit x = 0, y = 0\n");
    let known: Vec<(&'static str, Known)> = vec![("y", y)];
    Case { text, t_end: 10.0 / speed, known, expect: Expect::Solution }
}

/// 0/0 that is none: q/(1 − exp(−q)), (exp(q) − 1)/q, and the derivative of sin(x)/x.
pub fn removable(random: &mut Random) -> Case {
    let driver = Driver::ramp(random.pick(&[-1.0, -2.0, -0.7, -1.3]), random.pick(&[1.0, 0.5, 1.7]));
    let centre = random.pick(&[0.0, 0.25, -0.3]);
    let q = format!("(x - ({centre:?}))");
    let q_at = move |x: f64| x - centre;
    // by the series where digits cancel
    let relative = |q: f64| if q == 0.0 { 1.0 } else { q.exp_m1() / q };
    let case = match random.below(3) {
        0 => {
            let z: Known = Box::new(move |x| 1.0 / relative(-q_at(x)));
            follower(random, driver, &format!("{q}/(1 - exp(-{q}))"), z, 4.0)
        }
        1 => follower(random, driver, &format!("(exp({q}) - 1)/{q}"), Box::new(move |x| relative(q_at(x))), 4.0),
        _ => {
            let sinc = |q: f64| if q.abs() < 1e-8 { 1.0 } else { q.sin() / q };
            // (a run that ends at the zero itself: docs/limits.md)
            let start = random.between(-1.0, 1.0);
            let Driver::Ramp { speed, .. } = driver else { unreachable!("it is a ramp") };
            let text = format!("{}y' = {speed:?}*({q}*cos({q}) - sin({q}))/{q}^2\ninit y = {start:?}\n", driver.text());
            let y = move |t: f64| start + sinc(q_at(driver.at(t))) - sinc(q_at(driver.at(0.0)));
            let known: Vec<(&'static str, Known)> = vec![("y", Box::new(y))];
            Case { text, t_end: 4.3, known, expect: Expect::Solution }
        }
    };
    Case { expect: Expect::SolutionOrPole, ..case }
}

/// M (x′, y′) + (x, y) = what makes x = sin t and y = cos 2t the solution, with a matrix of decimals that is singular exactly, or
/// nearly.
pub fn cancelling(random: &mut Random) -> Case {
    let (a, b) = (random.between(0.1, 1.0), random.between(0.1, 1.0));
    // rows (a, b) and (f a, f b), so that all is decided by the last place of one number
    let factor = random.pick(&[2.0, 3.0, 5.0, 7.0]);
    let exact = random.one_in(2);
    let [x, y, dx, dy] = ["sin(t)", "cos(2*t)", "cos(t)", "(-2*sin(2*t))"];
    let nearly = if exact { 0.0 } else { random.pick(&[1e-2, 1e-3]) };
    let text = format!(
        "param a = {a:?}, b = {b:?}, c = {factor:?}*a, d = {factor:?}*b + {nearly:?}\n\
         a*x' + b*y' + x = a*{dx} + b*{dy} + {x}\nc*x' + d*y' + y = c*{dx} + d*{dy} + {y}\n{}\n",
        if exact { "guess x = 0, y = 1\ninit x = 0" } else { "init x = 0, y = 1" }
    );
    let known: Vec<(&'static str, Known)> =
        vec![("x", Box::new(|t: f64| t.sin())), ("y", Box::new(|t: f64| (2.0 * t).cos()))];
    Case { text, t_end: 3.0, known, expect: Expect::SolutionOrStop }
}

/// z is small beyond all tolerances, and its derivative is not, with a factor.
pub fn scales(random: &mut Random) -> Case {
    let driver = Driver::random(random);
    let shape = Shape::random(random, 2);
    let (small, large) = random.pick(&[("1e-300", "1e300"), ("1e-200", "1e200"), ("1e-12", "1e12")]);
    let start = random.between(-1.0, 1.0);
    let text = format!("{}z = {small}*{}\ny' = {large}*z'\ninit y = {start:?}\n", driver.text(), shape.text());
    let y = move |t: f64| start + shape.at(driver.at(t)) - shape.at(driver.at(0.0));
    let known: Vec<(&'static str, Known)> = vec![("y", Box::new(y))];
    Case { text, t_end: random.between(3.0, 6.0), known, expect: Expect::Solution }
}

/// The derivative of a jump: an impulse, so that y jumps by as much, or a refusal.
pub fn jump(random: &mut Random) -> Case {
    let driver = Driver::monotone(random);
    let level = driver.at(random.between(1.0, 3.0));
    let (function, value): (&str, fn(f64) -> f64) = match random.below(3) {
        0 => ("step", |q| if q >= 0.0 { 1.0 } else { 0.0 }),
        1 => ("sign", |q| if q == 0.0 { 0.0 } else { q.signum() }),
        _ => ("floor", f64::floor),
    };
    let text = format!("{}z = {function}(x - ({level:?}))\ny' = z' - y + z\ninit y = 0\n", driver.text());
    let z = move |t: f64| value(driver.at(t) - level);
    let known: Vec<(&'static str, Known)> = vec![("y", Box::new(move |t| z(t) - z(0.0) * (-t).exp()))];
    Case { text, t_end: 4.0, known, expect: Expect::SolutionOrRefusal }
}
