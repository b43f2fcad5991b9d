//! What series cost, counted from their code; and which codes are small enough for machine code, of which there is none on some
//! processors. Prices do not ask which one this is: what is decided by them is the same everywhere.

use super::code::{JetCode, JetOp};
use super::recurrence::Kind;
use ordinate_solve::JetCost;

/// So many bytes for all orders up to [`USUAL`] at most. Up to 24 KiB stay in the first-level cache and are four times as
/// fast as the interpreter; half a MiB comes from the second one and is still more than twice as fast.
const LARGEST: usize = 512 << 10;

/// The order for which that is estimated.
const USUAL: usize = 24;

/// Whether a code is small enough for machine code.
pub(super) fn is_small(code: &JetCode) -> bool {
    size(code) <= LARGEST
}

/// About how many bytes the code for order [`USUAL`] has, 8 per instruction: a sum has two for each term, all else little.
fn size(code: &JetCode) -> usize {
    let (mut products, mut squares) = (0usize, 0usize);
    for form in code.instructions.iter().map(|i| i.form()) {
        match form.kind {
            Kind::Square => squares += 1,
            _ => products += form.product.iter().chain(&form.weighted).count(),
        }
    }
    let (products, squares) = (products.div_ceil(4), squares.div_ceil(4));
    let terms = USUAL * (USUAL + 1) / 2;
    let others = 6 * (products + squares) + 4 * code.instructions.len() + code.terms.len();
    8 * (terms * (2 * products + squares) + USUAL * (others + 3 * code.results.len()))
}

/// Without machine code a series takes so many times as many instructions. Counted by callgrind, all of a step, in thousands; p is
/// the order:
///
/// ```text
///                        dp8: step   per unit of its price     taylor: p   step   per unit without this factor
///   Kuramoto 50                204                    16.4            21    375                           41
///   Kuramoto 100               396                    16.1            14    560                           46
///   20 bodies                  600                    12.5            16   1900                           38
///   40 bodies                 2500                    13.1            16   7340                           34
///   Fermi–Pasta–Ulam 200       294                    19.6            30    848                           41
///   van der Pol 100            134                    18.8            23    434                           41
///   pendulums 40               125                    12.4            25    403                           36
/// ```
const INTERPRETED: f64 = 2.6;

/// What a step with series of a code costs, in nanoseconds as measured once on one machine, with machine code: only the
/// proportions matter. What a step costs without its series, about 200, is the same at all orders and lets high ones pay.
pub(super) fn cost(code: &JetCode) -> JetCost {
    let mut cost = JetCost { fixed: 180.0 + 12.0 * code.states as f64, per_order: 4.0, per_product: 0.0 };
    for instruction in &code.instructions {
        let (products, fixed) = match instruction.op {
            JetOp::Sum(_) | JetOp::Weigh(_) => (0.0, 1.0),
            JetOp::Square(_) => (0.5, 2.0),
            JetOp::Sqrt(_) => (0.5, 8.0),
            JetOp::Mul(..) => (1.0, 2.0),
            JetOp::Div(..) | JetOp::Reciprocal(..) => (1.0, 6.0),
            JetOp::Power { .. } => (2.0, 20.0),
            JetOp::Antiproduct { .. } | JetOp::Antiquotient { .. } => (1.0, 15.0),
        };
        cost.fixed += fixed;
        cost.per_order += 0.35;
        cost.per_product += 0.04 * products;
    }
    cost.per_order += 0.35 * code.results.len() as f64;
    if is_small(code) { cost } else { cost.times(INTERPRETED) }
}
