//! Grazes whose side the errors of a run leave open.
//!
//! Two runs of one model have the extreme of a switch at distances a and b from its boundary. Their difference tells the error of a,
//! as it does with states. Where a is not larger than that, another run decides what it matters: the boundary is moved there until the
//! graze is on its other side.

use ordinate_solve::Graze;

/// The true extreme is within so many times the error that two runs foretell.
const SAFETY: f64 = 3.0;

/// What rounding makes of a zero, in parts of the greatest value.
const ROUNDING: f64 = 16.0 * f64::EPSILON;

/// The error of a switch is not larger than so many times what the errors of the states make of it.
const LARGER: f64 = 10.0;

/// What is to be added to each of the switches so that all their open grazes are decided the other way; `None` if there are none. The
/// error is the difference of the runs times `factor`, but no more than the states allow, whose errors are so many `tolerances`: where a
/// solution comes to rest on a boundary, extremes of two runs that have nothing to do with each other may be the nearest in time.
pub(super) fn shifts(
    own: &[Graze],
    beside: &[Graze],
    (factor, tolerances): (f64, f64),
    switches: usize,
) -> Option<Vec<f64>> {
    let mut shifts = vec![0.0f64; switches];
    for graze in own {
        let Some(other) = same_graze(own, beside, graze) else { continue };
        let most = LARGER * tolerances * graze.tolerance;
        let error = (factor * (other.distance - graze.distance)).abs().min(most).max(ROUNDING * graze.size);
        let flipped = (other.distance < 0.0) != (graze.distance < 0.0);
        if graze.distance.abs() > SAFETY * error || flipped {
            continue;
        }
        let beyond = if graze.distance < 0.0 { SAFETY * error } else { -SAFETY * error };
        let shift = graze.side * (beyond - other.distance);
        let kept = &mut shifts[graze.switch];
        *kept = if shift.abs() > kept.abs() { shift } else { *kept };
    }
    shifts.iter().any(|shift| *shift != 0.0).then_some(shifts)
}

/// The graze of the other run that is this one: each is the nearest one to the other.
fn same_graze<'a>(own: &[Graze], beside: &'a [Graze], graze: &Graze) -> Option<&'a Graze> {
    let other = nearest(beside, graze)?;
    let back = nearest(own, other)?;
    (back.t == graze.t).then_some(other)
}

fn nearest<'a>(all: &'a [Graze], graze: &Graze) -> Option<&'a Graze> {
    let behind = all.partition_point(|other| other.t < graze.t);
    let like = |other: &&Graze| other.switch == graze.switch && other.side == graze.side;
    let sides = [all[..behind].iter().rfind(like), all[behind..].iter().find(like)];
    sides.into_iter().flatten().min_by(|a, b| (a.t - graze.t).abs().total_cmp(&(b.t - graze.t).abs()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(t: f64, distance: f64) -> Graze {
        Graze { switch: 1, t, distance, side: 1.0, size: 1.0, tolerance: 1e-6 }
    }

    /// 1e-7 in this run and 2e-8 in a better one is zero or below, perhaps; 1e-7 and 0.9e-7 is not.
    #[test]
    fn a_graze_is_open_where_its_error_is_as_large() {
        assert_eq!(shifts(&[at(1.0, 1e-7)], &[at(1.001, 0.9e-7)], (1.0, 1.0), 2), None);
        let Some(found) = shifts(&[at(1.0, 1e-7)], &[at(1.001, 2e-8)], (1.0, 1.0), 2) else { panic!("it is open") };
        // the other run has it at 2e-8 and is taken to -2.4e-7
        assert!(found[0] == 0.0 && (found[1] + 2.6e-7).abs() < 1e-12, "{found:?}");
        let Some(found) = shifts(&[at(1.0, -1e-7)], &[at(1.001, -2e-8)], (1.0, 1.0), 2) else { panic!("it is open") };
        assert!((found[1] - 2.6e-7).abs() < 1e-12, "{found:?}");
    }

    /// Where the errors of the states are 1e-9 of their tolerances, the other extreme is another one.
    #[test]
    fn an_error_is_what_the_states_make_of_it() {
        assert_eq!(shifts(&[at(1.0, 1e-12)], &[at(1.2, 1e-5)], (1.0, 1e-9), 2), None);
    }

    /// A graze that the other run decides the other way needs no third one.
    #[test]
    fn what_two_runs_decide_otherwise_they_show() {
        assert_eq!(shifts(&[at(1.0, 1e-7)], &[at(1.0, -1e-7)], (1.0, 1.0), 2), None);
    }
}
