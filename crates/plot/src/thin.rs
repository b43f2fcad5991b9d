//! Fewer points, same picture: a million points must not make a file of many megabytes, and no extreme
//! may get lost.

use crate::scene::Point;
use std::collections::HashSet;

/// No dropped point lies farther from the drawn line than this.
const TOLERANCE: f64 = 0.06;

/// A curve with more points than this after thinning is drawn only where it covers something new.
const CROWDED: usize = 20_000;

/// A polyline that looks the same with fewer points.
pub fn polyline(points: Vec<Point>) -> Vec<Point> {
    let forward = points.windows(2).all(|pair| pair[0].x <= pair[1].x);
    let points = if forward { columns(&points) } else { points };
    straightened(&points)
}

/// Polylines that look the same: if they are crowded, pieces that run over places already drawn are left out.
pub fn crowd(paths: Vec<Vec<Point>>) -> Vec<Vec<Point>> {
    if paths.iter().map(Vec::len).sum::<usize>() <= CROWDED {
        return paths;
    }
    let mut covered: HashSet<(i32, i32)> = HashSet::new();
    let mut kept: Vec<Vec<Point>> = Vec::new();
    for path in &paths {
        let mut open = false;
        for pair in path.windows(2) {
            let fresh = cover(pair[0], pair[1], &mut covered);
            match kept.last_mut() {
                Some(piece) if fresh && open => piece.push(pair[1]),
                _ if fresh => kept.push(pair.to_vec()),
                _ => {}
            }
            open = fresh;
        }
    }
    kept
}

/// Dots without those that fall on the same half pixel as an earlier one, or nearly so if there are very many.
pub fn dots(points: Vec<Point>) -> Vec<Point> {
    let distinct = apart(points, 0.5);
    if distinct.len() > CROWDED { apart(distinct, 1.6) } else { distinct }
}

/// One point for every square of the given size.
fn apart(points: Vec<Point>, size: f64) -> Vec<Point> {
    let mut covered = HashSet::new();
    points.into_iter().filter(|p| covered.insert(((p.x / size).floor() as i32, (p.y / size).floor() as i32))).collect()
}

/// First, lowest, highest and last point of every pixel column, in the order in which they came.
fn columns(points: &[Point]) -> Vec<Point> {
    let mut kept: Vec<Point> = Vec::new();
    for column in points.chunk_by(|a, b| a.x.floor() == b.x.floor()) {
        let last = column.len() - 1;
        let (mut lowest, mut highest) = (0, 0);
        for (index, point) in column.iter().enumerate() {
            if point.y < column[lowest].y {
                lowest = index;
            }
            if point.y > column[highest].y {
                highest = index;
            }
        }
        let mut chosen = vec![0, lowest.min(highest), lowest.max(highest), last];
        chosen.dedup();
        kept.extend(chosen.into_iter().map(|index| column[index]));
    }
    kept
}

/// Drops points that lie on the line between kept ones. From the last kept point, every later one is
/// seen within a cone of half-angle asin(TOLERANCE / distance); while their intersection holds the newest point
/// and the points recede, one segment does for all of them.
fn straightened(points: &[Point]) -> Vec<Point> {
    let (Some(first), Some(last)) = (points.first(), points.last()) else {
        return Vec::new();
    };
    let mut kept = vec![*first];
    let mut anchor = *first;
    let mut previous = *first;
    // Direction of the first point seen from the anchor, and the bounds of the cone around it.
    let mut cone: Option<(f64, f64, f64)> = None;
    let mut reach = 0.0;
    for point in &points[1..] {
        let (mut dx, mut dy) = (point.x - anchor.x, point.y - anchor.y);
        if let Some((axis, lo, hi)) = cone {
            let turn = turn_between(axis, dy.atan2(dx));
            let receding = dx.hypot(dy) >= reach - TOLERANCE;
            if !(receding && lo <= turn && turn <= hi) {
                kept.push(previous);
                anchor = previous;
                cone = None;
                reach = 0.0;
                (dx, dy) = (point.x - anchor.x, point.y - anchor.y);
            }
        }
        let distance = dx.hypot(dy);
        if distance > TOLERANCE {
            let half = (TOLERANCE / distance).asin();
            let (axis, lo, hi) = cone.unwrap_or((dy.atan2(dx), -half, half));
            let turn = turn_between(axis, dy.atan2(dx));
            cone = Some((axis, lo.max(turn - half), hi.min(turn + half)));
            reach = distance.max(reach);
        }
        previous = *point;
    }
    if points.len() > 1 {
        kept.push(*last);
    }
    kept
}

/// The angle from one direction to another, in −π … π.
fn turn_between(from: f64, to: f64) -> f64 {
    let turn = to - from;
    if turn > std::f64::consts::PI {
        turn - std::f64::consts::TAU
    } else if turn < -std::f64::consts::PI {
        turn + std::f64::consts::TAU
    } else {
        turn
    }
}

/// Marks the pixels along a segment; whether one of them was not marked before.
fn cover(a: Point, b: Point, covered: &mut HashSet<(i32, i32)>) -> bool {
    let pieces = ((b.x - a.x).abs().max((b.y - a.y).abs()).ceil() as usize).clamp(1, 10_000);
    let mut fresh = false;
    for piece in 0..=pieces {
        let s = piece as f64 / pieces as f64;
        let place = ((a.x + s * (b.x - a.x)).floor() as i32, (a.y + s * (b.y - a.y)).floor() as i32);
        fresh |= covered.insert(place);
    }
    fresh
}

#[cfg(test)]
mod tests {
    use super::*;

    fn distance(p: Point, a: Point, b: Point) -> f64 {
        let (dx, dy) = (b.x - a.x, b.y - a.y);
        let square = dx * dx + dy * dy;
        let s = if square > 0.0 { (((p.x - a.x) * dx + (p.y - a.y) * dy) / square).clamp(0.0, 1.0) } else { 0.0 };
        (p.x - a.x - s * dx).hypot(p.y - a.y - s * dy)
    }

    #[test]
    fn a_million_points_become_few_and_single_spikes_stay() {
        let n = 1_000_000;
        let mut points: Vec<Point> = (0..n)
            .map(|k| k as f64 / n as f64)
            .map(|t| Point { x: 700.0 * t, y: 200.0 + 90.0 * (900.0 * t).sin() })
            .collect();
        points[123_456].y = 5.0;
        points[765_432].y = 399.0;
        let thin = polyline(points.clone());
        assert!(thin.len() < 3000, "{}", thin.len());
        assert!(thin.contains(&points[123_456]) && thin.contains(&points[765_432]));
    }

    #[test]
    fn no_dropped_point_is_farther_away_than_the_tolerance() {
        // An ellipse is not a function of x, so only the cone thins it.
        let points: Vec<Point> = (0..5000)
            .map(|k| k as f64 * std::f64::consts::TAU / 4999.0)
            .map(|a| Point { x: 300.0 + 250.0 * a.cos(), y: 200.0 + 80.0 * a.sin() })
            .collect();
        let thin = polyline(points.clone());
        assert!(thin.len() < 250, "{}", thin.len());
        for p in &points {
            let nearest = thin.windows(2).map(|pair| distance(*p, pair[0], pair[1])).fold(f64::INFINITY, f64::min);
            assert!(nearest <= 2.0 * TOLERANCE, "{p:?} {nearest}");
        }
    }

    #[test]
    fn a_line_that_turns_back_keeps_its_turning_point() {
        let points: Vec<Point> = [0.0, 4.0, 9.0, 3.0, -2.0, 5.0].iter().map(|x| Point { x: *x, y: 1.0 }).collect();
        let xs: Vec<f64> = straightened(&points).iter().map(|p| p.x).collect();
        assert_eq!(xs, [0.0, 9.0, -2.0, 5.0]);
    }

    #[test]
    fn dots_thin_only_where_they_cover_each_other() {
        let row = |count: usize, step: f64| (0..count).map(|k| Point { x: k as f64 * step, y: 0.0 }).collect();
        assert_eq!(dots(row(1000, 0.75)).len(), 1000);
        assert_eq!(dots(row(1000, 0.05)).len(), 100);
        assert!(dots(row(200_000, 0.5)).len() < 80_000);
    }

    #[test]
    fn an_orbit_run_through_many_times_is_drawn_about_once() {
        let points: Vec<Point> = (0..400_000)
            .map(|k| k as f64 * 0.05)
            .map(|a| Point { x: 300.0 + 250.0 * a.cos(), y: 200.0 + 80.0 * (2.0 * a).sin() })
            .collect();
        let kept: usize = crowd(vec![polyline(points)]).iter().map(Vec::len).sum();
        assert!((100..5000).contains(&kept), "{kept}");
    }
}
