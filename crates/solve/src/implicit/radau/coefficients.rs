//! The Radau IIA methods as data.
//!
//! They are collocation methods whose nodes are the zeros of
//!
//! ```text
//!   d^(s−1)/dx^(s−1)  x^(s−1) (x − 1)^s
//! ```
//!
//! Hairer, Wanner, Solving Ordinary Differential Equations II, IV.5 and IV.8. The numbers were computed with 60 digits from this
//! definition (roots, Vandermonde systems, eigenvectors of A⁻¹) and rounded once; the tests check the identities below.

use ordinate_linalg::Complex;

/// A Radau IIA method of s stages. Matrices are stored by rows.
///
/// ```text
///   Zᵢ = h Σⱼ aᵢⱼ f(t + cⱼ h, y + Zⱼ),   y₁ = y + Zₛ
///   A⁻¹ = T Λ T⁻¹,  Λ = diag(γ, ⎡α −β⎤, …)
///                               ⎣β  α⎦
/// ```
///
/// The last element of every eigenvector is 1.
#[derive(Debug)]
pub(crate) struct Coefficients {
    pub stages: usize,
    pub c: &'static [f64],
    pub a: &'static [f64],
    /// A⁻¹
    pub inverse: &'static [f64],
    /// T
    pub to_stages: &'static [f64],
    /// T⁻¹
    pub from_stages: &'static [f64],
    /// γ, if the number of stages is odd.
    pub real: Option<f64>,
    /// α + iβ, β > 0.
    pub pairs: &'static [Complex],
    /// e of the error estimate, see [`super::estimate`].
    pub error: &'static [f64],
    /// 1 / (cᵢ Πⱼ (cᵢ − cⱼ)), j ≠ i: Lagrange's polynomials of the nodes 0, c₁, …, cₛ.
    pub lagrange: &'static [f64],
    /// Two places between nodes where |θ (θ − c₁) … (θ − cₛ)| is largest, or nearly so.
    pub between: [f64; 2],
}

/// The most stages.
pub(crate) const MOST_STAGES: usize = 7;

impl Coefficients {
    /// Order of y₁.
    pub fn order(&self) -> u32 {
        2 * self.stages as u32 - 1
    }

    /// The error estimate grows with this power of h.
    pub fn error_exponent(&self) -> u32 {
        self.stages as u32 + 1
    }

    /// The values at θ of the polynomials that are 1 at one node and 0 at the others and at 0.
    pub fn weights(&self, theta: f64, weights: &mut [f64; MOST_STAGES]) {
        let mut before = theta;
        for (weight, (c, lagrange)) in weights.iter_mut().zip(self.c.iter().zip(self.lagrange)) {
            *weight = before * lagrange;
            before *= theta - c;
        }
        let mut after = 1.0;
        for (weight, c) in weights[..self.stages].iter_mut().zip(self.c).rev() {
            *weight *= after;
            after *= theta - c;
        }
    }

    /// The slopes of these polynomials at θ, which is no node.
    pub fn slopes(&self, theta: f64, slopes: &mut [f64; MOST_STAGES]) {
        self.weights(theta, slopes);
        let all: f64 = 1.0 / theta + self.c.iter().map(|c| 1.0 / (theta - c)).sum::<f64>();
        slopes.iter_mut().zip(self.c).for_each(|(slope, c)| *slope *= all - 1.0 / (theta - c));
    }
}

/// Two stages, order 3.
#[rustfmt::skip]
pub(crate) static TWO: Coefficients = Coefficients {
    stages: 2,
    c: &[0.3333333333333333, 1.0],
    a: &[
        0.4166666666666667, -0.08333333333333333,
        0.75, 0.25,
    ],
    inverse: &[
        1.5, 0.5,
        -4.5, 2.5,
    ],
    to_stages: &[
        0.1111111111111111, 0.31426968052735443,
        1.0, 0.0,
    ],
    from_stages: &[
        0.0, 1.0,
        3.181980515339464, -0.3535533905932738,
    ],
    real: None,
    pairs: &[Complex::new(2.0, std::f64::consts::SQRT_2)],
    error: &[-4.5, 0.5],
    lagrange: &[-4.5, 1.5],
    between: [0.1505, 0.7384],
};

/// Three stages, order 5.
#[rustfmt::skip]
pub(crate) static THREE: Coefficients = Coefficients {
    stages: 3,
    c: &[0.1550510257216822, 0.6449489742783178, 1.0],
    a: &[
        0.1968154772236604, -0.06553542585019839, 0.02377097434822015,
        0.3944243147390873, 0.2920734116652285, -0.04154875212599793,
        0.37640306270046725, 0.5124858261884216, 0.1111111111111111,
    ],
    inverse: &[
        3.224744871391589, 1.1678400846904056, -0.25319726474218085,
        -3.5678400846904057, 0.775255128608411, 1.0531972647421808,
        5.531972647421808, -7.531972647421808, 5.0,
    ],
    to_stages: &[
        0.09443876248897524, -0.1412552950209542, -0.030029194105147424,
        0.2502131229653333, 0.20412935229379994, 0.3829421127572619,
        1.0, 1.0, 0.0,
    ],
    from_stages: &[
        4.178718591551905, 0.32768282076106237, 0.5233764454994495,
        -4.178718591551905, -0.32768282076106237, 0.47662355450055044,
        -0.5028726349457868, 2.571926949855605, -0.5960392048282249,
    ],
    real: Some(3.637834252744496),
    pairs: &[Complex::new(2.6810828736277523, 3.0504301992474105)],
    error: &[-10.048809399827416, 1.382142733160749, -0.3333333333333333],
    lagrange: &[15.580782047249224, -8.914115380582556, 3.3333333333333335],
    between: [0.4197, 0.8612],
};

/// Five stages, order 9.
#[rustfmt::skip]
pub(crate) static FIVE: Coefficients = Coefficients {
    stages: 5,
    c: &[0.05710419611451768, 0.2768430136381238, 0.5835904323689168, 0.8602401356562195, 1.0],
    a: &[
        0.07299886431790333, -0.02673533110794557, 0.018676929763984353, -0.01287910609330644, 0.005042839233882015,
        0.15377523147918246, 0.14621486784749352, -0.03644456890512809, 0.02123306311930472, -0.007935579902728777,
        0.14006304568480987, 0.29896712949128346, 0.16758507013524895, -0.03396910168661774, 0.010944288744192253,
        0.14489430810953477, 0.2765000687601592, 0.32579792291042103, 0.12875675325490976, -0.015708917378805327,
        0.14371356079122594, 0.28135601514946207, 0.31182652297574126, 0.22310390108357075, 0.04,
    ],
    inverse: &[
        8.755923977938362, 2.8919426153801173, -0.8751863962002651, 0.3997052079399655, -0.13370616384921583,
        -7.161380720145387, 1.8060777240836443, 2.3637971760686085, -0.8659007802831346, 0.2743380777751942,
        4.122165246243374, -4.4960171258133945, 0.8567652453971776, 2.5183209492110645, -0.6570627571343601,
        -3.8786632197240105, 3.3931519180649543, -5.188340906407187, 0.5812330525808164, 2.809983655279712,
        8.41242422359429, -6.970256116656661, 8.777114204150473, -18.2192823110881, 13.0,
    ],
    to_stages: &[
        0.013576867344947943, -0.011478515255229515, -0.01401985889287541, -0.010242047817908826, 0.04767387729029572,
        0.0016179004017190875, -0.007668830749180163, 0.024708578426518527, 0.05017286451737106, -0.09433181918161143,
        0.07915785334744721, 0.01939846399882895, 0.08180035370375117, -0.23053953404341795, 0.1027030453801259,
        0.41225608268046143, 0.40760117128019907, 0.19968242788680252, 0.37789390224886127, 0.46674413033249434,
        1.0, 1.0, 0.0, 1.0, 0.0,
    ],
    from_stages: &[
        27.697693775684087, 12.783337911304406, 3.20848938671343, -0.9514904122489162, 0.7415504960259897,
        -33.041880213519, -17.376953479063566, -0.17212906325400557, -0.09916977798254265, 0.5312281158383066,
        -8.611443979875292, 9.699991409528808, 1.9147286396968743, 2.41869200608494, -1.0474634879353375,
        5.344186437834912, 4.593615567759161, -3.0363603234594243, 1.050660190231459, -0.27277861186429625,
        3.748059807439805, -3.984965736343885, -1.0444156416080188, 1.1840985681379486, -0.44991777015678036,
    ],
    real: Some(6.2867047517292765),
    pairs: &[Complex::new(5.70095329867179, 3.2102656003085497), Complex::new(3.655694325463572, 6.543736899360077)],
    error: &[-27.78093394406464, 3.641478498049213, -1.2525477211691187, 0.5920031671845428, -0.2],
    lagrange: &[199.88739542347736, -127.022853068795, 92.10283313613321, -64.16737549081559, 25.2],
    between: [0.4389, 0.734],
};

/// Seven stages, order 13.
#[rustfmt::skip]
pub(crate) static SEVEN: Coefficients = Coefficients {
    stages: 7,
    c: &[0.029316427159784893, 0.1480785996684843, 0.3369846902811543, 0.5586715187715501, 0.7692338620300545, 0.9269456713197411, 1.0],
    a: &[
        0.03754626499392133, -0.0140393345564604, 0.0103527896007423, -0.008158322540275011, 0.006388413879534685, -0.004602326779148656, 0.0018289425614706437,
        0.08014759651561897, 0.08106206398589154, -0.021237992120711036, 0.014000291238817119, -0.010234185730090163, 0.0071534651513645905, -0.0028126393724067235,
        0.0720638469418819, 0.17106835498388662, 0.10961456404007211, -0.024619871728984055, 0.014760377043950817, -0.009575259396791401, 0.0036726783971383057,
        0.07570512581982441, 0.15409015514217114, 0.2271077366732024, 0.11747818703702478, -0.023810827153044174, 0.012709985533661206, -0.004608844281289633,
        0.07391234216319184, 0.16135560761594242, 0.2068672415521042, 0.23700711534269422, 0.10308679353381345, -0.018854139152580447, 0.0058589009748887914,
        0.07470556205979623, 0.1583072238724687, 0.21415342326720002, 0.21987784703186003, 0.19875212168063527, 0.06926550160550914, -0.00811600819772829,
        0.07449423555601031, 0.15910211573365074, 0.21235188950297781, 0.22355491450728324, 0.19047493682211558, 0.1196137446126562, 0.02040816326530612,
    ],
    inverse: &[
        17.055284304421654, 5.475299512185492, -1.618581105190787, 0.7496541282385066, -0.421891375983016, 0.25105021424639273, -0.09232481935368413,
        -12.948988698811522, 3.376585145452422, 4.054013503925586, -1.4863139760065447, 0.7728544737788972, -0.44494694720107, 0.1617747003353814,
        6.526797433701593, -6.912304925481829, 1.4837469310040114, 3.5946033544558915, -1.4502156012225291, 0.7670384491813573, -0.27142848561987243,
        -4.760415643167771, 3.990860318095922, -5.660688333657835, 0.8949802937859413, 3.735899391500152, -1.5419785025493504, 0.5117126570997156,
        4.329451016638691, -3.3535280016779185, 3.6906179318627217, -6.037309187265788, 0.6499973865951115, 4.577300941414561, -1.2440566466772534,
        -4.943623833507561, 3.704802676027051, -3.7457284313738155, 4.7816656257626144, -8.783388755925044, 0.5394059387408583, 5.443680188059144,
        11.495455205116665, -8.517072423056625, 8.381031301964825, -10.033441651950401, 15.094393942991166, -34.42036637506563, 25.0,
    ],
    to_stages: &[
        0.0024435843048706113, -0.0012386461879528741, -0.0027606174805438525, -0.004055161452331024, 0.004427232753268285, 0.021567551351320772, 0.008783567925144144,
        -0.001815339648319317, -6.666635339396339e-05, 0.00318547482516621, 0.00841556827655959, -0.00403194957022455, -0.03813164813441155, -0.021525560594006874,
        0.004605339331161875, -0.0023521809829433384, 0.00041690777252975626, -0.008560431061603433, -0.006923212665023909, 0.05739650893938172, 0.05885052920842679,
        0.017870023342853068, 0.0031150711523461752, 0.025116604913438822, -0.03737124230238446, 0.00823900729850772, -0.03821469359696835, -0.16573681127294385,
        0.12818100807728391, 0.10171773248171515, 0.09504502035604623, 0.0053667613791817705, 0.19321111610126201, -0.2491742124652637, 0.27356330579866234,
        0.5200651497488247, 0.5217519452747653, 0.1280719446355439, 0.5265742264584493, 0.27553439498962584, 0.5315846490836285, 0.4863228366175729,
        1.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0,
    ],
    from_stages: &[
        227.51530596268069, 166.64802246760974, 43.26514588452621, 3.623090061341016, 3.572674832938798, -2.7435563656033675, 1.4514535402547504,
        -299.1862480282521, -243.04074536874478, -48.77710407803787, -2.0386719057419342, 1.673560239861085, -1.0873740320571061, 0.9019382492960993,
        -93.0765028974353, 23.881631056281144, 39.278880730813846, 14.38891568549108, -3.5104383993993613, 4.8632848855661805, -2.2464827295912397,
        74.6783322350227, 87.40858897990081, 4.024158737379998, -3.714806315158364, -3.4300939859823174, 2.6966048097653124, -0.9386927436075462,
        58.356528851906575, -10.06877395780018, -30.36638884256667, -1.020020865184866, -0.11241750037842496, 1.8906408310003777, -0.9716486393831483,
        -3.007390169451292, -11.015866078765772, 1.4877994561316563, 2.1303881595592826, -1.8161410868175656, 1.134325587895161, -0.41469904594330353,
        -8.441963188321084, -0.650525274057515, 6.9406707303698765, -3.2050475255978985, 1.0712809435464785, -0.3548507491216222, 0.09198549132786554,
    ],
    real: Some(8.936832788405216),
    pairs: &[Complex::new(8.511834825102946, 3.281013624325059), Complex::new(7.14105521918764, 6.623045922639276), Complex::new(4.378693561506806, 10.169693283795011)],
    error: &[-54.374436894128614, 7.000024004259187, -2.355661091987557, 1.1322890661061344, -0.6468913267673587, 0.38753338537535237, -0.14285714285714285],
    lagrange: &[2735.414199050748, -1778.7262387691535, 1362.1980775102002, -1085.503251260887, 853.8999845427503, -616.4256282165146, 245.14285714285714],
    between: [0.4525, 0.8549],
};

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [&Coefficients; 4] = [&TWO, &THREE, &FIVE, &SEVEN];

    fn sum(values: impl Iterator<Item = f64>) -> f64 {
        values.sum()
    }

    /// Elements of a product of two matrices.
    fn product(s: usize, a: &[f64], b: &[f64]) -> Vec<f64> {
        (0..s * s).map(|k| sum((0..s).map(|j| a[k / s * s + j] * b[j * s + k % s]))).collect()
    }

    /// C(s): Σⱼ aᵢⱼ cⱼ^(k−1) = cᵢ^k / k, and D(s−1): Σᵢ bᵢ cᵢ^(k−1) aᵢⱼ = bⱼ (1 − cⱼ^k) / k. Hairer, Wanner II, IV.5.
    #[test]
    fn the_simplifying_assumptions_hold() {
        for method in ALL {
            let (s, c, a) = (method.stages, method.c, method.a);
            let b = &a[(s - 1) * s..];
            assert_eq!(c[s - 1], 1.0);
            for k in 1..=s as i32 {
                for i in 0..s {
                    let left = sum((0..s).map(|j| a[i * s + j] * c[j].powi(k - 1)));
                    assert!((left - c[i].powi(k) / f64::from(k)).abs() < 1e-15, "C({k}) of {s} stages");
                }
            }
            for k in 1..s as i32 {
                for j in 0..s {
                    let left = sum((0..s).map(|i| b[i] * c[i].powi(k - 1) * a[i * s + j]));
                    let right = b[j] * (1.0 - c[j].powi(k)) / f64::from(k);
                    assert!((left - right).abs() < 1e-15, "D({k}) of {s} stages");
                }
            }
            // B(2s−1): the quadrature has the order of the method.
            for k in 1..2 * s as i32 {
                let left = sum((0..s).map(|i| b[i] * c[i].powi(k - 1)));
                assert!((left - 1.0 / f64::from(k)).abs() < 1e-15, "B({k}) of {s} stages");
            }
        }
    }

    #[test]
    fn the_transformation_decouples_the_stages() {
        for method in ALL {
            let s = method.stages;
            let unit = |a: &[f64], b: &[f64], tolerance: f64| {
                for (k, value) in product(s, a, b).into_iter().enumerate() {
                    let expected = if k / s == k % s { 1.0 } else { 0.0 };
                    assert!((value - expected).abs() < tolerance, "{s} stages: {value}");
                }
            };
            // As exact as the rounding of the products of large elements allows.
            let size = |a: &[f64]| a.iter().fold(0.0, |most: f64, a| most.max(a.abs()));
            unit(method.a, method.inverse, 1e-15 * size(method.inverse));
            unit(method.to_stages, method.from_stages, 1e-15 * size(method.from_stages).max(1.0));
            let mut lambda = vec![0.0; s * s];
            let first = usize::from(method.real.is_some());
            if let Some(gamma) = method.real {
                lambda[0] = gamma;
            }
            for (k, mu) in method.pairs.iter().enumerate() {
                let i = first + 2 * k;
                (lambda[i * s + i], lambda[i * s + i + 1]) = (mu.re, -mu.im);
                (lambda[(i + 1) * s + i], lambda[(i + 1) * s + i + 1]) = (mu.im, mu.re);
            }
            let (left, right) = (product(s, method.inverse, method.to_stages), product(s, method.to_stages, &lambda));
            for (left, right) in left.iter().zip(&right) {
                assert!((left - right).abs() < 2e-15 * size(method.inverse), "{s} stages: {left} {right}");
            }
        }
    }

    /// With f₀ = y′(0) and Zᵢ = y(cᵢ) − y(0) the estimate of ŷ₁ − y₁ vanishes for polynomials up to degree s, and not beyond.
    #[test]
    fn the_error_estimate_has_its_order() {
        for method in ALL {
            let s = method.stages;
            for k in 1..=s as i32 + 1 {
                let f0 = if k == 1 { 1.0 } else { 0.0 };
                let terms = sum((0..s).map(|j| method.error[j] * method.c[j].powi(k)));
                assert_eq!((f0 + terms).abs() < 1e-14 * method.error[0].abs(), k <= s as i32, "{s} stages, degree {k}");
            }
        }
    }

    #[test]
    fn the_interpolation_is_exact_for_polynomials() {
        for method in ALL {
            for theta in [0.0, 0.3, 0.999, 1.0, 1.7] {
                let mut weights = [0.0; MOST_STAGES];
                method.weights(theta, &mut weights);
                for k in 1..=method.stages as i32 {
                    let value = sum((0..method.stages).map(|i| weights[i] * method.c[i].powi(k)));
                    let size = sum(weights.iter().map(|w| w.abs())).max(1.0);
                    assert!((value - theta.powi(k)).abs() < 1e-15 * size * 4.0, "{} stages: {value}", method.stages);
                }
            }
            for theta in method.between {
                let mut slopes = [0.0; MOST_STAGES];
                method.slopes(theta, &mut slopes);
                for k in 1..=method.stages as i32 {
                    let value = sum((0..method.stages).map(|i| slopes[i] * method.c[i].powi(k)));
                    let size = sum(slopes.iter().map(|w| w.abs()));
                    let exact = f64::from(k) * theta.powi(k - 1);
                    assert!((value - exact).abs() < 1e-14 * size, "{} stages: {value}, {exact}", method.stages);
                }
            }
        }
    }

    #[test]
    fn the_interpolation_is_worst_at_the_places_between_the_nodes() {
        for method in ALL {
            let node = |theta: f64| method.c.iter().fold(theta, |product, c| product * (theta - c)).abs();
            let most = (0..1000).map(|k| node(f64::from(k) / 1000.0)).fold(0.0, f64::max);
            for theta in method.between {
                assert!(node(theta) > node(theta - 0.005).max(node(theta + 0.005)), "{} stages", method.stages);
            }
            let found = method.between.map(node);
            assert!(found[0].max(found[1]) > 0.95 * most, "{} stages", method.stages);
        }
    }
}
