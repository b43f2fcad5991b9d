//! Instructions, sections and the program that holds them.
//!
//! ```text
//!   registers = [ t | y … | d … | delayed values … | their slopes … | literals … | computed constants … | temporaries … ]
//! ```
//!
//! A section is a straight line of instructions, each writing one temporary that is written nowhere else, and the
//! registers where its results are found. Temporaries do not survive from one section to the next.

use crate::scheduled_code::arity;
use crate::{Jacobian, Rates, time_switch::TimeSwitch};
use ordinate_expr::{Decimal, Function};
use ordinate_solve::Layout;
use std::sync::Arc;

/// What an instruction does with its operands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Op {
    /// −a
    Neg,
    /// a + b
    Add,
    /// a − b
    Sub,
    /// a · b
    Mul,
    /// a · a
    Square,
    /// a / b
    Div,
    /// aᵇ, b any register
    Pow,
    /// a^(n/2)
    HalfPower(i16),
    /// f(a)
    Call(Function),
    /// angle of (b, a)
    Atan2,
    /// a < b
    Less,
    /// a ≤ b
    LessEqual,
    /// a = b
    Equal,
    /// not a
    Not,
    /// a and b
    And,
    /// a or b
    Or,
    /// if a then b else c
    Select,
    /// element a of the list of this number
    Lookup(u32),
}

/// One instruction. Operands that an operation does not have are 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Instruction {
    /// The operation.
    pub op: Op,
    /// The register written.
    pub out: u32,
    /// First operand.
    pub a: u32,
    /// Second operand.
    pub b: u32,
    /// Third operand.
    pub c: u32,
}

impl Instruction {
    /// The registers that the operation reads.
    pub fn operands(&self) -> impl Iterator<Item = u32> {
        [self.a, self.b, self.c].into_iter().take(arity(self.op))
    }
}

/// A straight line of instructions and where its results are.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Section {
    /// In the order of execution.
    pub instructions: Vec<Instruction>,
    /// Registers of the results.
    pub results: Vec<u32>,
}

impl Section {
    /// Registers go to other places.
    pub(crate) fn relocate(&mut self, place: &dyn Fn(&mut u32)) {
        for Instruction { out, a, b, c, .. } in &mut self.instructions {
            [out, a, b, c].into_iter().for_each(place);
        }
        self.results.iter_mut().for_each(place);
    }
}

/// A constant that a run rounds to its own precision.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Literal {
    /// An exact decimal.
    Decimal(Decimal),
    /// π
    Pi,
    /// Just this double.
    Double(f64),
}

/// Where an action writes a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// State of this index.
    State(usize),
    /// Element of d of this index.
    Discrete(usize),
}

/// An action: its new values and where they go.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ActionCode {
    /// Computes the values.
    pub section: Section,
    /// One target per result.
    pub targets: Vec<Target>,
}

/// A compiled model.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// The shape that the driver sees.
    pub layout: Layout,
    /// Number of registers.
    pub registers: usize,
    /// First register of the computed constants, in the order of the prologue.
    pub first_computed: u32,
    /// First register of the temporaries.
    pub first_temporary: u32,
    /// Constants and their registers.
    pub literals: Vec<(u32, Literal)>,
    /// Constants that follow from others, parameters among them; run once.
    pub prologue: Section,
    /// y′, and what is zero for the algebraic states.
    pub rhs: Section,
    /// What the solution keeps at zero.
    pub invariants: Section,
    /// What has a start value and is no state, then all that has a guess.
    pub start_residuals: Section,
    /// g of every switch.
    pub switches: Section,
    /// dg/dt of every switch.
    pub slopes: Section,
    /// dg/dq of every switch, where the model has variations, and the derivatives of these along the flow.
    pub switch_variations: [Section; 2],
    /// Truth of the conditions.
    pub conditions: Section,
    /// The actions.
    pub actions: Vec<ActionCode>,
    /// Named expressions, outputs, held values; then the inputs.
    pub outputs: Section,
    /// Start values: of the states, then of the held values, then of what is `stated`.
    pub starts: Section,
    /// The delayed quantities, which are remembered.
    pub delayed: Section,
    /// What they were before the start, then the slopes of that.
    pub past: Section,
    /// Of a polynomial system: the auxiliary variables, which are its last states, as functions of the others; then what a root is
    /// taken of.
    pub definitions: Section,
    /// How many of the states are no auxiliary variables.
    pub own_states: usize,
    /// The polynomial system by which the series of the states are made, where they are made so: its first states are these.
    pub polynomial: Option<Arc<Program>>,
    /// Columns of tables.
    pub lists: Vec<Vec<f64>>,
    /// Switches that depend on t alone.
    pub time_switches: Vec<Option<TimeSwitch>>,
    /// ∂f/∂y, where it was asked for.
    pub jacobian: Option<Jacobian>,
    /// The derivatives of the invariants by y, where the Jacobian was asked for.
    pub invariants_jacobian: Option<Jacobian>,
    /// The derivatives of what is stated by y.
    pub start_residuals_jacobian: Jacobian,
    /// What the rates of change of the algebraic states follow from, where switches depend on them.
    pub rates: Option<Rates>,
    /// How many states the text of the model names: these are stored and shown, the others follow them.
    pub visible: usize,
    /// The equations of `rhs` that contain a function of time which may be next to zero almost everywhere.
    pub pulsed: Vec<bool>,
    /// Names of the states.
    pub state_names: Vec<String>,
    /// Names of the held values.
    pub held_names: Vec<String>,
    /// Names of the results of `outputs`.
    pub output_names: Vec<String>,
    /// How constants become numbers of the machine.
    pub rounding: Rounding,
}

/// How constants are rounded that are no doubles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rounding {
    /// To the nearest number.
    #[default]
    Nearest,
    /// To the nearest number, then by so many times the error of that to the other side, at least to the neighbour there: to see
    /// what rounding does to a solution. The times of switches stay.
    Moved(u32),
    /// The same once, in a program whose operations are disturbed, too.
    Otherwise,
}

impl Program {
    /// Everything that has instructions.
    pub(crate) fn sections_mut(&mut self) -> Vec<&mut Section> {
        let mut sections: Vec<&mut Section> = vec![
            &mut self.prologue,
            &mut self.rhs,
            &mut self.invariants,
            &mut self.start_residuals,
            &mut self.switches,
            &mut self.slopes,
            &mut self.conditions,
            &mut self.outputs,
            &mut self.starts,
            &mut self.delayed,
            &mut self.past,
            &mut self.definitions,
        ];
        sections.extend(&mut self.switch_variations);
        sections.extend(self.actions.iter_mut().map(|action| &mut action.section));
        sections.extend(self.time_switches.iter_mut().flatten().map(|switch| &mut switch.section));
        let jacobians =
            self.jacobian.iter_mut().chain(&mut self.invariants_jacobian).chain([&mut self.start_residuals_jacobian]);
        sections.extend(jacobians.map(|Jacobian { section, .. }| section));
        sections.extend(self.rates.iter_mut().flat_map(|rates| [&mut rates.section, &mut rates.jacobian.section]));
        sections
    }

    /// First register of y.
    pub const STATES: usize = 1;

    /// First register of d.
    pub fn discrete_register(&self) -> usize {
        Self::STATES + self.layout.states
    }

    /// First register of the delayed values; their slopes follow.
    pub fn delayed_register(&self) -> usize {
        self.discrete_register() + self.layout.discrete()
    }

    /// First register of the rates of change of the algebraic states.
    pub fn rates_register(&self) -> usize {
        self.delayed_register() + 2 * self.layout.delays.len()
    }
}
