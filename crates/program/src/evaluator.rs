//! The evaluator in double precision: a loop over instructions, no allocation.

use crate::delays::Delays;
use crate::jets::{self, AlongStep, JetCode, Series};
use crate::lifted::Lifted;
use crate::scheduled_code::Packed;
use crate::{
    Jacobian, Literal, Program, Rates, Rounding, Section, Target, interval, rounding, stochastic_rounding, time_switch,
};
use ordinate_linalg::{Lu, Pattern};
use ordinate_numbers::{OCTET, Octet};
use ordinate_solve::{
    History, JacobianCost, JetCost, Jets, Layout, LinearForm, Path, Refusal, StopFlag, SwitchSeries, System,
};
use std::sync::Arc;

/// A program with registers of its own. Cheap to make, one per thread.
#[derive(Clone, Debug)]
pub struct Evaluator {
    program: Arc<Program>,
    code: Arc<Code>,
    registers: Vec<f64>,
    /// The one that rounds otherwise, once it was asked for.
    other: Option<Box<Evaluator>>,
    /// The first register of the factors of a program that does.
    factors: Option<usize>,
    /// f with all factors one.
    unmoved: Vec<f64>,
    /// The same for points side by side, when they were asked for.
    octets: Vec<Octet>,
    first_discrete: usize,
    /// Series for the discrete values asked for last, the newest first; `None` where there are no series.
    series: Vec<(Vec<f64>, Option<Series>)>,
    /// The same of the switches.
    switch_series: Vec<(Vec<f64>, Option<AlongStep>)>,
    /// Series through the polynomial system, once they were asked for.
    lifted: Option<Box<Lifted>>,
    complete: Complete,
    /// Solves for the rates of change of the algebraic states.
    rates: Option<RateSolver>,
    /// Of ∂f/∂y and of the derivatives of the invariants, when they were asked for.
    patterns: Option<[Arc<Pattern>; 2]>,
    /// What f divides by and might be zero, when it was asked for.
    denominators: Option<Packed>,
    /// The past of delayed quantities.
    delays: Option<Box<Delays>>,
    /// What is added to each switch that depends on the state; empty if nothing is.
    shifts: Vec<f64>,
    /// Refuses to be evaluated when this is raised.
    stop: StopFlag,
}

/// Memory to solve ∂g/∂z · z′ = −(∂g/∂t + ∂g/∂x · x′).
#[derive(Clone, Debug)]
struct RateSolver {
    lu: Lu<f64>,
    values: Vec<f64>,
    rates: Vec<f64>,
}

impl RateSolver {
    fn new(program: &Program, rates: &Rates) -> RateSolver {
        let Layout { algebraic, states, .. } = program.layout;
        let first = (states - algebraic) as u32;
        let elements = rates.jacobian.pattern.iter().map(|&(row, column)| (row, column - first));
        RateSolver {
            lu: Lu::new(&Pattern::from_elements(algebraic, elements)),
            values: vec![0.0; rates.jacobian.pattern.len()],
            rates: vec![0.0; algebraic],
        }
    }
}

/// Makes the same program with its Jacobian, for those who need it only when it turns out that they do.
#[derive(Clone, Default)]
struct Complete(Option<Arc<dyn Fn() -> Program + Send + Sync>>);

impl std::fmt::Debug for Complete {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.0.is_some() { "Complete" } else { "None" })
    }
}

/// The most registers of which eight each stay in the fastest memory.
const MOST_OCTETS: usize = 512;

/// So many series are kept: a thermostat goes back and forth between two.
const KEPT: usize = 4;

/// Copies a few numbers without the call that a general copy costs: a tenth of a run of three equations.
#[inline(always)]
fn copy(from: &[f64], to: &mut [f64]) {
    match *from {
        [] => {}
        [a] => to[0] = a,
        [a, b] => to[..2].copy_from_slice(&[a, b]),
        [a, b, c] => to[..3].copy_from_slice(&[a, b, c]),
        [a, b, c, d] => to[..4].copy_from_slice(&[a, b, c, d]),
        _ => to[..from.len()].copy_from_slice(from),
    }
}

/// What was made for these discrete values, the newest first; `make` makes what is not known.
#[inline]
fn newest<'a, T>(kept: &'a mut Vec<(Vec<f64>, T)>, d: &[f64], make: impl FnOnce() -> T) -> &'a mut T {
    if kept.first().is_none_or(|(known, _)| known != d) {
        match kept.iter().position(|(known, _)| known == d) {
            Some(known) => kept[..=known].rotate_right(1),
            None => {
                kept.truncate(KEPT - 1);
                kept.insert(0, (d.to_vec(), make()));
            }
        }
    }
    &mut kept[0].1
}

/// The sections of a program as they are run.
#[derive(Clone, Debug)]
struct Code {
    rhs: Packed,
    switches: Packed,
    slopes: Packed,
    switch_variations: [Packed; 2],
    conditions: Packed,
    actions: Vec<Packed>,
    outputs: Packed,
    starts: Packed,
    definitions: Packed,
    delayed: Packed,
    past: Packed,
    time_switches: Vec<Packed>,
    jacobian: Packed,
    invariants: Packed,
    start_residuals: Packed,
    start_residuals_jacobian: Packed,
    invariants_jacobian: Packed,
    rates: Packed,
    rates_jacobian: Packed,
}

impl Code {
    fn new(program: &Program) -> Code {
        let pack = |section| Packed::new(section, program.first_temporary, program.registers);
        Code {
            rhs: pack(&program.rhs),
            switches: pack(&program.switches),
            slopes: pack(&program.slopes),
            switch_variations: program.switch_variations.each_ref().map(pack),
            conditions: pack(&program.conditions),
            actions: program.actions.iter().map(|action| pack(&action.section)).collect(),
            outputs: pack(&program.outputs),
            starts: pack(&program.starts),
            definitions: pack(&program.definitions),
            delayed: pack(&program.delayed),
            past: pack(&program.past),
            time_switches: program
                .time_switches
                .iter()
                .map(|switch| switch.as_ref().map_or_else(Packed::default, |switch| pack(&switch.section)))
                .collect(),
            jacobian: program.jacobian.as_ref().map_or_else(Packed::default, |jacobian| pack(&jacobian.section)),
            invariants: pack(&program.invariants),
            start_residuals: pack(&program.start_residuals),
            start_residuals_jacobian: pack(&program.start_residuals_jacobian.section),
            rates: program.rates.as_ref().map_or_else(Packed::default, |rates| pack(&rates.section)),
            rates_jacobian: program.rates.as_ref().map_or_else(Packed::default, |rates| pack(&rates.jacobian.section)),
            invariants_jacobian: program
                .invariants_jacobian
                .as_ref()
                .map_or_else(Packed::default, |jacobian| pack(&jacobian.section)),
        }
    }
}

impl Evaluator {
    /// The registers with all constants computed.
    pub(crate) fn constants(program: &Program, rounding: Rounding) -> Vec<f64> {
        let mut registers = vec![0.0; program.registers];
        for &(register, literal) in &program.literals {
            registers[register as usize] = match literal {
                Literal::Decimal(value) => value.to_f64(),
                Literal::Pi => std::f64::consts::PI,
                Literal::Double(value) => value,
            };
        }
        let prologue = Packed::in_order(&program.prologue, program.first_computed, program.registers);
        prologue.run(&program.lists, &mut registers);
        match rounding {
            Rounding::Nearest => {}
            Rounding::Moved(times) => rounding::move_constants(program, times, &mut registers),
            Rounding::Otherwise => rounding::move_constants(program, 1, &mut registers),
        }
        registers
    }

    /// An evaluator whose constants are computed.
    pub fn new(program: Arc<Program>) -> Self {
        let code = Arc::new(Code::new(&program));
        Evaluator::with_code(program, code)
    }

    fn with_code(program: Arc<Program>, code: Arc<Code>) -> Self {
        let registers = Evaluator::constants(&program, program.rounding);
        let first_discrete = program.discrete_register();
        Evaluator {
            rates: program.rates.as_ref().map(|rates| RateSolver::new(&program, rates)),
            factors: stochastic_rounding::factors(&program),
            unmoved: Vec::new(),
            program,
            code,
            registers,
            other: None,
            octets: Vec::new(),
            first_discrete,
            series: Vec::new(),
            switch_series: Vec::new(),
            lifted: None,
            complete: Complete::default(),
            patterns: None,
            denominators: None,
            delays: None,
            shifts: Vec::new(),
            stop: StopFlag::default(),
        }
        .with_delays()
    }

    /// Another one for the same program, at less cost than the first: for those who look at a run from beside.
    pub fn another(&self) -> Self {
        Evaluator { stop: self.stop.clone(), ..Evaluator::with_code(self.program.clone(), self.code.clone()) }
    }

    fn with_delays(mut self) -> Self {
        self.delays = Delays::new(&self.program).map(Box::new);
        self
    }

    /// An evaluator of a program without Jacobian that gets it from `complete` when it is asked for: compiling it can
    /// cost more than a whole run of an explicit method.
    pub fn with_complete(program: Arc<Program>, complete: Arc<dyn Fn() -> Program + Send + Sync>) -> Self {
        Evaluator { complete: Complete(Some(complete)), ..Evaluator::new(program) }
    }

    /// The same, refusing to be evaluated once this is raised.
    pub fn stopped_by(self, stop: StopFlag) -> Self {
        Evaluator { stop, ..self }
    }

    /// One that rounds constants and the results of operations otherwise.
    pub fn with_other_rounding(&self) -> Self {
        let program = Arc::new(stochastic_rounding::disturbed(&self.program));
        Evaluator { complete: self.complete.clone(), stop: self.stop.clone(), ..Evaluator::new(program) }
    }

    /// One whose switches are zero elsewhere: so much is added to each that depends on the state.
    pub fn with_shifted_switches(self, shifts: Vec<f64>) -> Self {
        Evaluator { shifts, switch_series: Vec::new(), ..self }
    }

    pub(crate) fn other(&mut self) -> &mut Evaluator {
        let other = self.other.take().unwrap_or_else(|| Box::new(self.with_other_rounding()));
        self.other.insert(other)
    }

    /// The start values with constants rounded the other way.
    pub fn starts_rounded_otherwise(&mut self, t: f64) -> Vec<f64> {
        self.other().starts(t)
    }

    /// The patterns of both Jacobians, which are compiled now if they were not.
    fn patterns(&mut self) -> Option<&[Arc<Pattern>; 2]> {
        if self.program.jacobian.is_none()
            && let Some(complete) = self.complete.0.take()
        {
            let (delays, shifts) = (self.delays.take(), std::mem::take(&mut self.shifts));
            let program = match self.program.rounding {
                Rounding::Otherwise => stochastic_rounding::disturbed(&complete()),
                rounding => Program { rounding, ..complete() },
            };
            let program = Program { polynomial: self.program.polynomial.clone(), ..program };
            *self = Evaluator { delays, shifts, stop: self.stop.clone(), ..Evaluator::new(Arc::new(program)) };
        }
        if self.patterns.is_none() {
            let pattern = |rows: usize, jacobian: &Jacobian| {
                Arc::new(Pattern::from_elements(rows, jacobian.pattern.iter().copied()))
            };
            let Program { layout, jacobian, invariants_jacobian, .. } = &*self.program;
            let (f, kept) = (jacobian.as_ref()?, invariants_jacobian.as_ref()?);
            self.patterns = Some([pattern(layout.states, f), pattern(layout.invariants, kept)]);
        }
        self.patterns.as_ref()
    }

    /// The program.
    pub fn program(&self) -> &Arc<Program> {
        &self.program
    }

    #[inline(always)]
    fn load(&mut self, t: f64, y: &[f64], d: &[f64]) {
        let states = Program::STATES;
        self.registers[0] = t;
        copy(y, &mut self.registers[states..]);
        copy(d, &mut self.registers[self.first_discrete..]);
        if let Some(first) = self.factors {
            copy(&stochastic_rounding::factors_at(t), &mut self.registers[first..]);
        }
        if let Some(delays) = &mut self.delays {
            // Rows bring the delayed values along, after the discrete ones.
            if d.len() <= self.program.layout.discrete() {
                delays.load(&self.program, &self.code.past, t, &mut self.registers);
            }
        }
    }

    #[inline(always)]
    fn results(&mut self, section: impl Fn(&Code) -> &Packed, t: f64, y: &[f64], d: &[f64], out: &mut [f64]) {
        self.load(t, y, d);
        let section = section(&self.code);
        section.run(&self.program.lists, &mut self.registers);
        for (value, &register) in out.iter_mut().zip(&section.results) {
            *value = self.registers[register as usize];
        }
    }

    /// Named expressions, outputs, held values, inputs.
    pub fn outputs(&mut self, t: f64, y: &[f64], d: &[f64], out: &mut [f64]) {
        self.results(|c| &c.outputs, t, y, d, out);
    }

    /// The same at eight points of a model without discrete values, of which `count` matter; returns whether it can.
    pub fn outputs_of_eight(&mut self, count: usize, t: &Octet, y: &[Octet], out: &mut [Octet]) -> bool {
        self.rates.is_none() && self.eight(|code| &code.outputs, (count, t, y, &[]), out)
    }

    /// The results of a section at eight points side by side.
    fn eight(
        &mut self,
        section: impl Fn(&Code) -> &Packed,
        (count, t, y, d): (usize, &Octet, &[Octet], &[f64]),
        out: &mut [Octet],
    ) -> bool {
        if self.delays.is_some() || self.registers.len() > MOST_OCTETS {
            return false;
        }
        if self.octets.is_empty() {
            self.octets = self.registers.iter().map(|&constant| Octet([constant; OCTET])).collect();
        }
        self.octets[0] = *t;
        let states = Program::STATES;
        self.octets[states..states + y.len()].copy_from_slice(y);
        for (register, &d) in self.octets[self.first_discrete..].iter_mut().zip(d) {
            *register = Octet([d; OCTET]);
        }
        if let Some(first) = self.factors {
            let factors = t.0.map(stochastic_rounding::factors_at);
            (0..2).for_each(|k| self.octets[first + k] = Octet(factors.map(|factors| factors[k])));
        }
        let section = section(&self.code);
        section.run_octets(&self.program.lists, &mut self.octets, count);
        for (value, &register) in out.iter_mut().zip(&section.results) {
            *value = self.octets[register as usize];
        }
        true
    }

    /// Start values at time t: of the states, the held values, what is stated of other variables, guesses last.
    pub fn starts(&mut self, t: f64) -> Vec<f64> {
        let mut out = vec![0.0; self.program.starts.results.len()];
        let modes = time_switch::segments_before(&self.program, t);
        self.results(|c| &c.starts, t, &[], &modes, &mut out);
        out
    }

    /// Gives the auxiliary variables of a polynomial system, which are its last states, the values that follow from the others;
    /// returns whether all of them exist there, and have derivatives.
    pub fn define(&mut self, t: f64, d: &[f64], y: &mut [f64]) -> bool {
        let (own, states) = (self.program.own_states, y.len());
        self.load(t, y, d);
        let section = &self.code.definitions;
        section.run(&self.program.lists, &mut self.registers);
        let values = section.results.iter().map(|&register| self.registers[register as usize]);
        y[own..].iter_mut().zip(values.clone()).for_each(|(y, value)| *y = value);
        y[own..].iter().all(|y| y.is_finite()) && values.skip(states - own).all(|under_root| under_root != 0.0)
    }

    /// Puts the rates of change of the algebraic states into their registers; not numbers where they are not determined.
    fn load_rates(&mut self, t: f64, y: &[f64], d: &[f64]) {
        let Some(mut solver) = self.rates.take() else { return };
        self.results(|c| &c.rates_jacobian, t, y, d, &mut solver.values);
        self.results(|c| &c.rates, t, y, d, &mut solver.rates);
        match solver.lu.factor(&solver.values) {
            Ok(()) => solver.lu.solve(&mut solver.rates),
            Err(_) => solver.rates.fill(f64::NAN),
        }
        let first = self.program.rates_register();
        for (register, rate) in self.registers[first..].iter_mut().zip(&solver.rates) {
            *register = -rate;
        }
        self.rates = Some(solver);
    }

    /// g and dg/dt of a switch of time alone.
    pub(crate) fn time_value(&mut self, switch: usize, t: f64) -> (f64, f64) {
        let mut out = [0.0; 2];
        self.results(|c| &c.time_switches[switch], t, &[], &[], &mut out);
        (out[0], out[1])
    }

    /// The series code of a program without discrete values; `None` if there are such, or if it has no series.
    pub fn jet_code(&self) -> Option<JetCode> {
        // Lanes do not solve for algebraic states, nor keep to invariants.
        let Layout { algebraic, invariants, ref delays, .. } = self.program.layout;
        let smooth = self.program.layout.discrete() == 0 && algebraic == 0 && invariants == 0 && delays.is_empty();
        smooth.then(|| jets::compile(&self.program, &self.program.rhs, &self.registers, jets::DOUBLE)).flatten()
    }

    /// The constants as they are after the prologue, for other evaluators over the same registers.
    pub(crate) fn registers(&self) -> &[f64] {
        &self.registers
    }
}

impl Evaluator {
    fn own_series(&mut self, d: &[f64]) -> Option<&mut Series> {
        let (program, registers, first) = (&self.program, &mut self.registers, self.first_discrete);
        let series = newest(&mut self.series, d, || {
            copy(d, &mut registers[first..]);
            Series::new(program, registers)
        });
        series.as_mut()
    }

    fn lifted_jets(&mut self, d: &[f64]) -> Option<&mut dyn Jets> {
        let polynomial = self.program.polynomial.as_ref()?;
        if self.lifted.is_none() {
            self.lifted = Some(Box::new(Lifted::new(polynomial)));
        }
        // without auxiliary variables P is f
        if polynomial.own_states == polynomial.layout.states {
            return self.lifted.as_mut()?.polynomial().jets(d);
        }
        if self.lifted.as_mut()?.prepare(d) { Some(self) } else { None }
    }

    fn delayed_jets(&mut self, d: &[f64]) -> Option<&mut dyn Jets> {
        let (program, registers, first) = (&self.program, &mut self.registers, self.first_discrete);
        let delays = self.delays.as_mut().filter(|delays| delays.history.has_series())?;
        let found = newest(&mut self.series, d, || {
            copy(d, &mut registers[first..]);
            Series::new(program, registers)
        });
        (found.is_some() && delays.prepare(program, d, registers)).then_some(self)
    }
}

/// The evaluator itself makes series that need the past of delayed quantities, and those through a polynomial system, which need f.
impl Jets for Evaluator {
    fn begin(&mut self, t: f64, y: &[f64], f: &mut [f64]) {
        if let Some(mut lifted) = self.lifted.take() {
            lifted.begin(t, y);
            self.results(|c| &c.rhs, t, y, lifted.discrete(), f);
            self.lifted = Some(lifted);
            return;
        }
        let (Some(delays), Some((_, Some(series)))) = (&mut self.delays, self.series.first_mut()) else {
            return f.fill(f64::NAN);
        };
        delays.begun = t;
        series.give(delays.given(t, 1.0, 0));
        series.begin(t, y, f);
    }

    fn extend(&mut self, scale: f64, order: usize, c: &mut [f64]) {
        if let Some(mut lifted) = self.lifted.take() {
            if !lifted.extend(scale, order, c) {
                let own = self.own_series(lifted.discrete()).map(|series| series as &mut dyn Jets);
                lifted.extend_by(own, scale, order, c);
            }
            self.lifted = Some(lifted);
            return;
        }
        let (Some(delays), Some((_, Some(series)))) = (&mut self.delays, self.series.first_mut()) else {
            return c.fill(f64::NAN);
        };
        series.give(delays.given(delays.begun, scale, order));
        series.extend(scale, order, c);
    }

    fn cost(&self) -> JetCost {
        if let Some(lifted) = &self.lifted {
            return lifted.cost();
        }
        let series = self.series.first().and_then(|(_, series)| series.as_ref());
        series.map_or_else(JetCost::default, |series| series.cost())
    }
}

impl System for Evaluator {
    fn layout(&self) -> &Layout {
        &self.program.layout
    }

    fn refusal(&mut self) -> Option<Refusal> {
        self.stop.is_raised().then_some(Refusal::Interrupted)
    }

    fn derivative(&mut self, t: f64, y: &[f64], d: &[f64], dy: &mut [f64]) {
        self.results(|c| &c.rhs, t, y, d, dy);
    }

    fn derivative_rounded_otherwise(&mut self, t: f64, y: &[f64], d: &[f64], dy: &mut [f64]) -> bool {
        if self.lifted.as_mut().is_some_and(|lifted| lifted.rounded_otherwise(t, y, d, dy)) {
            return true;
        }
        let other = self.other();
        other.results(|c| &c.rhs, t, y, d, dy);
        // Constants are off by what they are; of the moves of operations a part is what rounding usually does.
        let mut unmoved = std::mem::take(&mut other.unmoved);
        unmoved.resize(dy.len(), 0.0);
        let factors = other.factors.take();
        factors.iter().for_each(|&first| other.registers[first..first + 2].fill(1.0));
        other.results(|c| &c.rhs, t, y, d, &mut unmoved);
        other.factors = factors;
        dy.iter_mut()
            .zip(&unmoved)
            .for_each(|(dy, unmoved)| *dy = unmoved + stochastic_rounding::USUAL * (*dy - unmoved));
        other.unmoved = unmoved;
        true
    }

    fn derivative_of_eight(&mut self, count: usize, t: &Octet, y: &[Octet], d: &[f64], dy: &mut [Octet]) -> bool {
        self.eight(|code| &code.rhs, (count, t, y, d), dy)
    }

    fn denominators(&mut self, t: f64, y: &[f64], d: &[f64], values: &mut Vec<f64>) {
        let (program, registers) = (&self.program, &self.registers);
        let section = self.denominators.get_or_insert_with(|| {
            let results = interval::denominators(&program.rhs, program, registers);
            let last = results.iter().copied().max().unwrap_or(0);
            let needed = program.rhs.instructions.iter().copied().filter(|instruction| instruction.out <= last);
            let section = Section { instructions: needed.collect(), results };
            Packed::new(&section, program.first_temporary, program.registers)
        });
        values.clear();
        if section.results.is_empty() {
            return;
        }
        let section = std::mem::take(section);
        self.load(t, y, d);
        section.run(&self.program.lists, &mut self.registers);
        values.extend(section.results.iter().map(|&register| self.registers[register as usize]));
        self.denominators = Some(section);
    }

    fn switch_values(&mut self, t: f64, y: &[f64], d: &[f64], g: &mut [f64]) {
        self.results(|c| &c.switches, t, y, d, g);
        g.iter_mut().zip(&self.shifts).for_each(|(g, shift)| *g += shift);
    }

    fn switch_slopes(&mut self, t: f64, y: &[f64], d: &[f64], slope: &mut [f64]) {
        self.load_rates(t, y, d);
        self.results(|c| &c.slopes, t, y, d, slope);
    }

    fn switch_variations(&mut self, t: f64, y: &[f64], d: &[f64], values: &mut [f64]) {
        self.results(|c| &c.switch_variations[0], t, y, d, values);
    }

    fn switch_variation_slopes(&mut self, t: f64, y: &[f64], d: &[f64], slopes: &mut [f64]) {
        self.load_rates(t, y, d);
        self.results(|c| &c.switch_variations[1], t, y, d, slopes);
    }

    fn next_crossing(&mut self, switch: usize, after: f64, until: f64) -> Option<f64> {
        crate::time_switch::next_crossing(self, switch, after, until)
    }

    fn mode_from(&mut self, switch: usize, t: f64) -> f64 {
        crate::time_switch::mode_from(self, switch, t)
    }

    fn conditions(&mut self, d: &[f64], truth: &mut [bool]) {
        copy(d, &mut self.registers[self.first_discrete..]);
        let section = &self.code.conditions;
        section.run(&self.program.lists, &mut self.registers);
        for (value, &register) in truth.iter_mut().zip(&section.results) {
            *value = self.registers[register as usize] != 0.0;
        }
    }

    fn act(&mut self, action: usize, t: f64, y: &[f64], d: &[f64], new_y: &mut [f64], new_d: &mut [f64]) {
        self.load(t, y, d);
        let section = &self.code.actions[action];
        section.run(&self.program.lists, &mut self.registers);
        for (&register, target) in section.results.iter().zip(&self.program.actions[action].targets) {
            let value = self.registers[register as usize];
            match *target {
                Target::State(k) => new_y[k] = value,
                Target::Discrete(k) => new_d[k] = value,
            }
        }
    }

    fn assigned(&self, action: usize) -> Vec<usize> {
        let targets = self.program.actions[action].targets.iter();
        targets.filter_map(|target| if let Target::State(k) = target { Some(*k) } else { None }).collect()
    }

    fn jets(&mut self, d: &[f64]) -> Option<&mut dyn Jets> {
        if self.program.layout.algebraic > 0 {
            return None;
        }
        if self.delays.is_some() {
            return self.delayed_jets(d);
        }
        if self.program.polynomial.is_some() {
            return self.lifted_jets(d);
        }
        self.own_series(d).map(|series| series as &mut dyn Jets)
    }

    fn switch_series(&mut self, d: &[f64]) -> Option<&mut dyn SwitchSeries> {
        // Along a step the delayed values are no polynomials of one piece.
        if self.program.layout.algebraic > 0 || self.delays.is_some() {
            return None;
        }
        let (program, registers, first) = (&self.program, &mut self.registers, self.first_discrete);
        let series = newest(&mut self.switch_series, d, || {
            copy(d, &mut registers[first..]);
            AlongStep::new(program, registers).map(|series| series.shifted(&self.shifts))
        });
        series.as_mut().map(|series| series as &mut dyn SwitchSeries)
    }

    fn linear(&mut self, t: f64, d: &[f64]) -> Option<LinearForm> {
        if self.program.layout.algebraic > 0 {
            return None;
        }
        copy(d, &mut self.registers[self.first_discrete..]);
        crate::linear::recognise(&self.program, &self.registers, t)
    }

    fn cost_of_f(&mut self) -> f64 {
        self.program.cost_of_rhs()
    }

    fn cost_of_jacobian(&mut self, most: f64) -> Option<JacobianCost> {
        self.program.cost_of_jacobian(most)
    }

    fn jacobian_pattern(&mut self) -> Option<Arc<Pattern>> {
        self.patterns().map(|[f, _]| f.clone())
    }

    fn jacobian(&mut self, t: f64, y: &[f64], d: &[f64], values: &mut [f64]) {
        self.results(|c| &c.jacobian, t, y, d, values);
    }

    fn invariants(&mut self, t: f64, y: &[f64], d: &[f64], values: &mut [f64]) {
        self.results(|c| &c.invariants, t, y, d, values);
    }

    fn invariants_pattern(&mut self) -> Option<Arc<Pattern>> {
        self.patterns().map(|[_, kept]| kept.clone())
    }

    fn invariants_jacobian(&mut self, t: f64, y: &[f64], d: &[f64], values: &mut [f64]) {
        self.results(|c| &c.invariants_jacobian, t, y, d, values);
    }

    fn start_residuals(&mut self, t: f64, y: &[f64], d: &[f64], values: &mut [f64]) {
        let starts = self.starts(t);
        let first = starts.len() - self.program.start_residuals.results.len();
        self.results(|c| &c.start_residuals, t, y, d, values);
        values.iter_mut().zip(&starts[first..]).for_each(|(value, start)| *value -= start);
    }

    fn start_residuals_pattern(&mut self) -> Option<Arc<Pattern>> {
        let rows = self.program.start_residuals.results.len();
        Some(Arc::new(Pattern::from_elements(rows, self.program.start_residuals_jacobian.pattern.iter().copied())))
    }

    fn start_residuals_jacobian(&mut self, t: f64, y: &[f64], d: &[f64], values: &mut [f64]) {
        self.results(|c| &c.start_residuals_jacobian, t, y, d, values);
    }

    fn history(&mut self) -> Option<&mut History> {
        self.delays.as_mut().map(|delays| &mut delays.history)
    }

    fn delayed(&mut self, t: f64, y: &[f64], d: &[f64], z: &mut [f64]) {
        self.results(|c| &c.delayed, t, y, d, z);
    }

    fn delayed_series(&mut self, path: &Path, d: &[f64], order: usize, z: &mut [Vec<f64>]) -> bool {
        let Some(delays) = self.delays.as_mut().filter(|delays| delays.history.has_series()) else { return false };
        copy(d, &mut self.registers[self.first_discrete..]);
        delays.prepare(&self.program, d, &mut self.registers) && delays.along(path, order, z)
    }

    fn delayed_values(&mut self, t: f64, d: &[f64], w: &mut [f64]) {
        self.load(t, &[], d);
        let first = self.program.delayed_register();
        w.copy_from_slice(&self.registers[first..first + w.len()]);
    }
}
