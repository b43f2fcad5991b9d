//! Each block of equations is solved for its unknowns: symbolically where they enter linearly and are few; otherwise what
//! is explicit stays a definition and the rest are algebraic variables, which an implicit method determines.

use super::inverse::{inside_logarithm, inverted};
use super::linear::Unsolved;
use super::matching::Matching;
use super::proof::{Known, dependent_rows};
use super::reduce::{Line, System, isolated};
use super::shared::separate;
use super::signed_powers::Root;
use super::{Algebraic, Block, solve_block};
use crate::Model;
use ordinate_expr::{Expr, ExprId, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// In blocks up to this size any unknown is isolated where it can be; in larger ones, which are mostly networks with a
/// sparse matrix, derivatives only, so that the matrix stays sparse.
const SMALL: usize = 32;

/// The largest block without a symbolic solution that is tested for equations that depend on each other.
const TESTED: usize = 100;

/// What the blocks of a complete system give.
#[derive(Default)]
pub(super) struct Solved {
    pub blocks: Vec<Block>,
    pub algebraic: Vec<Algebraic>,
    /// What roots are taken of.
    pub roots: Vec<Root>,
}

/// A block whose equations do not determine its unknowns, whatever their values.
pub(super) struct Singular {
    /// Indices into the lines of the system.
    pub lines: Vec<usize>,
    pub unknowns: Vec<VarId>,
}

/// Solves all blocks, writing definitions. With `implicit` unknowns that no line is written for stay algebraic, unless
/// they are derivatives.
pub(super) fn solve(
    model: &mut Model,
    system: &System,
    matching: &Matching,
    definitions: &mut Vec<Option<ExprId>>,
    implicit: bool,
) -> Result<Solved, Singular> {
    let mut solved = Solved::default();
    let known = Known::of(model);
    definitions.resize(model.variables.len(), None);
    for members in matching.components() {
        // without an unknown of its own: a constraint of a system whose index is not reduced
        let members: Vec<usize> = members.into_iter().filter(|&e| matching.unknown_of[e].is_some()).collect();
        if members.is_empty() {
            continue;
        }
        let unknowns: Vec<VarId> =
            members.iter().filter_map(|&e| matching.unknown_of[e]).map(|u| system.unknowns[u]).collect();
        let lines: Vec<Line> = members.iter().map(|&e| system.lines[e]).collect();
        let equations: Vec<usize> = lines.iter().map(|line| line.equation).collect();
        let sides: Vec<(ExprId, ExprId)> = lines.iter().map(|line| (line.left, line.right)).collect();
        let written = |&v: &VarId| {
            let variable = sides.iter().any(|&(left, _)| model.graph.node(left) == Expr::Var(v));
            variable || model.variable(v).primes > 0
        };
        let keep = implicit && !unknowns.iter().all(written);
        let solution = match keep {
            true => Err(Unsolved::Nonlinear),
            false => solve_block(&mut model.graph, &sides, &unknowns, &known),
        };
        let mut symbolic = solution.is_ok();
        match solution {
            Ok(solution) => solution.into_iter().for_each(|(v, e)| definitions[v.0 as usize] = Some(e)),
            Err(Unsolved::Singular) => return Err(Singular { lines: members, unknowns }),
            Err(Unsolved::Nonlinear | Unsolved::TooLarge) => {
                if is_singular(model, &lines, &unknowns, &known) {
                    return Err(Singular { lines: members, unknowns });
                }
                let any = !keep && lines.len() <= SMALL;
                let rest = tear(model, &lines, &unknowns, any, definitions, &mut solved.roots);
                symbolic = rest.is_empty();
                solved.algebraic.extend(rest);
            }
        }
        solved.blocks.push(Block { equations, unknowns, solved: symbolic });
    }
    Ok(solved)
}

/// ∂residualᵢ/∂uⱼ
pub(super) fn coefficients(model: &mut Model, lines: &[Line], unknowns: &[VarId]) -> Vec<Vec<ExprId>> {
    let mut rows = Vec::with_capacity(lines.len());
    for line in lines {
        let residual = model.graph.sub(line.left, line.right);
        rows.push(unknowns.iter().map(|&u| model.graph.partial(residual, u)).collect());
    }
    rows
}

fn is_singular(model: &mut Model, lines: &[Line], unknowns: &[VarId], known: &Known) -> bool {
    if lines.len() > TESTED {
        return false;
    }
    let matrix = coefficients(model, lines, unknowns);
    dependent_rows(&mut model.graph, &matrix, known).is_some()
}

/// Tearing: unknowns that a line gives explicitly become definitions, as long as none of those chosen before needs
/// them, so there is no circle; the others are algebraic, with the other lines as residuals. With `any` not only
/// derivatives are isolated, and what stands in a logarithm before all others; derivatives come next, for one that is algebraic
/// is an unknown more than the states have.
fn tear(
    model: &mut Model,
    lines: &[Line],
    unknowns: &[VarId],
    any: bool,
    definitions: &mut [Option<ExprId>],
    roots: &mut Vec<Root>,
) -> Vec<Algebraic> {
    let mut open: FxHashSet<VarId> = unknowns.iter().copied().collect();
    let mut needed: FxHashSet<VarId> = FxHashSet::default();
    let mut taken = vec![false; lines.len()];
    let mut explicit: Vec<VarId> = Vec::new();
    for pass in [Pass::Logarithms, Pass::WrittenDerivatives, Pass::Derivatives, Pass::Written, Pass::Isolated] {
        let mut order: Vec<usize> = (0..lines.len()).filter(|&k| !taken[k]).collect();
        if matches!(pass, Pass::Derivatives) {
            // what a formula needs gets none itself
            order.sort_by_cached_key(|&k| {
                let residual = model.graph.sub(lines[k].left, lines[k].right);
                let inside = model.graph.variables(residual);
                inside.into_iter().filter(|v| open.contains(v)).count()
            });
        }
        for k in order {
            let line = &lines[k];
            let free = |v: &VarId| open.contains(v) && !needed.contains(v);
            let found = match (pass, model.graph.node(line.left)) {
                (Pass::Logarithms, _) if any => {
                    let inside = inside_logarithm(model, line);
                    inside.into_iter().filter(free).find_map(|v| Some((v, inverted(model, line, v, false)?)))
                }
                (Pass::WrittenDerivatives, Expr::Var(v)) if model.variable(v).primes == 0 => None,
                (Pass::WrittenDerivatives | Pass::Written, Expr::Var(v))
                    if model.graph.variables(line.right).binary_search(&v).is_err() =>
                {
                    Some((v, (line.right, None))).filter(|_| free(&v))
                }
                (Pass::Logarithms | Pass::WrittenDerivatives | Pass::Written, _) => None,
                (Pass::Derivatives, _) => isolate(model, line, &free, false, lines.len() == 1),
                (Pass::Isolated, _) => isolate(model, line, &free, any, lines.len() == 1),
            };
            if let Some((v, (value, root))) = found {
                roots.extend(root);
                open.remove(&v);
                explicit.push(v);
                taken[k] = true;
                needed.extend(model.graph.variables(value));
                definitions[v.0 as usize] = Some(value);
            }
        }
    }
    let left = lines.iter().zip(&taken).filter(|&(_, taken)| !taken).map(|(line, _)| line);
    let mut residuals: Vec<(ExprId, usize)> =
        left.map(|line| (model.graph.sub(line.left, line.right), line.equation)).collect();
    if any {
        separate(model, &mut residuals, &explicit, &open, definitions);
    }
    pair(model, &residuals, unknowns, &open)
}

/// What is looked for in the lines, one after the other.
#[derive(Clone, Copy)]
enum Pass {
    Logarithms,
    WrittenDerivatives,
    Derivatives,
    Written,
    Isolated,
}

/// A free unknown with a constant coefficient, derivatives first; or one that can be had by inverse functions.
fn isolate(
    model: &mut Model,
    line: &Line,
    free: &dyn Fn(&VarId) -> bool,
    any: bool,
    alone: bool,
) -> Option<(VarId, (ExprId, Option<Root>))> {
    let residual = model.graph.sub(line.left, line.right);
    let mut candidates: Vec<VarId> = model.graph.variables(residual);
    candidates.retain(|v| free(v) && (any || model.variable(*v).primes > 0));
    candidates.sort_by_key(|&v| std::cmp::Reverse(model.variable(v).primes));
    let linear = candidates.iter().find_map(|&v| Some((v, (isolated(model, line, v)?, None))));
    linear.or_else(|| candidates.iter().find_map(|&v| Some((v, inverted(model, line, v, alone)?))))
}

/// Pairs the unknowns that are left with the lines that are left, where possible with one that they stand in.
fn pair(
    model: &mut Model,
    residuals: &[(ExprId, usize)],
    unknowns: &[VarId],
    open: &FxHashSet<VarId>,
) -> Vec<Algebraic> {
    let rest: Vec<VarId> = unknowns.iter().copied().filter(|v| open.contains(v)).collect();
    let position: FxHashMap<VarId, usize> = rest.iter().enumerate().map(|(k, &v)| (v, k)).collect();
    let mut incident = Vec::with_capacity(residuals.len());
    for &(residual, _) in residuals {
        incident.push(model.graph.variables(residual).iter().filter_map(|v| position.get(v).copied()).collect());
    }
    let none = vec![None; residuals.len()];
    let matching = Matching::new(incident, rest.len(), &none, &vec![true; rest.len()]);
    let mut spare = matching.spare_equations().into_iter();
    let mut list = Vec::with_capacity(rest.len());
    for (k, &var) in rest.iter().enumerate() {
        let line = matching.equation_of[k].or_else(|| spare.next()).expect("as many lines as unknowns are left");
        let (residual, equation) = residuals[line];
        list.push(Algebraic { var, residual, equation });
    }
    list
}
