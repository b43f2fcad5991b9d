//! What a name or function of other programs and books is called here.

use ordinate_syntax::FUNCTIONS;

/// What to write instead of a function that this language does not have; `arguments` are the texts of its arguments.
pub(crate) fn function(name: &str, arguments: &[&str]) -> Option<String> {
    let factor = |k: usize, other: &str| {
        let text = arguments.get(k).filter(|a| a.len() <= 20 && !a.contains('\n')).copied().unwrap_or(other);
        let simple = text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '\'' | '.'));
        if simple { text.to_string() } else { format!("({text})") }
    };
    let x = &factor(0, "x");
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
        "mod" | "fmod" | "rem" => {
            let n = factor(1, "n");
            format!("write `{x} - {n}*floor({x}/{n})`")
        }
        "sum" => "write `u[1] + u[2] + …`, or add up: `s[0] = 0; for k in 1..n: s[k] = s[k-1] + u[k]`".into(),
        "factorial" | "fact" => "write the product: 4! is `2*3*4`".into(),
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
