//! Cutting polylines and polygons at a rectangle, so that far-off points cost neither bytes nor digits.

use crate::scene::{Point, Rect};

/// The pieces of a polyline inside a rectangle.
pub fn polyline(points: &[Point], rect: &Rect) -> Vec<Vec<Point>> {
    let mut pieces: Vec<Vec<Point>> = Vec::new();
    let mut open = false;
    for pair in points.windows(2) {
        let Some((a, b)) = segment(pair[0], pair[1], rect) else {
            open = false;
            continue;
        };
        match pieces.last_mut() {
            Some(piece) if open => piece.push(b),
            _ => pieces.push(vec![a, b]),
        }
        open = b == pair[1];
    }
    if let ([only], true) = (points, points.iter().all(|p| rect.contains(*p))) {
        pieces.push(vec![*only]);
    }
    pieces
}

/// The part of a segment inside a rectangle. Liang and Barsky, ACM Trans. Graph. 3 (1984) 1–22:
/// each edge bounds the parameter of a + s (b − a) from below or from above.
fn segment(a: Point, b: Point, rect: &Rect) -> Option<(Point, Point)> {
    let (dx, dy) = (b.x - a.x, b.y - a.y);
    let (mut enter, mut leave) = (0.0_f64, 1.0_f64);
    let edges = [(-dx, a.x - rect.left), (dx, rect.right() - a.x), (-dy, a.y - rect.top), (dy, rect.bottom() - a.y)];
    for (rate, room) in edges {
        if rate == 0.0 {
            if room < 0.0 {
                return None;
            }
        } else if rate < 0.0 {
            enter = enter.max(room / rate);
        } else {
            leave = leave.min(room / rate);
        }
    }
    let at = |s: f64| Point { x: a.x + s * dx, y: a.y + s * dy };
    // The ends themselves are returned unchanged, so that neighbouring segments still meet.
    (enter <= leave).then(|| (if enter > 0.0 { at(enter) } else { a }, if leave < 1.0 { at(leave) } else { b }))
}

/// The part of a closed polygon inside a rectangle: one edge after the other cuts it.
/// Sutherland and Hodgman, Commun. ACM 17 (1974) 32–42.
pub fn polygon(ring: &[Point], rect: &Rect) -> Vec<Point> {
    // Signed distances to the four edges, positive inside.
    let distances: [&dyn Fn(Point) -> f64; 4] =
        [&|p| p.x - rect.left, &|p| rect.right() - p.x, &|p| p.y - rect.top, &|p| rect.bottom() - p.y];
    let mut ring = ring.to_vec();
    for distance in distances {
        let mut cut = Vec::with_capacity(ring.len());
        for index in 0..ring.len() {
            let (a, b) = (ring[index], ring[(index + 1) % ring.len()]);
            let (da, db) = (distance(a), distance(b));
            if da >= 0.0 {
                cut.push(a);
            }
            if (da >= 0.0) != (db >= 0.0) {
                let s = da / (da - db);
                cut.push(Point { x: a.x + s * (b.x - a.x), y: a.y + s * (b.y - a.y) });
            }
        }
        ring = cut;
    }
    ring
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOX: Rect = Rect { left: 0.0, top: 0.0, width: 10.0, height: 10.0 };

    fn points(list: &[(f64, f64)]) -> Vec<Point> {
        list.iter().map(|(x, y)| Point { x: *x, y: *y }).collect()
    }

    #[test]
    fn a_line_that_leaves_and_returns_becomes_two_pieces() {
        let pieces = polyline(&points(&[(1.0, 5.0), (5.0, -5.0), (9.0, 5.0)]), &BOX);
        assert_eq!(pieces, [points(&[(1.0, 5.0), (3.0, 0.0)]), points(&[(7.0, 0.0), (9.0, 5.0)])]);
    }

    #[test]
    fn a_line_inside_stays_as_it_is_and_one_outside_vanishes() {
        let inside = points(&[(1.0, 1.0), (2.0, 3.0), (9.0, 9.0)]);
        assert_eq!(polyline(&inside, &BOX), [inside]);
        assert!(polyline(&points(&[(-1.0, 4.0), (-1.0, 6.0)]), &BOX).is_empty());
    }

    #[test]
    fn a_polygon_keeps_exactly_the_area_inside() {
        let ring = polygon(&points(&[(5.0, 5.0), (1e6, 5.0), (1e6, 1e6), (5.0, 1e6)]), &BOX);
        let area: f64 = (0..ring.len())
            .map(|k| (ring[k], ring[(k + 1) % ring.len()]))
            .map(|(a, b)| (a.x * b.y - b.x * a.y) / 2.0)
            .sum();
        assert!((area.abs() - 25.0).abs() < 1e-6, "{area}");
    }
}
