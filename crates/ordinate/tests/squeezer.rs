//! Andrews' squeezing mechanism: seven bodies in three loops that share a crank, index 3, published start and end values.
//!
//! W. Schiehlen (ed.), Multibody Systems Handbook, 1990; E. Hairer, G. Wanner, Solving Ordinary Differential Equations II,
//! section VII.7.

use ordinate::{CompileOptions, Discard, RunOptions, Source, Status, compile, simulate};

const SQUEEZER: &str = "
param m1 = 0.04325, m2 = 0.00365, m3 = 0.02373, m4 = 0.00706
param m5 = 0.07050, m6 = 0.00706, m7 = 0.05498
param i1 = 2.194e-6, i2 = 4.410e-7, i3 = 5.255e-6, i4 = 5.667e-7, i5 = 1.169e-5, i6 = 5.667e-7, i7 = 1.912e-5
param xa = -0.06934, ya = -0.00227, xb = -0.03635, yb = 0.03273, xc = 0.014, yc = 0.072
param d = 28e-3, da = 115e-4, e = 2e-2, ea = 1421e-5, rr = 7e-3, ra = 92e-5, l0 = 7785e-5
param ss = 35e-3, sa = 1874e-5, sb = 1043e-5, sc = 18e-3, sd = 2e-2, ta = 2308e-5, tb = 916e-5
param u = 4e-2, ua = 1228e-5, ub = 449e-5, zf = 2e-2, zt = 4e-2, fa = 1421e-5, c0 = 4530, mom = 0.033
init be = -0.0617138900142764496358948458001, th = 0, ga = 0.455279819163070380255912382449, ph = 0.222668390165885884674473185609, de = 0.487364979543842550225598953530, om = -0.222668390165885884674473185609, ep = 1.23054744454982119249735015568
init be' = 0, th' = 0, ga' = 0, ph' = 0, de' = 0, om' = 0, ep' = 0
xd = sd*cos(ga) + sc*sin(ga) + xb
yd = sd*sin(ga) - sc*cos(ga) + yb
LL = sqrt((xd - xc)^2 + (yd - yc)^2)
Fo = -c0*(LL - l0)/LL
Fx = Fo*(xd - xc)
Fy = Fo*(yd - yc)
(m1*ra^2 + m2*(rr^2 - 2*da*rr*cos(th) + da^2) + i1 + i2)*be'' + (m2*(da^2 - da*rr*cos(th)) + i2)*th'' = mom - m2*da*rr*th'*(th' + 2*be')*sin(th) - (l1*(-rr*sin(be) + d*sin(be + th)) + l2*(rr*cos(be) - d*cos(be + th)) + l3*(-rr*sin(be) + d*sin(be + th)) + l4*(rr*cos(be) - d*cos(be + th)) + l5*(-rr*sin(be) + d*sin(be + th)) + l6*(rr*cos(be) - d*cos(be + th)))
(m2*(da^2 - da*rr*cos(th)) + i2)*be'' + (m2*da^2 + i2)*th'' = m2*da*rr*be'^2*sin(th) - (l1*d*sin(be + th) - l2*d*cos(be + th) + l3*d*sin(be + th) - l4*d*cos(be + th) + l5*d*sin(be + th) - l6*d*cos(be + th))
(m3*(sa^2 + sb^2) + i3)*ga'' = Fx*(sc*cos(ga) - sd*sin(ga)) + Fy*(sd*cos(ga) + sc*sin(ga)) - (-l1*ss*cos(ga) - l2*ss*sin(ga))
(m4*(e - ea)^2 + i4)*ph'' + (m4*((e - ea)^2 + zt*(e - ea)*sin(ph)) + i4)*de'' = m4*zt*(e - ea)*de'^2*cos(ph) - (-l3*e*cos(ph + de) - l4*e*sin(ph + de))
(m4*((e - ea)^2 + zt*(e - ea)*sin(ph)) + i4)*ph'' + (m4*(zt^2 + 2*zt*(e - ea)*sin(ph) + (e - ea)^2) + m5*(ta^2 + tb^2) + i4 + i5)*de'' = -m4*zt*(e - ea)*ph'*(ph' + 2*de')*cos(ph) - (l3*(-e*cos(ph + de) + zt*sin(de)) + l4*(-e*sin(ph + de) - zt*cos(de)))
(m6*(zf - fa)^2 + i6)*om'' + (m6*((zf - fa)^2 - u*(zf - fa)*sin(om)) + i6)*ep'' = -m6*u*(zf - fa)*ep'^2*cos(om) - (l5*zf*sin(om + ep) - l6*zf*cos(om + ep))
(m6*((zf - fa)^2 - u*(zf - fa)*sin(om)) + i6)*om'' + (m6*((zf - fa)^2 - 2*u*(zf - fa)*sin(om) + u^2) + m7*(ua^2 + ub^2) + i6 + i7)*ep'' = m6*u*(zf - fa)*om'*(om' + 2*ep')*cos(om) - (l5*(zf*sin(om + ep) - u*cos(ep)) + l6*(-zf*cos(om + ep) - u*sin(ep)))
rr*cos(be) - d*cos(be + th) - ss*sin(ga) = xb
rr*sin(be) - d*sin(be + th) + ss*cos(ga) = yb
rr*cos(be) - d*cos(be + th) - e*sin(ph + de) - zt*cos(de) = xa
rr*sin(be) - d*sin(be + th) + e*cos(ph + de) - zt*sin(de) = ya
rr*cos(be) - d*cos(be + th) - zf*cos(om + ep) - u*sin(ep) = xa
rr*sin(be) - d*sin(be + th) - zf*sin(om + ep) + u*cos(ep) = ya
";

/// At t = 0.03, to the digits that are published.
const END: [(&str, f64); 7] = [
    ("be", 15.81077119),
    ("th", -15.75637105),
    ("ga", 0.04082224),
    ("ph", -0.53473012),
    ("de", 0.52440997),
    ("om", 0.53473012),
    ("ep", 1.04808074),
];

/// Its start is a dead centre, where accelerations of 1e4 stand beside zeros and a stiff spring in both equations of a loop.
#[test]
fn the_squeezer_starts_where_it_is_given_and_ends_where_it_is_published() {
    let compiled = compile(&Source::text(SQUEEZER), &CompileOptions::default()).expect("a model without mistakes");
    for (method, rtol) in [("auto", 1e-6), ("auto", 1e-9), ("radau5", 1e-6), ("bdf", 1e-9)] {
        let options = RunOptions { method: method.into(), t_end: Some("0.03".into()), rtol, ..RunOptions::default() };
        let run = simulate(&compiled, &options, &mut Discard).expect("it can begin");
        assert_eq!(run.outcome.status, Status::Ok, "{method}: {:?}", run.reason);
        for (name, published) in END {
            let value = run.final_value(name).expect("it is a column");
            let allowed = 10.0 * rtol * published.abs() + 1e-8;
            assert!((value - published).abs() < allowed, "{method} {rtol:e} {name}: {value}");
        }
    }
}
