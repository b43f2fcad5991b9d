//! Sorted model to program. Each section is compiled from its expressions through the definitions of the
//! model, so common parts are computed once per section, and what does not change during a run once at its start.

use crate::{ActionCode, Instruction, Literal, Op, Program, Section, Target, jacobian, pulses, slopes, time_switch};
use ordinate_expr::{Expr, ExprId, VarId};
use ordinate_model::{Given, Role, Sorted, Watch};
use ordinate_solve::{Delay, Layout, LocalFeatures, Reaction, Sampled, Switch, SwitchKind, Variations};
use rustc_hash::{FxHashMap, FxHashSet};

/// Marks of registers whose place is known only when all sections are compiled: the n-th temporary, the n-th constant
/// that follows from others, the n-th literal.
const TEMPORARY: u32 = 1 << 31;
const COMPUTED: u32 = 1 << 30;
const LITERAL: u32 = 1 << 29;

/// Compiles a model that was sorted without errors. The Jacobian is built on request only: explicit methods do not
/// need it.
pub fn compile(sorted: &mut Sorted, with_jacobian: bool) -> Program {
    let mut c = Compiler::new(sorted);
    let derivatives: Vec<VarId> = c.sorted.states.iter().map(|state| state.derivative).collect();
    let derivatives: Vec<ExprId> = derivatives.into_iter().map(|v| c.sorted.model.graph.variable(v)).collect();
    let residuals = c.sorted.algebraic.iter().map(|algebraic| algebraic.residual);
    let derivatives: Vec<ExprId> = derivatives.into_iter().chain(residuals).collect();
    let rhs = c.section(&derivatives);
    let timed = c.reads_time;
    let kept: Vec<ExprId> = c.sorted.invariants.iter().map(|invariant| invariant.value).collect();
    let invariants = c.section(&kept);
    let stated: Vec<VarId> = c.sorted.checks.iter().chain(&guessed(c.sorted)).map(|given| given.var).collect();
    let stated: Vec<ExprId> = stated.into_iter().map(|v| c.sorted.model.graph.variable(v)).collect();
    let start_residual_values = c.section(&stated);
    let watched = c.watched();
    let switches = c.section(&watched);
    let varied = c.sorted.variations.switches.clone();
    let ([slopes, varied_slopes], rates) = slopes::compile(&mut c, &watched, &varied);
    let switch_variations = [c.section(&varied), varied_slopes];
    let truths: Vec<ExprId> = c.sorted.model.conditions.iter().map(|condition| condition.truth).collect();
    let conditions = c.section(&truths);
    let actions = c.actions();
    let shown: Vec<VarId> =
        c.sorted.columns.iter().copied().chain(c.sorted.model.inputs.iter().map(|input| input.var)).collect();
    let roots: Vec<ExprId> = shown.iter().map(|&v| c.sorted.model.graph.variable(v)).collect();
    let outputs = c.section(&roots);
    let starts = c.starts();
    let defined: Vec<ExprId> = c.sorted.auxiliary.iter().chain(&c.sorted.under_roots).copied().collect();
    let definitions = c.section(&defined);
    let (delays, delayed, past) = c.delays();
    let times: Vec<f64> = c.periods();
    let time_switches = time_switch::compile(&mut c, &watched);
    let jacobian = with_jacobian.then(|| jacobian::compile(&mut c, &derivatives, 0));
    let invariants_jacobian = with_jacobian.then(|| jacobian::compile(&mut c, &kept, 0));
    let start_residuals_jacobian = jacobian::compile(&mut c, &stated, 0);

    let mut program = Program {
        layout: Layout { timed, delays, ..c.layout(&times, &time_switches) },
        literals: std::mem::take(&mut c.literals),
        prologue: std::mem::take(&mut c.prologue),
        rhs,
        invariants,
        start_residuals: start_residual_values,
        switches,
        slopes,
        switch_variations,
        conditions,
        actions,
        outputs,
        starts,
        delayed,
        past,
        definitions,
        own_states: derivatives.len() - c.sorted.auxiliary.len(),
        lists: c.sorted.model.lists.clone(),
        visible: c.sorted.visible,
        state_names: state_variables(c.sorted).map(|v| c.sorted.model.name(v)).collect(),
        held_names: held(c.sorted).map(|v| c.sorted.model.name(v)).collect(),
        output_names: shown.iter().map(|&v| c.sorted.model.name(v)).collect(),
        ..Program::default()
    };
    let first_literal = c.first_literal();
    let first_computed = first_literal + program.literals.len() as u32;
    let first_temporary = first_computed + program.prologue.instructions.len() as u32;
    let place = placed([first_temporary, first_computed, first_literal]);
    program.literals.iter_mut().for_each(|(register, _)| place(register));
    (program.time_switches, program.jacobian, program.invariants_jacobian) =
        (time_switches, jacobian, invariants_jacobian);
    (program.start_residuals_jacobian, program.rates) = (start_residuals_jacobian, rates);
    let mut most = 0;
    for section in program.sections_mut() {
        section.relocate(&place);
        most = most.max(section.instructions.len());
    }
    program.first_computed = first_computed;
    program.first_temporary = first_temporary;
    program.registers = first_temporary as usize + most;
    (program.layout.pulses, program.pulsed) = pulses::of_program(&program);
    program
}

/// The guesses that say something: of what has no start value and can be computed. One of a state is where it begins anyway,
/// but counts beside those of what follows from it.
fn guessed(sorted: &Sorted) -> Vec<Given> {
    if sorted.model.guesses.is_empty() {
        return Vec::new();
    }
    let started: FxHashSet<VarId> = sorted.model.starts.iter().map(|given| given.var).collect();
    let states: FxHashSet<VarId> = state_variables(sorted).collect();
    let computed = |v: VarId| sorted.definitions.get(v.0 as usize).is_some_and(Option::is_some);
    let says = |given: &&Given| !started.contains(&given.var) && (states.contains(&given.var) || computed(given.var));
    sorted.model.guesses.iter().filter(says).copied().collect()
}

/// The final place of a register that is marked, from those of the first temporary, computed constant and literal.
fn placed([temporary, computed, literal]: [u32; 3]) -> impl Fn(&mut u32) {
    move |r: &mut u32| {
        let bases = [(TEMPORARY, temporary), (COMPUTED, computed), (LITERAL, literal)];
        if let Some((mark, base)) = bases.into_iter().find(|(mark, _)| *r & mark != 0) {
            *r = (*r & !mark) + base;
        }
    }
}

/// A program that has constants only, the `outputs`: expressions of numbers and parameters.
pub fn compile_constants(sorted: &mut Sorted, roots: &[ExprId]) -> Program {
    let mut c = Compiler::new(sorted);
    let outputs = c.section(roots);
    let first_literal = c.first_literal();
    let (literals, prologue) = (std::mem::take(&mut c.literals), std::mem::take(&mut c.prologue));
    let mut program = Program { literals, prologue, outputs, ..Program::default() };
    program.first_computed = first_literal + program.literals.len() as u32;
    program.first_temporary = program.first_computed + program.prologue.instructions.len() as u32;
    program.registers = program.first_temporary as usize + program.outputs.instructions.len();
    let place = placed([program.first_temporary, program.first_computed, first_literal]);
    program.literals.iter_mut().for_each(|(register, _)| place(register));
    program.prologue.relocate(&place);
    program.outputs.relocate(&place);
    program
}

pub(crate) struct Compiler<'a> {
    pub sorted: &'a mut Sorted,
    /// Where the value of a state, mode or held variable is.
    leaves: FxHashMap<VarId, u32>,
    /// What a parameter is.
    pub parameters: FxHashMap<VarId, ExprId>,
    /// Variables for the rates of change of the algebraic states, which no text names.
    pub rates: Vec<VarId>,
    /// Variables for the slopes of the delayed values, which no text names.
    pub delayed_slopes: Vec<VarId>,
    /// Registers of expressions that do not change during a run.
    constants: FxHashMap<ExprId, u32>,
    literals: Vec<(u32, Literal)>,
    prologue: Section,
    /// A section has read the time.
    reads_time: bool,
}

impl<'a> Compiler<'a> {
    fn new(sorted: &'a mut Sorted) -> Self {
        let mut leaves: FxHashMap<VarId, u32> = FxHashMap::default();
        let model = &sorted.model;
        let modes = model.switches.iter().map(|switch| switch.mode);
        let unnamed = model.variables.len() as u32;
        let rates: Vec<VarId> = (unnamed..).map(VarId).take(sorted.algebraic.len()).collect();
        let delayed = model.delays.iter().map(|delayed| delayed.var);
        let delayed_slopes: Vec<VarId> = (unnamed + rates.len() as u32..).map(VarId).take(model.delays.len()).collect();
        let all = state_variables(sorted).chain(modes).chain(held(sorted)).chain(delayed);
        let all = all.chain(delayed_slopes.iter().copied()).chain(rates.iter().copied());
        leaves.extend(all.zip(Program::STATES as u32..));
        let parameters = model.parameters.iter().map(|given| (given.var, given.value)).collect();
        Compiler {
            leaves,
            parameters,
            rates,
            delayed_slopes,
            constants: FxHashMap::default(),
            literals: Vec::new(),
            prologue: Section::default(),
            reads_time: false,
            sorted,
        }
    }

    fn first_literal(&self) -> u32 {
        (Program::STATES + self.leaves.len()) as u32
    }

    /// What a node stands for beside its operands: the definition of a variable.
    pub fn definition(&self, v: VarId) -> Option<ExprId> {
        self.parameters.get(&v).copied().or(self.sorted.definitions[v.0 as usize])
    }

    /// Compiles expressions into a section of their own.
    pub fn section(&mut self, roots: &[ExprId]) -> Section {
        let mut section = Section::default();
        let mut registers: FxHashMap<ExprId, u32> = FxHashMap::default();
        for &root in roots {
            let register = self.expression(root, &mut registers, &mut section);
            section.results.push(register);
        }
        section
    }

    fn expression(&mut self, root: ExprId, registers: &mut FxHashMap<ExprId, u32>, section: &mut Section) -> u32 {
        let mut stack = vec![(root, false)];
        while let Some((id, ready)) = stack.pop() {
            if registers.contains_key(&id) {
                continue;
            }
            if let Some(&register) = self.constants.get(&id) {
                registers.insert(id, register);
                continue;
            }
            let node = self.sorted.model.graph.node(id);
            if !ready {
                stack.push((id, true));
                match node {
                    Expr::Var(v) if !self.leaves.contains_key(&v) => {
                        let definition = self.definition(v);
                        let name = || self.sorted.model.name(v);
                        stack.push((definition.unwrap_or_else(|| panic!("`{}` has no definition", name())), false));
                    }
                    _ => {
                        let from = stack.len();
                        stack.extend(node.operands().map(|operand| (operand, false)));
                        stack[from..].reverse();
                    }
                }
                continue;
            }
            let register = self.emit(id, node, registers, section);
            registers.insert(id, register);
        }
        registers[&root]
    }

    fn emit(&mut self, id: ExprId, node: Expr, registers: &FxHashMap<ExprId, u32>, section: &mut Section) -> u32 {
        let at = |e: ExprId| registers[&e];
        let (op, a, b, c) = match node {
            Expr::Time => {
                self.reads_time = true;
                return 0;
            }
            Expr::Const(value) => return self.literal(id, Literal::Decimal(value)),
            Expr::Pi => return self.literal(id, Literal::Pi),
            Expr::Var(v) => match self.leaves.get(&v) {
                Some(&register) => return register,
                None => return at(self.definition(v).expect("visited before")),
            },
            Expr::Neg(a) => (Op::Neg, at(a), 0, 0),
            Expr::Add(a, b) => (Op::Add, at(a), at(b), 0),
            Expr::Sub(a, b) => (Op::Sub, at(a), at(b), 0),
            Expr::Mul(a, b) if a == b => (Op::Square, at(a), 0, 0),
            Expr::Mul(a, b) => (Op::Mul, at(a), at(b), 0),
            Expr::Div(a, b) => (Op::Div, at(a), at(b), 0),
            Expr::Pow(a, b) => match self.half_power(b) {
                Some(4) => (Op::Square, at(a), 0, 0),
                Some(n) => (Op::HalfPower(n), at(a), 0, 0),
                None => (Op::Pow, at(a), at(b), 0),
            },
            Expr::Call(f, a) => (Op::Call(f), at(a), 0, 0),
            Expr::Atan2(a, b) => (Op::Atan2, at(a), at(b), 0),
            Expr::Less(a, b) => (Op::Less, at(a), at(b), 0),
            Expr::LessEqual(a, b) => (Op::LessEqual, at(a), at(b), 0),
            Expr::Equal(a, b) => (Op::Equal, at(a), at(b), 0),
            Expr::Not(a) => (Op::Not, at(a), 0, 0),
            Expr::And(a, b) => (Op::And, at(a), at(b), 0),
            Expr::Or(a, b) => (Op::Or, at(a), at(b), 0),
            Expr::Select(a, b, c) => (Op::Select, at(a), at(b), at(c)),
            Expr::Lookup(list, a) => (Op::Lookup(list.0), at(a), 0, 0),
        };
        let constant = node.operands().all(|operand| at(operand) & (COMPUTED | LITERAL) != 0);
        let (target, out) = if constant {
            let out = self.prologue.instructions.len() as u32 | COMPUTED;
            self.constants.insert(id, out);
            (&mut self.prologue, out)
        } else {
            let out = section.instructions.len() as u32 | TEMPORARY;
            (section, out)
        };
        target.instructions.push(Instruction { op, out, a, b, c });
        out
    }

    fn literal(&mut self, id: ExprId, literal: Literal) -> u32 {
        let register = self.literals.len() as u32 | LITERAL;
        self.literals.push((register, literal));
        self.constants.insert(id, register);
        register
    }

    /// Twice the exponent, where it is a small half-integer known at compile time.
    fn half_power(&mut self, exponent: ExprId) -> Option<i16> {
        let twice = 2.0 * self.sorted.model.constant(exponent)?;
        (twice.fract() == 0.0 && twice.abs() <= 16.0).then_some(twice as i16)
    }

    /// The expressions that switches watch; for a table the time itself.
    fn watched(&mut self) -> Vec<ExprId> {
        let time = self.sorted.model.graph.time();
        let watch = |watch| match watch {
            Watch::Sign(e) | Watch::Floor(e) => e,
            Watch::Segment(_) => time,
        };
        self.sorted.model.switches.iter().map(|switch| watch(switch.watch)).collect()
    }

    fn actions(&mut self) -> Vec<ActionCode> {
        let states = state_variables(self.sorted).count() as u32 + Program::STATES as u32;
        let lists: Vec<Vec<(VarId, ExprId)>> =
            self.sorted.model.actions.iter().map(|action| action.assignments.clone()).collect();
        lists
            .into_iter()
            .map(|assignments| {
                let values: Vec<ExprId> = assignments.iter().map(|&(_, value)| value).collect();
                let section = self.section(&values);
                let target = |v: &VarId| match self.leaves[v] {
                    register if register < states => Target::State(register as usize - Program::STATES),
                    register => Target::Discrete((register - states) as usize),
                };
                ActionCode { section, targets: assignments.iter().map(|(v, _)| target(v)).collect() }
            })
            .collect()
    }

    /// Start values refer to each other by the registers of the states, which are filled in order; so each one is
    /// compiled with those of the others put in.
    fn starts(&mut self) -> Section {
        let mut values: FxHashMap<VarId, ExprId> = FxHashMap::default();
        let given = self.sorted.model.starts.clone();
        for g in &given {
            let value = self.sorted.model.graph.substitute(g.value, |v| values.get(&v).copied());
            values.insert(g.var, value);
        }
        // Delayed values are what was before the start, which follows from start values that stand last.
        let mut pasts: FxHashMap<VarId, ExprId> = FxHashMap::default();
        for delayed in self.sorted.model.delays.clone() {
            let past = self.sorted.model.past_of(delayed);
            pasts.insert(delayed.var, self.sorted.model.graph.substitute(past, |v| values.get(&v).copied()));
        }
        for g in given.iter().filter(|_| !pasts.is_empty()) {
            let value = self.sorted.model.graph.substitute(values[&g.var], |v| pasts.get(&v).copied());
            values.insert(g.var, value);
        }
        let zero = self.sorted.model.graph.integer(0);
        // Where the search for an algebraic state begins: its guess.
        for g in self.sorted.model.guesses.clone() {
            let value = self.sorted.model.graph.substitute(g.value, |v| values.get(&v).copied());
            values.entry(g.var).or_insert(value);
        }
        let states = state_variables(self.sorted);
        let guesses = guessed(self.sorted);
        let stated = self.sorted.checks.iter().chain(&guesses).map(|given| given.var);
        let order: Vec<VarId> = states.chain(held(self.sorted)).chain(stated).collect();
        let roots: Vec<ExprId> = order.iter().map(|v| values.get(v).copied().unwrap_or(zero)).collect();
        self.section(&roots)
    }

    /// For each state the state that its derivative is: x' of x″ = …, or v where an equation says x' = v. A state is the
    /// velocity of one other at most, and what is one has none by such an equation: in x' = v, v' = x it is v.
    fn velocities(&self) -> Vec<Option<u32>> {
        let place: FxHashMap<VarId, u32> = state_variables(self.sorted).zip(0..).collect();
        let states = &self.sorted.states;
        let mut found: Vec<Option<u32>> = states.iter().map(|state| place.get(&state.derivative).copied()).collect();
        let mut taken: FxHashSet<u32> = found.iter().flatten().copied().collect();
        for (k, state) in (0..).zip(states) {
            let named = self.named_state(state.derivative, &place).filter(|v| *v != k && !taken.contains(v));
            if found[k as usize].is_none() && !taken.contains(&k) {
                taken.extend(named);
                found[k as usize] = named;
            }
        }
        found.extend(self.sorted.algebraic.iter().map(|_| None));
        found
    }

    /// The state that a variable is equal to by its definition.
    fn named_state(&self, mut v: VarId, place: &FxHashMap<VarId, u32>) -> Option<u32> {
        // names of names are few, and not circular
        loop {
            let Expr::Var(next) = self.sorted.model.graph.node(self.sorted.definitions[v.0 as usize]?) else {
                return None;
            };
            match place.get(&next) {
                Some(&state) => return Some(state),
                None => v = next,
            }
        }
    }

    fn periods(&mut self) -> Vec<f64> {
        let periods: Vec<ExprId> = self.sorted.model.samples.iter().map(|sample| sample.period).collect();
        periods
            .into_iter()
            .map(|e| self.sorted.model.constant(e).expect("checked when the model was resolved"))
            .collect()
    }

    /// The delayed quantities: their delays, what they are and what they were before the start.
    fn delays(&mut self) -> (Vec<Delay>, Section, Section) {
        let all = self.sorted.model.delays.clone();
        let (of, past): (Vec<ExprId>, Vec<ExprId>) = all.iter().map(|delayed| (delayed.of, delayed.past)).unzip();
        let g = &mut self.sorted.model.graph;
        let (zero, one) = (g.integer(0), g.integer(1));
        let slopes: Vec<ExprId> =
            past.iter().map(|&past| g.derivative(past, |leaf| if leaf == Expr::Time { one } else { zero })).collect();
        let past = [past, slopes].concat();
        let mut delays = Vec::with_capacity(all.len());
        for delayed in &all {
            let time = self.sorted.model.constant(delayed.time).expect("checked when the model was resolved");
            let reached = self.reached(delayed.of);
            let algebraic = self.sorted.algebraic.iter().any(|algebraic| reached.contains(&algebraic.var));
            let role = |v: &VarId| self.sorted.model.variable(*v).role;
            // What an algebraic state depends on is not looked at: it may be all of them.
            let direct = (0..all.len()).filter(|&i| algebraic || reached.contains(&all[i].var)).collect();
            let discrete = algebraic || reached.iter().any(|v| matches!(role(v), Role::Mode | Role::Held));
            self.reads_time = false;
            self.section(&[delayed.of]);
            delays.push(Delay { time, direct, discrete, timed: self.reads_time });
        }
        (delays, self.section(&of), self.section(&past))
    }

    /// The variables without a definition that stand behind an expression.
    fn reached(&mut self, root: ExprId) -> Vec<VarId> {
        let mut seen: FxHashSet<VarId> = FxHashSet::default();
        let (mut open, mut found) = (vec![root], Vec::new());
        while let Some(e) = open.pop() {
            for v in self.sorted.model.graph.variables(e).into_iter().filter(|&v| seen.insert(v)) {
                match self.definition(v).filter(|_| !self.leaves.contains_key(&v)) {
                    Some(definition) => open.push(definition),
                    None => found.push(v),
                }
            }
        }
        found
    }

    fn layout(&self, periods: &[f64], time_switches: &[Option<time_switch::TimeSwitch>]) -> Layout {
        let model = &self.sorted.model;
        let kind = |watch| match watch {
            Watch::Sign(_) => SwitchKind::Sign,
            Watch::Floor(_) => SwitchKind::Floor,
            Watch::Segment(_) => SwitchKind::Segment,
        };
        let switches = model.switches.iter().zip(time_switches);
        Layout {
            states: state_variables(self.sorted).count(),
            switches: switches.map(|(s, time)| Switch { kind: kind(s.watch), of_time: time.is_some() }).collect(),
            sampled_switches: model.sampled_switches,
            held: held(self.sorted).count(),
            conditions: model.conditions.iter().map(|c| c.action.map_or(Reaction::Stop, Reaction::Act)).collect(),
            sampled: model
                .samples
                .iter()
                .zip(periods)
                .map(|(sample, &period)| Sampled { period, action: sample.action })
                .collect(),
            algebraic: self.sorted.algebraic.len(),
            indices: self.sorted.indices.clone(),
            invariants: self.sorted.invariants.len(),
            start_residuals: [self.sorted.checks.len(), guessed(self.sorted).len()],
            velocity: self.velocities(),
            variations: self.variations(),
            timed: false,
            pulses: LocalFeatures::None,
            delays: Vec::new(),
        }
    }

    /// Which states are derivatives of others.
    fn variations(&self) -> Variations {
        let found = &self.sorted.variations;
        let place: FxHashMap<VarId, usize> = state_variables(self.sorted).zip(0..).collect();
        // Algebraic variations follow from the others.
        let of = found.of.iter().map(|&(variation, of, by)| [place[&variation], place[&of], by]);
        Variations {
            by: found.by.len(),
            of: of.filter(|[_, of, _]| *of < self.sorted.states.len()).collect(),
            event_time: found.event_time.iter().map(|v| place[v]).collect(),
            both_sides: found.both_sides,
        }
    }
}

/// The variables in the order of y.
pub(crate) fn state_variables(sorted: &Sorted) -> impl Iterator<Item = VarId> {
    let algebraic = sorted.algebraic.iter().map(|algebraic| algebraic.var);
    sorted.states.iter().map(|state| state.var).chain(algebraic)
}

/// The held variables in the order of d.
fn held(sorted: &Sorted) -> impl Iterator<Item = VarId> {
    let model = &sorted.model;
    (0..model.variables.len() as u32).map(VarId).filter(|&v| model.variable(v).role == Role::Held)
}
