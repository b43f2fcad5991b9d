//! State feedback as text and as a linear loop: u − u₀ = −K (x − x₀) + kr (r − y₀) + ki ∫(r − y), with or without an
//! observer, continuous or sampled.

use super::gains::Gains;
use super::linear_loop::{LinearLoop, Reference};
use super::observer::Observer;
use super::point::{Basis, Output};
use super::text::{Names, Sum, deviation, number, plain_name};
use super::{ControllerText, Held, Law, Parameter};
use ordinate_control::{Matrix, StateSpace};

/// An output and the value that it shall have.
#[derive(Clone, Debug)]
pub(super) struct Following {
    pub output: Output,
    pub value: f64,
}

/// All that makes a state feedback.
pub(super) struct StateFeedback<'a> {
    pub basis: &'a Basis,
    /// The system in the form that the gains are made for.
    pub system: StateSpace,
    pub gains: Gains,
    /// kr, where there is one.
    pub kr: Option<Matrix>,
    pub reference: Option<Following>,
    pub integral: Option<Following>,
    pub observer: Option<Observer>,
}

impl StateFeedback<'_> {
    /// What is followed, if anything is.
    pub fn following(&self) -> Option<&Following> {
        self.reference.as_ref().or(self.integral.as_ref())
    }

    /// Whether what is followed lies away from the point.
    pub fn moves(&self) -> bool {
        self.following().is_some_and(|following| following.value != following.output.at)
    }

    /// The linear loop; the controller's states are the integral, then the estimates.
    pub fn linear_loop(&self) -> LinearLoop {
        let StateSpace { a, b, period, .. } = &self.system;
        let (n, m) = (a.rows(), b.columns());
        let integrals = usize::from(self.integral.is_some());
        let estimates = if self.observer.is_some() { n } else { 0 };
        let all = n + integrals + estimates;
        let (mut open, mut into) = (Matrix::zero(all, all), Matrix::zero(all, m));
        let mut k = Matrix::zero(m, all);
        let (mut e, mut f) = (Matrix::zero(all, 1), Matrix::zero(m, 1));
        open.put(0, 0, a);
        into.put(0, 0, b);
        k.put(0, if self.observer.is_some() { n + integrals } else { 0 }, &self.gains.k);
        if let (Some(integral), Some(ki)) = (&self.integral, &self.gains.ki) {
            let width = period.unwrap_or(1.0);
            open.put(n, 0, &integral.output.c.scaled(-width));
            into.put(n, 0, &integral.output.d.scaled(-width));
            if period.is_some() {
                *open.at_mut(n, n) = 1.0;
            }
            *e.at_mut(n, 0) = width;
            k.put(0, n, &-ki);
        }
        if let Some(kr) = &self.kr {
            f = kr.clone();
        }
        if let Some(Observer { c, d, gain, .. }) = &self.observer {
            let first = n + integrals;
            open.put(first, 0, &(gain * c));
            open.put(first, first, &(a - &(gain * c)));
            into.put(first, 0, &(gain * d));
            // the estimate knows what the controller asks for, not what the plant gets
            let asked = b - &(gain * d);
            let back = &asked * &k;
            let sum = &open.block(first..all, 0..all) - &back;
            open.put(first, 0, &sum);
            let told = &asked * &f;
            e.put(first, 0, &told);
        }
        let reference = self.following().map(|following| {
            let mut c = Matrix::zero(1, all);
            c.put(0, 0, &following.output.c);
            Reference { e, f, c, h: following.output.d.clone() }
        });
        LinearLoop { a: open, b: into, k, d: 0.0, reference, period: *period }
    }

    /// The controller as text, and the name that the integral has in it.
    pub fn text(&self, names: &mut Names) -> (ControllerText, Option<String>) {
        let basis = self.basis;
        let single = basis.inputs.len() == 1;
        let sampled = self.system.period.map(|period| (names.fresh("Ts"), period));
        let mut text = ControllerText { sampled: sampled.clone(), ..ControllerText::default() };
        let seen: Vec<String> = match &self.observer {
            Some(_) => Observer::estimates(basis, names),
            None => basis.states.clone(),
        };
        let suffix = |input: &str| if single { String::new() } else { format!("_{}", plain_name(input)) };
        let mut references: Vec<(String, String)> = Vec::new();
        for following in self.reference.iter().chain(&self.integral) {
            let output = &following.output.name;
            if !references.iter().any(|(known, _)| known == output) {
                let name = names.fresh(&format!("{}_r", plain_name(output)));
                text.inputs.push(Parameter {
                    name: name.clone(),
                    value: following.value,
                    comment: format!("reference of {output}"),
                });
                references.push((output.clone(), name));
            }
        }
        let named = |output: &str| references.iter().find(|(known, _)| known == output).map(|(_, name)| name.as_str());
        let integral = self.integral.as_ref().map(|integral| {
            let name = names.fresh("z");
            let reference = named(&integral.output.name).expect("each that is followed has a reference");
            (name, format!("{reference} - {}", integral.output.name))
        });
        let integral_name = integral.as_ref().map(|(name, _)| name.clone());
        let mut values = Vec::new();
        for (j, input) in basis.inputs.iter().enumerate() {
            let mut sum = Sum::default();
            sum.add_number(basis.u0[j]);
            for (i, state) in basis.states.iter().enumerate().filter(|(i, _)| self.gains.k.at(j, *i) != 0.0) {
                let name = names.fresh(&format!("k{}_{}", suffix(input), plain_name(state)));
                sum.sub(&format!("{name}*{}", deviation(&seen[i], basis.x0[i])));
                let comment = format!("feedback of {state}");
                text.parameters.push(Parameter { name, value: self.gains.k.at(j, i), comment });
            }
            if let (Some(kr), Some(following)) = (&self.kr, &self.reference) {
                let name = names.fresh(&format!("kr{}", suffix(input)));
                let reference = named(&following.output.name).expect("each that is followed has a reference");
                sum.add(&format!("{name}*{}", deviation(reference, following.output.at)));
                let comment = format!("for no static error of {}", following.output.name);
                text.parameters.push(Parameter { name, value: kr.at(j, 0), comment });
            }
            if let (Some(ki), Some((z, _))) = (&self.gains.ki, &integral) {
                let name = names.fresh(&format!("ki{}", suffix(input)));
                sum.add(&format!("{name}*{z}"));
                text.parameters.push(Parameter { name, value: ki.at(j, 0), comment: "of the integral".into() });
            }
            values.push(sum.finish());
        }
        // a sampled observer needs what is asked for now, while an assignment sees the values before
        let mut commands = basis.inputs.clone();
        if let (Some(_), Some(_)) = (&sampled, &self.observer) {
            commands = basis.inputs.iter().map(|input| names.fresh(&format!("{}_next", plain_name(input)))).collect();
            text.lines.extend(commands.iter().zip(&values).map(|(name, value)| format!("{name} = {value}")));
            values = commands.clone();
        }
        for ((input, value), start) in basis.inputs.iter().zip(values).zip(&basis.u0) {
            text.laws.push(Law { input: input.clone(), value, start: *start });
        }
        if let Some((z, error)) = integral {
            match &sampled {
                None => text.lines.extend([format!("{z}' = {error}"), format!("init {z} = 0")]),
                Some((period, _)) => {
                    text.held.push(Held { value: format!("{z} + {period}*({error})"), name: z, start: "0".into() });
                }
            }
        }
        if let Some(observer) = &self.observer {
            let (parameters, lines, right) = observer.write(basis, &self.system, &seen, &commands, names);
            text.parameters.extend(parameters);
            text.lines.extend(lines);
            match sampled {
                Some(_) => text.held.extend(Observer::held(&seen, right, &basis.x0)),
                None => {
                    text.lines.extend(seen.iter().zip(right).map(|(name, right)| format!("{name}' = {right}")));
                    let starts = seen.iter().zip(&basis.x0).map(|(name, x0)| format!("{name} = {}", number(*x0)));
                    text.lines.push(format!("init {}", starts.collect::<Vec<_>>().join(", ")));
                }
            }
        }
        (text, integral_name)
    }
}
