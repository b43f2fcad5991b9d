//! Claims about all kinds of storage alike.

use super::choice::Chosen;
use super::*;
use crate::sparse::{Graph, Plan};

/// Numbers between −1 and 1, the same in every run: G. Marsaglia, J. Stat. Softw. 8 (2003) 14.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    fn below(&mut self, n: usize) -> u32 {
        ((self.next() + 1.0) / 2.0 * n as f64) as u32 % n as u32
    }

    fn scalar<T: Scalar>(&mut self) -> T {
        let re = self.next();
        T::from_parts(re, if T::PARTS == 2 { self.next() } else { 0.0 })
    }
}

fn random() -> Random {
    Random(88_172_645_463_325_252)
}

fn chain(n: usize) -> Pattern {
    let near = |i: usize| i.saturating_sub(1)..(i + 2).min(n);
    Pattern::from_elements(n, (0..n).flat_map(|i| near(i).map(move |j| (i as u32, j as u32))))
}

fn grid(side: usize) -> Pattern {
    let at = |i: usize, j: usize| (i * side + j) as u32;
    let across =
        (0..side).flat_map(|i| (1..side).flat_map(move |j| [(at(i, j), at(i, j - 1)), (at(i, j - 1), at(i, j))]));
    let down =
        (1..side).flat_map(|i| (0..side).flat_map(move |j| [(at(i, j), at(i - 1, j)), (at(i - 1, j), at(i, j))]));
    Pattern::from_elements(side * side, across.chain(down)).with_diagonal()
}

fn arrow(n: usize) -> Pattern {
    Pattern::from_elements(n, (0..n as u32).flat_map(|i| [(i, i), (0, i), (i, 0)]))
}

/// A permutation without fixed points and a few elements anywhere: no diagonal, not symmetric.
fn circuit(n: usize, random: &mut Random) -> Pattern {
    let mut elements: Vec<(u32, u32)> = (0..n).map(|i| (i as u32, ((i + 5) % n) as u32)).collect();
    elements.extend((0..2 * n).map(|k| ((k % n) as u32, random.below(n))).filter(|(i, j)| i != j));
    Pattern::from_elements(n, elements.into_iter())
}

/// Every storage that a pattern can have.
fn all<T: Scalar>(pattern: &Pattern) -> Vec<Lu<T>> {
    let mut all = vec![Lu::new(pattern)];
    if pattern.n <= small::MAX_SMALL {
        all.push(Lu::with(pattern, Chosen::Small));
    }
    if pattern.n <= 300 {
        all.push(Lu::with(pattern, Chosen::Dense));
        all.push(Lu::with(pattern, Chosen::Band((0..pattern.n as u32).rev().collect())));
    }
    for graph in [Graph::Sum, Graph::Product] {
        if let Ok(plan) = Plan::new(pattern, graph) {
            all.push(Lu::with(pattern, Chosen::Sparse(plan)));
        }
    }
    all
}

fn values<T: Scalar>(pattern: &Pattern, random: &mut Random) -> Vec<T> {
    pattern.elements().map(|_| random.scalar()).collect()
}

/// The largest residual of an equation in units of the rounding of its terms; of Aᵀ x = b where `transposed`.
fn residual<T: Scalar>(pattern: &Pattern, values: &[T], x: &[T], b: &[T], transposed: bool) -> f64 {
    let mut rest = b.to_vec();
    let mut terms: Vec<f64> = b.iter().map(|b| b.modulus()).collect();
    for ((i, j), &value) in pattern.elements().zip(values) {
        let (i, j) = if transposed { (j, i) } else { (i, j) };
        rest[i as usize] -= value * x[j as usize];
        terms[i as usize] += (value * x[j as usize]).modulus();
    }
    let ratios = rest.iter().zip(&terms).map(
        |(rest, &terms)| {
            if terms == 0.0 { 0.0 } else { rest.modulus() / (f64::EPSILON * terms) }
        },
    );
    ratios.fold(0.0, |a, b| if b.is_nan() { f64::INFINITY } else { b.max(a) })
}

/// Solves twice, with fresh pivots and with those of the first time, and in both directions.
fn check<T: Scalar>(pattern: &Pattern, mut values: Vec<T>, random: &mut Random, limit: f64) {
    for mut lu in all::<T>(pattern) {
        for round in 0..2 {
            let name = format!("n = {}, {}, round {round}", pattern.n, lu.structure());
            lu.factor(&values).unwrap_or_else(|e| panic!("{name}: {e}"));
            let b: Vec<T> = (0..pattern.n).map(|_| random.scalar()).collect();
            let mut x = b.clone();
            lu.solve(&mut x);
            let found = residual(pattern, &values, &x, &b, false);
            assert!(found < limit, "{name}: {found}");
            let mut x = b.clone();
            lu.solve_transposed(&mut x);
            let found = residual(pattern, &values, &x, &b, true);
            assert!(found < limit * pattern.n as f64, "{name}, transposed: {found}");
            values.iter_mut().for_each(|value| *value = *value * (1.0 + 0.3 * random.next()));
        }
    }
}

/// The rounding of LU with partial pivoting grows with n at most, but for matrices made for the purpose.
#[test]
fn every_storage_solves_random_matrices() {
    let mut random = random();
    for n in [1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 24, 25, 31, 32, 33, 47, 64, 65, 100, 130] {
        let pattern = Pattern::dense(n);
        let (real, complex) = (values::<f64>(&pattern, &mut random), values::<Complex>(&pattern, &mut random));
        check(&pattern, real, &mut random, 20.0 * n as f64);
        check(&pattern, complex, &mut random, 20.0 * n as f64);
    }
}

#[test]
fn every_storage_solves_every_structure() {
    let mut random = random();
    for n in [5, 30, 60, 200] {
        for pattern in [chain(n), arrow(n), grid(n.isqrt()), circuit(n, &mut random)] {
            let (real, complex) = (values::<f64>(&pattern, &mut random), values::<Complex>(&pattern, &mut random));
            check(&pattern, real, &mut random, 1e3 * n as f64);
            check(&pattern, complex, &mut random, 1e3 * n as f64);
        }
    }
}

#[test]
fn storage_follows_structure() {
    let of = |pattern: &Pattern| Lu::<f64>::new(pattern).structure();
    assert_eq!(of(&Pattern::dense(7)), Structure::Small);
    assert_eq!(of(&Pattern::dense(60)), Structure::Dense);
    assert_eq!(of(&chain(20_000)), Structure::Band { lower: 1, upper: 1 });
    assert_eq!(of(&grid(100)), Structure::Sparse { blocks: 1, largest: 10_000 });
    assert_eq!(of(&arrow(20_000)), Structure::Sparse { blocks: 1, largest: 20_000 });
    let chain = chain(1000);
    let shuffled = chain.elements().map(|(i, j)| (i * 7 % 1000, j * 7 % 1000));
    assert_eq!(of(&Pattern::from_elements(1000, shuffled)), Structure::Band { lower: 1, upper: 1 });
    let triangle = Pattern::from_elements(500, (0..500).flat_map(|i| [(i, i), (i, i / 2), (i, i / 3)]));
    assert_eq!(of(&triangle), Structure::Sparse { blocks: 500, largest: 1 });
}

/// Elements of the factors of a random matrix, its diagonal shifted, when the order is first looked for in a graph.
fn fill(pattern: &Pattern, diagonal: f64, graph: Graph) -> usize {
    let mut random = random();
    let values: Vec<f64> =
        pattern.elements().map(|(i, j)| random.next() + if i == j { diagonal } else { 0.0 }).collect();
    let Ok(plan) = Plan::new(pattern, graph) else { panic!("the pattern is regular") };
    let mut lu = Lu::with(pattern, Chosen::Sparse(plan));
    lu.factor(&values).expect("the matrix is regular");
    let Kind::Sparse(sparse) = &lu.kind else { unreachable!("it was asked for") };
    sparse.fill()
}

#[test]
fn factors_stay_sparse() {
    assert_eq!(fill(&chain(5000), 4.0, Graph::Sum), 5000 * 3 - 2);
    assert_eq!(fill(&arrow(5000), 4.0, Graph::Sum), 5000 * 3 - 2);
    let grid = grid(60);
    let strong = fill(&grid, 5.0, Graph::Sum);
    assert!(strong < 2 * 60 * 60 * 31, "{strong}");
    // Where pivots wander, the order is looked for again, in the other graph.
    let (wandering, product) = (fill(&grid, 0.0, Graph::Sum), fill(&grid, 0.0, Graph::Product));
    assert_eq!(wandering, product);
    assert!(wandering < 10 * strong, "{wandering} {strong}");
}

/// Each of these is singular because of column 3.
#[test]
fn a_singular_column_is_named() {
    let mut random = random();
    for n in [6, 20, 40, 90] {
        let pattern = Pattern::dense(n);
        for case in ["zero", "sum of the columns before", "NaN", "infinite"] {
            let mut a = values::<f64>(&pattern, &mut random);
            for i in 0..n {
                a[i * n + 3] = match case {
                    "zero" => 0.0,
                    "NaN" if i == n - 1 => f64::NAN,
                    "infinite" if i == 2 => f64::INFINITY,
                    "NaN" | "infinite" => 1.0,
                    _ => a[i * n] + a[i * n + 1] - 3.0 * a[i * n + 2],
                };
            }
            for chosen in [Chosen::Small, Chosen::Dense, Chosen::Band((0..n as u32).collect())] {
                if n > small::MAX_SMALL && matches!(chosen, Chosen::Small) {
                    continue;
                }
                let mut lu = Lu::with(&pattern, chosen);
                assert_eq!(lu.factor(&a), Err(Singular { column: 3 }), "{case}, n = {n}, {}", lu.structure());
            }
        }
    }
}

/// Equations of small whole numbers that repeat each other cancel without a rest: nothing but zeros is left in the rows that are
/// no pivot rows yet, and what stands in the others is no pivot.
#[test]
fn equations_that_repeat_each_other_exactly_are_singular() {
    let mut random = random();
    for n in [2, 3, 5, 8, 9, 17, 32, 40] {
        let pattern = Pattern::dense(n);
        for last in [1, n - 1] {
            let mut a: Vec<f64> = values::<f64>(&pattern, &mut random).iter().map(|x| (4.0 * x).round()).collect();
            (0..n).for_each(|j| a[last * n + j] = 2.0 * a[j]);
            for mut lu in all::<f64>(&pattern) {
                assert!(lu.factor(&a).is_err(), "n = {n}, {}", lu.structure());
            }
            let complex: Vec<Complex> = a.iter().map(|&x| Complex::new(x, -x)).collect();
            for mut lu in all::<Complex>(&pattern) {
                assert!(lu.factor(&complex).is_err(), "complex, n = {n}, {}", lu.structure());
            }
        }
    }
    // σ M − J of x′ = z, w′ = f, 0 = x w − g where w = 0.
    let elements = [(0, 0), (0, 2), (1, 1), (2, 0), (2, 1)];
    for mut lu in all::<f64>(&Pattern::from_elements(3, elements.into_iter())) {
        assert!(lu.factor(&[2.0, -1.0, 2.0, 0.0, -1.0]).is_err(), "{}", lu.structure());
    }
}

/// Two unknowns that are only ever added, somewhere in a sparse matrix: one of them is named.
#[test]
fn a_dependent_unknown_of_a_sparse_matrix_is_named() {
    let mut random = random();
    let base = grid(12);
    let doubled = base.elements().filter(|&(_, j)| j == 17).map(|(i, _)| (i, 40)).collect::<Vec<_>>();
    let pattern = Pattern::from_elements(144, base.elements().filter(|&(_, j)| j != 40).chain(doubled));
    let mut a = values::<f64>(&pattern, &mut random);
    for i in 0..144 {
        if let (Some(from), Some(to)) = (pattern.place(i, 17), pattern.place(i, 40)) {
            a[to] = 3.0 * a[from];
        }
    }
    for mut lu in all::<f64>(&pattern) {
        let found = lu.factor(&a);
        assert!([17, 40].map(|column| Err(Singular { column })).contains(&found), "{}: {found:?}", lu.structure());
    }
    let mut with_nan = a.clone();
    with_nan[pattern.place(5, 5).expect("on the diagonal")] = f64::NAN;
    assert!(all::<f64>(&pattern).iter_mut().all(|lu| lu.factor(&with_nan) == Err(Singular { column: 5 })));
}

#[test]
fn an_unknown_without_equation_is_named() {
    let without = grid(20).elements().filter(|&(_, j)| j != 33).collect::<Vec<_>>();
    let pattern = Pattern::from_elements(400, without.into_iter());
    let mut lu = Lu::<f64>::new(&pattern);
    assert_eq!(lu.factor(&vec![1.0; pattern.len()]), Err(Singular { column: 33 }));
}

/// Small is not singular: no digit was lost on the way to these pivots.
#[test]
fn tiny_pivots_that_are_exact_are_pivots() {
    for n in [3, 40] {
        let pattern = Pattern::from_elements(n, (0..n as u32).flat_map(|i| [(i, i), (i, n as u32 - 1)]));
        let tiny = |(i, j): (u32, u32)| if i == j && (j as usize) + 1 < n { 1e-30 } else { 1.0 };
        check(&pattern, pattern.elements().map(tiny).collect::<Vec<f64>>(), &mut random(), 10.0);
    }
}

/// The unit of an equation chooses no pivot, and does not make a matrix singular.
#[test]
fn badly_scaled_rows_do_no_harm() {
    let mut random = random();
    for n in [7, 40, 150] {
        for pattern in [Pattern::dense(n), chain(n), circuit(n, &mut random)] {
            let mut a = values::<f64>(&pattern, &mut random);
            for (k, (i, _)) in pattern.elements().enumerate() {
                a[k] *= [1e-150, 1.0, 1e150][i as usize % 3];
            }
            for mut lu in all::<f64>(&pattern) {
                let name = lu.structure().to_string();
                lu.factor(&a).expect(&name);
                let b: Vec<f64> = (0..n).map(|i| [1e-150, 1.0, 1e150][i % 3]).collect();
                let mut x = b.clone();
                lu.solve(&mut x);
                assert!(residual(&pattern, &a, &x, &b, false) < 1e3 * n as f64, "{name}");
                assert!(lu.reciprocal_condition() > 1e-9, "{name}");
            }
        }
    }
}

/// Nearly singular by 1e-10: solved, with a condition that says so.
#[test]
fn a_nearly_singular_matrix_is_solved_and_its_condition_known() {
    let mut random = random();
    for n in [5, 30, 70] {
        let pattern = Pattern::dense(n);
        let mut a = values::<f64>(&pattern, &mut random);
        for i in 0..n {
            a[i * n + n - 1] = a[i * n] + 1e-10 * a[i * n + n - 1];
        }
        for mut lu in all::<f64>(&pattern) {
            lu.factor(&a).expect("regular");
            let condition = lu.reciprocal_condition();
            assert!(condition < 1e-10 && condition > 1e-15, "{}: {condition}", lu.structure());
        }
    }
}

/// Against the inverse itself, column by column.
#[test]
fn the_condition_is_right_within_a_factor_of_three() {
    let mut random = random();
    for (n, case) in [(1, "random"), (2, "random"), (6, "random"), (50, "random"), (20, "two diagonals")] {
        let pattern = Pattern::dense(n);
        let mut a: Vec<Complex> = values(&pattern, &mut random);
        if case == "two diagonals" {
            // Only one column of the inverse is large, 2ⁿ⁻¹: it has to be searched for.
            let element = |(i, j)| {
                if i == j {
                    1.0
                } else if i + 1 == j {
                    -2.0
                } else {
                    0.0
                }
            };
            a = pattern.elements().map(|place| Complex::from(element(place))).collect();
        }
        let mut lu = Lu::<Complex>::new(&pattern);
        lu.factor(&a).expect("regular");
        let scales = lu.scales();
        let column = |j: usize| (0..n).map(|i| a[i * n + j].modulus() * scales[i]).sum::<f64>();
        let norm = (0..n).map(column).fold(0.0, f64::max);
        let mut inverse: f64 = 0.0;
        for j in 0..n {
            let mut x = vec![Complex::default(); n];
            x[j] = Complex::from(1.0 / scales[j]);
            lu.solve(&mut x);
            inverse = inverse.max(x.iter().map(|x| x.modulus()).sum());
        }
        let (exact, estimated) = (1.0 / (norm * inverse), lu.reciprocal_condition());
        assert!(estimated >= 0.999 * exact && estimated < 3.0 * exact, "n = {n}: {exact} {estimated}");
    }
}

/// (A + iB)(x + iy) = b + ic as [A −B; B A] of twice the size.
#[test]
fn a_complex_matrix_is_a_real_one_of_twice_the_size() {
    let mut random = random();
    for n in [1, 4, 13, 30, 60] {
        let a: Vec<Complex> = values(&Pattern::dense(n), &mut random);
        let b: Vec<Complex> = (0..n).map(|_| random.scalar()).collect();
        let mut real = vec![0.0; 4 * n * n];
        for (k, a) in a.iter().enumerate() {
            let (i, j) = (k / n, k % n);
            real[i * 2 * n + j] = a.re;
            real[i * 2 * n + n + j] = -a.im;
            real[(n + i) * 2 * n + j] = a.im;
            real[(n + i) * 2 * n + n + j] = a.re;
        }
        let (mut one, mut two) = (Lu::<Complex>::new(&Pattern::dense(n)), Lu::<f64>::new(&Pattern::dense(2 * n)));
        one.factor(&a).expect("regular");
        two.factor(&real).expect("regular");
        let mut x = b.clone();
        one.solve(&mut x);
        let mut parts: Vec<f64> = b.iter().map(|b| b.re).chain(b.iter().map(|b| b.im)).collect();
        two.solve(&mut parts);
        let far = (0..n).map(|i| (x[i] - Complex::new(parts[i], parts[n + i])).modulus()).fold(0.0, f64::max);
        let size = x.iter().map(|x| x.modulus()).fold(0.0, f64::max);
        assert!(far < 1e-10 * size, "n = {n}: {far}");
    }
}

/// What was factored before has no influence but on which pivots are good enough; the same history gives the same bits.
#[test]
fn runs_repeat_bit_by_bit() {
    let run = || {
        let mut random = random();
        let mut bits = Vec::new();
        for pattern in [Pattern::dense(9), Pattern::dense(70), chain(100), circuit(150, &mut random), grid(12)] {
            let mut lu = Lu::<f64>::new(&pattern);
            for _ in 0..3 {
                lu.factor(&values(&pattern, &mut random)).expect("regular");
                let mut x = vec![1.0; pattern.n];
                lu.solve(&mut x);
                bits.extend(x.iter().map(|x| x.to_bits()));
            }
        }
        bits
    };
    assert_eq!(run(), run());
}

/// Values for which the pivots of the first time would divide by nearly nothing.
#[test]
fn old_pivots_are_given_up_where_they_are_bad() {
    let mut random = random();
    // Of an even side: with zeros on the diagonal one of an odd side is singular, for it has more black than white nodes.
    let pattern = grid(14);
    let Ok(plan) = Plan::new(&pattern, Graph::Sum) else { panic!("the pattern is regular") };
    let mut lu = Lu::<f64>::with(&pattern, Chosen::Sparse(plan));
    for diagonal in [10.0, 1e-13, 0.0, 10.0] {
        let a: Vec<f64> =
            pattern.elements().map(|(i, j)| if i == j { diagonal } else { 1.0 + 0.5 * random.next() }).collect();
        lu.factor(&a).expect("regular");
        let b = vec![1.0; pattern.n];
        let mut x = b.clone();
        lu.solve(&mut x);
        let found = residual(&pattern, &a, &x, &b, false);
        assert!(found < 1e4, "{diagonal}: {found}");
    }
}

#[test]
#[should_panic(expected = "factored before it is solved")]
fn nothing_is_solved_after_a_failure() {
    let mut lu = Lu::<f64>::new(&Pattern::dense(2));
    lu.factor(&[1.0, 2.0, 3.0, 4.0]).expect("regular");
    assert!(lu.factor(&[0.0; 4]).is_err());
    lu.solve(&mut [1.0, 1.0]);
}

#[test]
fn a_matrix_without_rows_is_no_trouble() {
    let mut lu = Lu::<f64>::new(&Pattern::dense(0));
    assert_eq!(lu.factor(&[]), Ok(()));
    lu.solve(&mut []);
    assert_eq!(lu.reciprocal_condition(), 1.0);
}

#[test]
fn what_decays_along_a_chain_ends_in_zeros() {
    let (n, q) = (3000, 0.6);
    let pattern = chain(n);
    let values: Vec<f64> = pattern.elements().map(|(i, j)| if i == j { q + 1.0 / q } else { -1.0 }).collect();
    for mut lu in all::<f64>(&pattern) {
        lu.factor(&values).unwrap();
        let mut x = vec![0.0; n];
        x[0] = 1.0;
        lu.solve(&mut x);
        assert!((0..1000).all(|k| (x[k] / (q * q.powi(k as i32)) - 1.0).abs() < 1e-10), "{}", lu.structure());
        assert!(x.iter().all(|x| !x.is_subnormal()) && x[n - 1] == 0.0, "{}: {:e}", lu.structure(), x[n - 1]);
    }
}

#[test]
fn a_band_whose_rows_stay_is_solved_as_well_as_one_whose_rows_are_exchanged() {
    let mut random = random();
    for (lower, upper) in [(0, 2), (1, 1), (1, 3), (3, 1), (2, 0)] {
        let (lower, upper) = (lower as u32, upper as u32);
        let near = |i: u32| i.saturating_sub(lower)..(i + upper + 1).min(60);
        let pattern = Pattern::from_elements(60, (0..60).flat_map(|i| near(i).map(move |j| (i, j))));
        let dominant = |(i, j), random: &mut Random| random.next() + if i == j { 8.0 } else { 0.0 };
        let values: Vec<f64> = pattern.elements().map(|at| dominant(at, &mut random)).collect();
        check(&pattern, values.clone(), &mut random, 100.0);
        check(&pattern, values.iter().map(|&v| Complex::new(v, 0.1 * random.next())).collect(), &mut random, 100.0);
    }
}

/// The solutions of all matrices of a [`Shifted`], each by its own factors.
fn one_by_one(
    j: &[f64],
    differential: usize,
    sigma: &ordinate_numbers::Octet,
    b: &[ordinate_numbers::Octet],
) -> Vec<Vec<Complex>> {
    let n = b.len();
    let mut lu = Lu::<Complex>::new(&Pattern::dense(n));
    let solve = |lane: usize| {
        let shift = Complex::new(sigma.0[lane], sigma.0[lane + 4]);
        let on_diagonal = |k: usize| k.is_multiple_of(n + 1) && k / n < differential;
        let element = |k: usize| if on_diagonal(k) { shift - Complex::from(j[k]) } else { Complex::from(-j[k]) };
        lu.factor(&(0..n * n).map(element).collect::<Vec<Complex>>()).unwrap();
        let mut x: Vec<Complex> = b.iter().map(|b| Complex::new(b.0[lane], b.0[lane + 4])).collect();
        lu.solve(&mut x);
        x
    };
    (0..4).map(solve).collect()
}

#[test]
fn matrices_with_the_same_pivots_are_solved_like_each_alone() {
    use ordinate_numbers::Octet;
    type Portable = [f64; 8];
    let mut random = random();
    let mut served = 0;
    for n in (1..=MOST_SHIFTED).cycle().take(200) {
        let j: Vec<f64> = (0..n * n).map(|_| 10.0 * random.next()).collect();
        let sigma = Octet([3.6, 2.7, 2.7, 3.6, 0.0, 3.05, -3.05, 0.0]);
        let b: Vec<Octet> = (0..n).map(|_| Octet(std::array::from_fn(|_| random.next()))).collect();
        let (mut lu, mut x) = (Shifted::new(n), b.clone());
        if !lu.factor::<Portable>(&j, n.max(2) - 1, &sigma) {
            continue;
        }
        served += 1;
        lu.solve::<Portable>(&mut x);
        for (lane, own) in one_by_one(&j, n.max(2) - 1, &sigma, &b).iter().enumerate() {
            let size = own.iter().fold(0.0, |most: f64, x| most.max(x.modulus()));
            for (x, own) in x.iter().zip(own) {
                let off = (Complex::new(x.0[lane], x.0[lane + 4]) - *own).modulus();
                assert!(off < 1e-9 * size, "n = {n}, lane {lane}: {off:e} of {size}");
            }
        }
    }
    assert!(served > 150, "{served}");
}

#[test]
fn a_pivot_that_is_none_for_one_matrix_serves_for_none() {
    use ordinate_numbers::Octet;
    let j = [1.0, 1e-3, 1e-3, 5.0];
    let mut lu = Shifted::new(2);
    assert!(lu.factor::<[f64; 8]>(&j, 2, &Octet([8.0, 3.0, 3.0, 3.0, 0.0, 2.0, 2.0, 2.0])));
    assert!(!lu.factor::<[f64; 8]>(&j, 2, &Octet([1.0, 3.0, 3.0, 3.0, 0.0, 2.0, 2.0, 2.0])));
    assert!(!lu.factor::<[f64; 8]>(&[f64::NAN, 1.0, 1.0, 5.0], 2, &Octet([8.0; 8])));
}
