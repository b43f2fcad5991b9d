//! What a name or function of other programs and books is called here.

use ordinate_syntax::FUNCTIONS;

/// What to write instead of a function that this language does not have; `argument` is the text of its first argument.
pub(crate) fn function(name: &str, argument: &str) -> Option<String> {
    let simple = argument.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '\'' | '.'));
    let x = &if simple { argument.to_string() } else { format!("({argument})") };
    let lower = name.to_lowercase();
    let same = match lower.as_str() {
        "heaviside" | "heav" | "unitstep" => "step",
        "tg" => "tan",
        "sgn" | "signum" => "sign",
        "arcsin" => "asin",
        "arccos" => "acos",
        "arctan" | "arctg" | "atg" => "atan",
        "arctan2" => "atan2",
        "sh" => "sinh",
        "ch" => "cosh",
        "th" | "tgh" => "tanh",
        "arcsinh" | "arsinh" => "asinh",
        "arccosh" | "arcosh" => "acosh",
        "arctanh" | "artanh" => "atanh",
        "lg" => "log10",
        "power" => "pow",
        "fabs" => "abs",
        "int" | "trunc" => "floor",
        _ => "",
    };
    if !same.is_empty() {
        return Some(format!("write `{same}(…)`"));
    }
    Some(match lower.as_str() {
        "ln" => "the natural logarithm is `log`".into(),
        "ctg" | "cot" | "cotg" => format!("write `1/tan({x})`"),
        "sec" => format!("write `1/cos({x})`"),
        "sat" | "saturation" | "clip" | "clamp" | "limit" => format!("write `saturate({x}, low, high)`"),
        "quantise" | "quant" | "quantizer" => format!("write `quantize({x}, q)`: {x} rounded to a multiple of q"),
        "rand" | "randn" | "random" | "gauss" | "normal" | "whitenoise" => {
            "write `noise(seed, sigma)` in `every` or `when`, `noise(seed, sigma, Ts)` elsewhere".into()
        }
        "mod" | "fmod" | "rem" => format!("write `{x} - n*floor({x}/n)`"),
        "round" => format!("write `quantize({x}, 1)`"),
        "ceil" | "ceiling" => format!("write `-floor(-{x})`"),
        "log2" => format!("write `log({x})/log(2)`"),
        "sind" => format!("write `sin({x}*pi/180)`"),
        "cosd" => format!("write `cos({x}*pi/180)`"),
        "tand" => format!("write `tan({x}*pi/180)`"),
        "sqr" | "square" => format!("write `{x}^2`"),
        "der" | "diff" | "d" | "ddt" => format!("a derivative is written with primes: `{x}'`"),
        "integral" | "integ" => format!("write an equation, `z' = {x}` with `init z = 0`, and use `z`"),
        _ => return None,
    })
}

/// All functions of the language, for someone who looks for one.
pub(crate) fn functions() -> String {
    FUNCTIONS.iter().map(|&(name, _)| name).collect::<Vec<&str>>().join(" ")
}

/// What to write instead of a name that is not defined.
pub(crate) fn name(name: &str) -> Option<&'static str> {
    Some(match name {
        "Pi" | "PI" | "π" | "M_PI" => "write `pi`",
        "e" => "the exponential function is `exp(x)`; or add `param e = …`",
        "s" => "`s` has a meaning in the first argument of `laplace` only; or add `param s = …`",
        "T" => "did you mean `t`, the time? or add `param T = …`",
        _ => return None,
    })
}
