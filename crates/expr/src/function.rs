//! The functions of one argument: their names and nothing else. What they are is said where they are
//! used: their derivative in `derivative.rs`, their value and their series in the program.

/// A function of one argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Function {
    /// sine
    Sin,
    /// cosine
    Cos,
    /// tangent
    Tan,
    /// inverse sine
    Asin,
    /// inverse cosine
    Acos,
    /// inverse tangent
    Atan,
    /// hyperbolic sine
    Sinh,
    /// hyperbolic cosine
    Cosh,
    /// hyperbolic tangent
    Tanh,
    /// inverse hyperbolic sine
    Asinh,
    /// inverse hyperbolic cosine
    Acosh,
    /// inverse hyperbolic tangent
    Atanh,
    /// exponential
    Exp,
    /// natural logarithm
    Log,
    /// decimal logarithm
    Log10,
    /// square root
    Sqrt,
    /// cube root
    Cbrt,
    /// error function
    Erf,
    /// eˣ − 1
    Expm1,
    /// log(1 + x)
    Log1p,
    /// 1/(1 + e⁻ˣ); with the next four it has no name in the language, see `stable.rs`
    Logistic,
    /// log(1 + eˣ)
    Softplus,
    /// x/(eˣ − 1), the function of Bernoulli's numbers; 1 at 0
    Bernoulli,
    /// coth x − 1/x, Langevin's function; 0 at 0
    Langevin,
    /// its derivative, 1/x² − 1/sinh² x; 1/3 at 0
    LangevinSlope,
    /// magnitude, at one instant; on a trajectory it is a switch and a selection
    Abs,
    /// −1, 0 or 1, at one instant
    Sign,
    /// the greatest integer not above, at one instant
    Floor,
    /// a number drawn from the normal distribution, another one for every whole argument: see `noise.rs`
    Noise,
}

impl Function {
    /// All of them.
    pub const ALL: [Function; 29] = [
        Function::Sin,
        Function::Cos,
        Function::Tan,
        Function::Asin,
        Function::Acos,
        Function::Atan,
        Function::Sinh,
        Function::Cosh,
        Function::Tanh,
        Function::Asinh,
        Function::Acosh,
        Function::Atanh,
        Function::Exp,
        Function::Log,
        Function::Log10,
        Function::Sqrt,
        Function::Cbrt,
        Function::Erf,
        Function::Expm1,
        Function::Log1p,
        Function::Logistic,
        Function::Softplus,
        Function::Bernoulli,
        Function::Langevin,
        Function::LangevinSlope,
        Function::Abs,
        Function::Sign,
        Function::Floor,
        Function::Noise,
    ];

    /// Its name, of the language unless it is internal.
    pub fn name(self) -> &'static str {
        match self {
            Function::Sin => "sin",
            Function::Cos => "cos",
            Function::Tan => "tan",
            Function::Asin => "asin",
            Function::Acos => "acos",
            Function::Atan => "atan",
            Function::Sinh => "sinh",
            Function::Cosh => "cosh",
            Function::Tanh => "tanh",
            Function::Asinh => "asinh",
            Function::Acosh => "acosh",
            Function::Atanh => "atanh",
            Function::Exp => "exp",
            Function::Log => "log",
            Function::Log10 => "log10",
            Function::Sqrt => "sqrt",
            Function::Cbrt => "cbrt",
            Function::Erf => "erf",
            Function::Expm1 => "expm1",
            Function::Log1p => "log1p",
            Function::Logistic => "logistic",
            Function::Softplus => "softplus",
            Function::Bernoulli => "bernoulli",
            Function::Langevin => "langevin",
            Function::LangevinSlope => "langevin_slope",
            Function::Abs => "abs",
            Function::Sign => "sign",
            Function::Floor => "floor",
            Function::Noise => "noise",
        }
    }

    /// The function of a name of the language.
    pub fn by_name(name: &str) -> Option<Function> {
        Function::ALL.into_iter().find(|f| f.name() == name && !f.is_internal())
    }

    /// Whether it has no name in the language: it is printed as the expression that it stands for.
    pub fn is_internal(self) -> bool {
        matches!(
            self,
            Function::Logistic
                | Function::Softplus
                | Function::Bernoulli
                | Function::Langevin
                | Function::LangevinSlope
        )
    }
}
