//! Delayed values: read from the past, or made of what the model says about the time before the start.

use crate::Program;
use crate::jets::AlongSection;
use crate::scheduled_code::Packed;
use ordinate_solve::{History, Path, Reading};

/// The past of the delayed quantities of a program, and memory to read it.
#[derive(Clone, Debug)]
pub(crate) struct Delays {
    pub history: History,
    times: Vec<f64>,
    /// Where the series at hand begins.
    pub begun: f64,
    /// Series of the delayed quantities and of what was before the start, for given discrete values, the newest first;
    /// `None` where there are none.
    series: Vec<(Vec<f64>, Option<[AlongSection; 2]>)>,
    /// The coefficients of the delayed values.
    given: Vec<Vec<f64>>,
    past: Vec<Vec<f64>>,
}

/// So many are kept.
const KEPT: usize = 4;

impl Delays {
    /// `None` for a program without delays.
    pub fn new(program: &Program) -> Option<Delays> {
        let delays = &program.layout.delays;
        (!delays.is_empty()).then(|| Delays {
            history: History::new(delays),
            times: delays.iter().map(|delay| delay.time).collect(),
            begun: 0.0,
            series: Vec::new(),
            given: vec![Vec::new(); delays.len()],
            past: vec![Vec::new(); 2 * delays.len()],
        })
    }

    /// Puts the delayed values at time t and their slopes into their registers; d stands in its own.
    pub fn load(&mut self, program: &Program, past: &Packed, t: f64, registers: &mut [f64]) {
        let (first, count) = (program.delayed_register(), self.times.len());
        for (j, time) in self.times.iter().enumerate() {
            let (value, slope) = match self.history.read(j, t) {
                Reading::Known { piece, since } => piece.value_and_slope(j, since),
                Reading::Past => {
                    registers[0] = t - time;
                    past.run(&program.lists, registers);
                    (registers[past.results[j] as usize], registers[past.results[count + j] as usize])
                }
            };
            (registers[first + j], registers[first + count + j]) = (value, slope);
        }
        registers[0] = t;
    }

    /// Makes the series for the discrete values d, which stand in the registers; returns whether there are such.
    pub fn prepare(&mut self, program: &Program, d: &[f64], registers: &mut [f64]) -> bool {
        match self.series.iter().position(|(known, _)| known == d) {
            Some(known) => self.series[..=known].rotate_right(1),
            None => {
                let first = program.discrete_register();
                registers[first..first + d.len()].copy_from_slice(d);
                let of = AlongSection::new(program, &program.delayed, registers);
                let past = AlongSection::new(program, &program.past, registers);
                self.series.truncate(KEPT - 1);
                self.series.insert(0, (d.to_vec(), of.zip(past).map(|(of, past)| [of, past])));
            }
        }
        self.series[0].1.is_some()
    }

    /// The coefficients of the delayed values at time t in powers of time / scale, for the discrete values prepared last.
    pub fn given(&mut self, t: f64, scale: f64, order: usize) -> &[Vec<f64>] {
        for j in 0..self.times.len() {
            let known = match self.history.read(j, t) {
                Reading::Known { piece, since } => piece.series(j, since, scale, &mut self.given[j]),
                Reading::Past => {
                    let path = Path { t: t - self.times[j], length: scale, y: &[] };
                    let series =
                        self.series[0].1.as_mut().map(|[_, past]| past.expand(&path, &[], order, &mut self.past));
                    self.given[j].clone_from(&self.past[j]);
                    series.is_some()
                }
            };
            if !known {
                self.given[j] = vec![f64::NAN];
            }
        }
        &self.given
    }

    /// The coefficients of the delayed quantities along a path; returns whether all are finite.
    pub fn along(&mut self, path: &Path, order: usize, z: &mut [Vec<f64>]) -> bool {
        self.given(path.t, path.length, order);
        let Some([of, _]) = &mut self.series[0].1 else { return false };
        of.expand(path, &self.given, order, z);
        z.iter().flatten().all(|c| c.is_finite())
    }
}
