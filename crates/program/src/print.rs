//! The program prints itself: `--emit program`.

use crate::{Literal, Op, Program, Section};
use std::fmt::Write;

/// Writing to a string does not fail.
const OK: &str = "a string takes all text";

impl Program {
    /// The program as text.
    pub fn to_text(&self) -> String {
        let mut out = String::new();
        let layout = &self.layout;
        let temporaries = self.rhs.instructions.len();
        writeln!(
            out,
            "registers {}: t, {} states, {} discrete, {} literals; rhs {temporaries} instructions",
            self.registers,
            layout.states,
            layout.discrete(),
            self.literals.len()
        )
        .expect(OK);
        for (k, name) in self.state_names.iter().enumerate() {
            writeln!(out, "  r{} = {name}", k + Program::STATES).expect(OK);
        }
        for (register, literal) in &self.literals {
            match literal {
                Literal::Decimal(value) => writeln!(out, "  r{register} = {value}").expect(OK),
                Literal::Pi => writeln!(out, "  r{register} = pi").expect(OK),
                Literal::Double(value) => writeln!(out, "  r{register} = {value:?}").expect(OK),
            }
        }
        let no_names: Vec<String> = Vec::new();
        let differential = layout.states - layout.algebraic;
        let mut rates: Vec<String> = self.state_names.iter().map(|name| format!("{name}'")).collect();
        rates[differential..].iter_mut().zip(&self.state_names[differential..]).for_each(|(rate, name)| {
            *rate = format!("zero for {name}");
        });
        let mut section = |title: &str, section: &Section, names: &[String]| {
            if section.instructions.is_empty() && section.results.is_empty() {
                return;
            }
            writeln!(out, "{title}").expect(OK);
            print_section(section, names, &mut out);
        };
        section("constants", &self.prologue, &no_names);
        section("rhs", &self.rhs, &rates);
        section("invariants", &self.invariants, &no_names);
        section("switches", &self.switches, &no_names);
        if let Some(rates) = &self.rates {
            section("algebraic rates", &rates.section, &no_names);
        }
        section("slopes", &self.slopes, &no_names);
        section("conditions", &self.conditions, &no_names);
        for (k, action) in self.actions.iter().enumerate() {
            section(&format!("action {k}"), &action.section, &no_names);
        }
        section("outputs", &self.outputs, &self.output_names);
        let delays: Vec<String> = layout.delays.iter().map(|delay| format!("{} later", delay.time)).collect();
        section("delayed", &self.delayed, &delays);
        section("before the start", &self.past, &no_names);
        section("definitions", &self.definitions, &self.state_names[self.own_states..]);
        // Without switches and held values there is one series code for the whole run.
        if let Some(code) = self.series(&[]).filter(|_| layout.discrete() == 0 && layout.delays.is_empty()) {
            out.push_str("series\n");
            out.push_str(&code.to_text(&self.state_names));
        }
        let mut section = |title: &str, section: &Section, names: &[String]| {
            writeln!(out, "{title}").expect(OK);
            print_section(section, names, &mut out);
        };
        if let Some(jacobian) = &self.jacobian {
            let names: Vec<String> = jacobian.pattern.iter().map(|(i, j)| format!("[{i}, {j}]")).collect();
            section("jacobian", &jacobian.section, &names);
        }
        out
    }
}

fn print_section(section: &Section, names: &[String], out: &mut String) {
    for i in &section.instructions {
        let (a, b, c) = (i.a, i.b, i.c);
        let text = match i.op {
            Op::Neg => format!("-r{a}"),
            Op::Add => format!("r{a} + r{b}"),
            Op::Sub => format!("r{a} - r{b}"),
            Op::Mul => format!("r{a} * r{b}"),
            Op::Square => format!("r{a} * r{a}"),
            Op::Div => format!("r{a} / r{b}"),
            Op::Pow => format!("r{a} ^ r{b}"),
            Op::HalfPower(n) => format!("r{a} ^ ({n}/2)"),
            Op::Call(f) => format!("{}(r{a})", f.name()),
            Op::Atan2 => format!("atan2(r{a}, r{b})"),
            Op::Less => format!("r{a} < r{b}"),
            Op::LessEqual => format!("r{a} <= r{b}"),
            Op::Equal => format!("r{a} == r{b}"),
            Op::Not => format!("not r{a}"),
            Op::And => format!("r{a} and r{b}"),
            Op::Or => format!("r{a} or r{b}"),
            Op::Select => format!("if r{a} then r{b} else r{c}"),
            Op::Lookup(list) => format!("list{list}[r{a}]"),
        };
        writeln!(out, "  r{} = {text}", i.out).expect(OK);
    }
    for (k, register) in section.results.iter().enumerate() {
        match names.get(k) {
            Some(name) => writeln!(out, "  {name} -> r{register}").expect(OK),
            None => writeln!(out, "  -> r{register}").expect(OK),
        }
    }
}
