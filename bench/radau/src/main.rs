//! RADAU of Hairer and Wanner (orders 5, 9, 13) on a stiff problem, as a peer of `bench/stiff.py`:
//! `radau-race NAME RTOL ATOL SECONDS` prints one object of JSON with the smallest time of as many runs as fit into the seconds.

#[path = "../../diffsol/src/problems.rs"]
mod problems;

use problems::{Problem, Task};
use std::ffi::c_void;
use std::marker::PhantomData;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// The greatest number of stages, for the size of the work arrays.
const STAGES: usize = 7;
/// The first step; without one RADAU begins with 1e-6, and every run has two or three steps more.
const FIRST_STEP: f64 = 1e-4;

type Fcn = extern "C" fn(&i32, &f64, *const f64, *mut f64, Handed, *const i32);
type Jac = extern "C" fn(&i32, &f64, *const f64, *mut f64, &i32, Handed, *const i32);
type Mas = extern "C" fn(&i32, *mut f64, &i32, Handed, *const i32);
type Solout = extern "C" fn();

/// The problem, as RADAU hands it on: a parameter that it does not look at.
#[repr(transparent)]
struct Handed<'a>(*const c_void, PhantomData<&'a Problem>);

impl<'a> Handed<'a> {
    fn new(problem: &'a Problem) -> Handed<'a> {
        Handed(std::ptr::from_ref(problem).cast(), PhantomData)
    }

    fn problem(&self) -> &'a Problem {
        // SAFETY: made from such a reference.
        unsafe { &*self.0.cast() }
    }
}

unsafe extern "C" {
    /// The subroutine RADAU as its source describes it. The parameters that it hands on are the problem; the buffer takes
    /// what it would print.
    #[rustfmt::skip]
    fn radau_(
        n: &i32,
        fcn: Fcn,
        x: &mut f64,
        y: *mut f64,
        x_end: &f64,
        h: &mut f64,
        rtol: &f64,
        atol: &f64,
        vectors: &i32,
        jac: Jac,
        exact: &i32,
        below: &i32,
        above: &i32,
        mas: Mas,
        implicit: &i32,
        mass_below: &i32,
        mass_above: &i32,
        solout: Solout,
        output: &i32,
        work: *mut f64,
        lwork: &i32,
        iwork: *mut i32,
        liwork: &i32,
        rpar: Handed,
        ipar: *const i32,
        verdict: &mut i32,
        text: *mut u8,
        text_length: usize,
    );
}

extern "C" fn f(n: &i32, t: &f64, y: *const f64, out: *mut f64, handed: Handed, _: *const i32) {
    let n = *n as usize;
    // SAFETY: RADAU hands over arrays of n numbers.
    let (y, out) = unsafe { (std::slice::from_raw_parts(y, n), std::slice::from_raw_parts_mut(out, n)) };
    (handed.problem().f)(*t, y, out);
}

/// The problems give their Jacobians by rows, Fortran takes columns.
extern "C" fn jacobian(n: &i32, t: &f64, y: *const f64, out: *mut f64, lead: &i32, handed: Handed, _: *const i32) {
    let (n, lead) = (*n as usize, *lead as usize);
    // SAFETY: RADAU hands over n numbers and n columns that lie `lead` apart.
    let (y, out) =
        unsafe { (std::slice::from_raw_parts(y, n), std::slice::from_raw_parts_mut(out, (n - 1) * lead + n)) };
    let mut rows = [0.0; 64];
    (handed.problem().jacobian)(*t, y, &mut rows[..n * n]);
    for (i, row) in rows[..n * n].chunks_exact(n).enumerate() {
        for (j, value) in row.iter().enumerate() {
            out[j * lead + i] = *value;
        }
    }
}

/// diag(1, …, 1, 0, …, 0), as a band of one diagonal.
extern "C" fn mass(n: &i32, out: *mut f64, lead: &i32, handed: Handed, _: *const i32) {
    let n = *n as usize;
    for k in 0..n {
        // SAFETY: RADAU hands over n columns that lie `lead` apart.
        unsafe { *out.add(k * *lead as usize) = f64::from(u8::from(k < n - handed.problem().algebraic)) };
    }
}

extern "C" fn no_output() {}

/// What a run came to.
struct Run {
    time: Duration,
    steps: i32,
    y: Vec<f64>,
}

fn main() -> ExitCode {
    let Task { problem, rtol, atol, seconds } = match problems::task("radau-race") {
        Ok(task) => task,
        Err(usage) => {
            eprintln!("{usage}");
            return ExitCode::from(2);
        }
    };
    let (mut best, mut count, begin): (Option<Run>, _, _) = (None, 0, Instant::now());
    while count < 3 || (begin.elapsed().as_secs_f64() < seconds && count < 5000) {
        let run = match solve(&problem, rtol, atol) {
            Ok(run) => run,
            Err(verdict) => {
                eprintln!("RADAU ended with IDID = {verdict}");
                return ExitCode::from(3);
            }
        };
        if best.as_ref().is_none_or(|best| run.time < best.time) {
            best = Some(run);
        }
        count += 1;
    }
    let run = best.expect("three runs were made");
    println!("{{\"time\": {:e}, \"steps\": {}, \"y\": {:?}}}", run.time.as_secs_f64(), run.steps, run.y);
    ExitCode::SUCCESS
}

/// One run with the settings that the source recommends, exact Jacobian, no output; else RADAU's verdict.
#[rustfmt::skip]
fn solve(problem: &Problem, rtol: f64, atol: f64) -> Result<Run, i32> {
    let n = problem.start.len();
    let begin = Instant::now();
    let mut y = problem.start.clone();
    let mut work = vec![0.0; n * (n + 1 + STAGES * n + 3 * STAGES + 3) + 20];
    let mut iwork = vec![0; (2 + (STAGES - 1) / 2) * n + 20];
    let (size, mut t, mut h, mut verdict) = (n as i32, 0.0, FIRST_STEP, 0);
    let (lwork, liwork) = (work.len() as i32, iwork.len() as i32);
    let mut text = [b' '; 1024];
    let implicit = i32::from(problem.algebraic > 0);
    // SAFETY: sizes as the source asks for; the callbacks match the interfaces that it describes.
    unsafe {
        radau_(
            &size, f, &mut t, y.as_mut_ptr(), &problem.end, &mut h,
            &rtol, &atol, &0,
            jacobian, &1, &size, &size,
            mass, &implicit, &0, &0,
            no_output, &0,
            work.as_mut_ptr(), &lwork, iwork.as_mut_ptr(), &liwork, Handed::new(problem), std::ptr::null(),
            &mut verdict, text.as_mut_ptr(), text.len(),
        );
    }
    let time = begin.elapsed();
    // IWORK(17): accepted steps.
    if verdict == 1 { Ok(Run { time, steps: iwork[16], y }) } else { Err(verdict) }
}
