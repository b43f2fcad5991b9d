//! Products of a small matrix with the vectors of all stages.

/// result = (matrix ⊗ I) vectors, for the first `count` of the `n` components of each vector.
///
/// The number of stages is known to the compiler in the inner loops: a step of a small system consists of little else.
pub(super) fn multiply(matrix: &[f64], stages: usize, n: usize, count: usize, vectors: &[f64], result: &mut [f64]) {
    match stages {
        2 => product::<2>(matrix, n, count, vectors, result),
        3 => product::<3>(matrix, n, count, vectors, result),
        5 => product::<5>(matrix, n, count, vectors, result),
        7 => product::<7>(matrix, n, count, vectors, result),
        _ => unreachable!("there are methods of 2, 3, 5 and 7 stages"),
    }
}

fn product<const S: usize>(matrix: &[f64], n: usize, count: usize, vectors: &[f64], result: &mut [f64]) {
    let rows: [&[f64]; S] = std::array::from_fn(|i| &matrix[i * S..(i + 1) * S]);
    let vectors: [&[f64]; S] = std::array::from_fn(|j| &vectors[j * n..j * n + count]);
    for k in 0..count {
        let x: [f64; S] = std::array::from_fn(|j| vectors[j][k]);
        for i in 0..S {
            let mut sum = 0.0;
            for j in 0..S {
                sum += rows[i][j] * x[j];
            }
            result[i * n + k] = sum;
        }
    }
}
