//! Each stage prints itself: `--emit model` and `--emit sorted`.

use crate::{Model, Sorted, Watch};
use ordinate_expr::VarId;
use std::fmt::Write;

/// Writing to a string does not fail.
const OK: &str = "a string takes all text";

impl Model {
    /// The model as text.
    pub fn to_text(&self) -> String {
        let mut out = String::new();
        let mut line = |head: &str, left: String, right: String| {
            writeln!(out, "{head:<10}{left} = {right}").expect(OK);
        };
        let lists = [
            ("param", &self.parameters),
            ("input", &self.inputs),
            ("start", &self.starts),
            ("hidden", &self.hidden),
            ("guess", &self.guesses),
        ];
        for (head, list) in lists {
            for given in list {
                line(head, self.name(given.var), self.print(given.value));
            }
        }
        for switch in &self.switches {
            let (left, right) = switch_text(self, switch.mode, switch.watch);
            line("switch", left, right);
        }
        for delayed in &self.delays {
            let (of, time, past) = (self.print(delayed.of), self.print(delayed.time), self.print(delayed.past));
            line("delay", self.name(delayed.var), format!("{of}, {time} ago; before the start {past}"));
        }
        for equation in &self.equations {
            line("equation", self.print(equation.left), self.print(equation.right));
        }
        for condition in &self.conditions {
            let what = if condition.action.is_some() { "when" } else { "stop when" };
            writeln!(out, "{what:<10}{}", self.print(condition.truth)).expect(OK);
            condition.action.iter().for_each(|&k| self.print_action(k, &mut out));
        }
        for sample in &self.samples {
            writeln!(out, "every     {}", self.print(sample.period)).expect(OK);
            self.print_action(sample.action, &mut out);
        }
        for &v in &self.outputs {
            writeln!(out, "output    {}", self.name(v)).expect(OK);
        }
        if let Some((from, to)) = self.run {
            writeln!(out, "run       {} .. {}", self.print(from), self.print(to)).expect(OK);
        }
        out
    }

    fn print_action(&self, action: usize, out: &mut String) {
        for &(v, value) in &self.actions[action].assignments {
            writeln!(out, "            {} := {}", self.name(v), self.print(value)).expect(OK);
        }
    }
}

fn switch_text(model: &Model, mode: VarId, watch: Watch) -> (String, String) {
    let right = match watch {
        Watch::Sign(e) => format!("sign of {}", model.print(e)),
        Watch::Floor(e) => format!("integer part of {}", model.print(e)),
        Watch::Segment(list) => format!("segment among {} times", model.lists[list.0 as usize].len()),
    };
    (model.name(mode), right)
}

impl Sorted {
    /// The sorted model as text: blocks in order, then the states.
    pub fn to_text(&self) -> String {
        let model = &self.model;
        let mut out = String::new();
        for input in &model.inputs {
            writeln!(out, "input     {} = {}", model.name(input.var), model.print(input.value)).expect(OK);
        }
        for (k, block) in self.blocks.iter().enumerate() {
            let size = block.equations.len();
            if size > 1 || !block.solved {
                let how = if block.solved { "solved together" } else { "for an implicit solver" };
                let many = if size == 1 { "equation" } else { "equations" };
                writeln!(out, "block {:<4}{size} {many}, {how}", k + 1).expect(OK);
            }
            for &v in &block.unknowns {
                let indent = if size > 1 { "            " } else { "solve     " };
                match self.definitions[v.0 as usize] {
                    Some(e) => writeln!(out, "{indent}{} := {}", model.name(v), model.print(e)).expect(OK),
                    None => writeln!(out, "{indent}{} from its equation", model.name(v)).expect(OK),
                }
            }
        }
        for state in &self.states {
            let start = state.start.map_or_else(|| "follows".to_string(), |e| model.print(e));
            let (name, derivative) = (model.name(state.var), model.name(state.derivative));
            writeln!(out, "state     {name}, derivative {derivative}, start {start}").expect(OK);
        }
        for algebraic in &self.algebraic {
            let (name, residual) = (model.name(algebraic.var), model.print(algebraic.residual));
            writeln!(out, "algebraic {name}, 0 = {residual}").expect(OK);
        }
        for invariant in &self.invariants {
            writeln!(out, "invariant 0 = {}", model.print(invariant.value)).expect(OK);
        }
        out
    }
}
