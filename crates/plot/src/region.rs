//! Where a function of two variables is not positive, as closed curves for a [`Style::Region`](crate::Style::Region).

/// The curves around the places with v ≤ 0, each followed by NaN: abscissas and ordinates. `values` holds one row of `x.len()`
/// values for every y; beyond the grid counts as positive, so every curve is closed. NaN counts as positive.
///
/// Marching squares: between neighbours of different sign the curve passes where the line through both values is zero; in a
/// cell with four such sides the mean of its corners tells which of them belong together.
pub fn region(x: &[f64], y: &[f64], values: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let (nx, ny) = (x.len(), y.len());
    if nx < 2 || ny < 2 || values.len() < nx * ny {
        return Default::default();
    }
    let grid = Grid { x, y, values };
    let mut next = vec![[None; 2]; grid.edges()];
    for j in 0..=ny {
        for i in 0..=nx {
            grid.cell(i, j, &mut |a, b| {
                for (from, to) in [(a, b), (b, a)] {
                    let free = usize::from(next[from][0].is_some());
                    next[from][free] = Some(to);
                }
            });
        }
    }
    let (mut xs, mut ys) = (Vec::new(), Vec::new());
    for start in 0..next.len() {
        let mut at = start;
        let mut ring = Vec::new();
        while let Some(to) = next[at][0].take().or_else(|| next[at][1].take()) {
            ring.push(at);
            let back = if next[to][0] == Some(at) { 0 } else { 1 };
            next[to][back] = None;
            at = to;
        }
        for &edge in &ring {
            let (a, b) = grid.crossing(edge);
            xs.push(a);
            ys.push(b);
        }
        if !ring.is_empty() {
            xs.push(f64::NAN);
            ys.push(f64::NAN);
        }
    }
    (xs, ys)
}

/// The nodes, with a rim of positive ones at the same places as the outermost ones.
struct Grid<'a> {
    x: &'a [f64],
    y: &'a [f64],
    values: &'a [f64],
}

impl Grid<'_> {
    /// With the rim, nodes along x and y.
    fn size(&self) -> (usize, usize) {
        (self.x.len() + 2, self.y.len() + 2)
    }

    fn edges(&self) -> usize {
        2 * self.size().0 * self.size().1
    }

    fn value(&self, i: usize, j: usize) -> f64 {
        let inside = i > 0 && j > 0 && i <= self.x.len() && j <= self.y.len();
        let v = if inside { self.values[(j - 1) * self.x.len() + i - 1] } else { f64::INFINITY };
        if v.is_nan() { f64::INFINITY } else { v.clamp(-1e300, 1e300) }
    }

    fn place(&self, i: usize, j: usize) -> (f64, f64) {
        (self.x[i.clamp(1, self.x.len()) - 1], self.y[j.clamp(1, self.y.len()) - 1])
    }

    /// Even numbers are the edges to the right of a node, odd ones those upwards.
    fn edge(&self, i: usize, j: usize, up: bool) -> usize {
        2 * (j * self.size().0 + i) + usize::from(up)
    }

    fn crossing(&self, edge: usize) -> (f64, f64) {
        let (node, up) = (edge / 2, edge % 2 == 1);
        let (i, j) = (node % self.size().0, node / self.size().0);
        let (k, l) = if up { (i, j + 1) } else { (i + 1, j) };
        let ((x0, y0), (x1, y1)) = (self.place(i, j), self.place(k, l));
        let (a, b) = (self.value(i, j), self.value(k, l));
        let s = (a / (a - b)).clamp(0.0, 1.0);
        (x0 + s * (x1 - x0), y0 + s * (y1 - y0))
    }

    /// Hands the pairs of sides that the curve joins in the cell above and to the right of a node to `join`.
    fn cell(&self, i: usize, j: usize, join: &mut dyn FnMut(usize, usize)) {
        let inside = |i, j| self.value(i, j) <= 0.0;
        let corners = [inside(i, j), inside(i + 1, j), inside(i + 1, j + 1), inside(i, j + 1)];
        let sides =
            [self.edge(i, j, false), self.edge(i + 1, j, true), self.edge(i, j + 1, false), self.edge(i, j, true)];
        let crossed: Vec<usize> = (0..4).filter(|&k| corners[k] != corners[(k + 1) % 4]).collect();
        match crossed.as_slice() {
            [a, b] => join(sides[*a], sides[*b]),
            [_, _, _, _] => {
                let mean = self.value(i, j) + self.value(i + 1, j) + self.value(i + 1, j + 1) + self.value(i, j + 1);
                // the corners that differ from the middle are cut off
                let first = usize::from(corners[0] == (mean <= 0.0));
                join(sides[(first + 3) % 4], sides[first]);
                join(sides[(first + 1) % 4], sides[(first + 2) % 4]);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(f: impl Fn(f64, f64) -> f64) -> (Vec<f64>, Vec<f64>) {
        let axis: Vec<f64> = (0..=80).map(|k| f64::from(k) / 20.0 - 2.0).collect();
        let values: Vec<f64> = axis.iter().flat_map(|y| axis.iter().map(|x| f(*x, *y)).collect::<Vec<_>>()).collect();
        region(&axis, &axis, &values)
    }

    /// The area inside of closed curves, by the formula of Gauss.
    fn areas(curves: &(Vec<f64>, Vec<f64>)) -> Vec<f64> {
        let points: Vec<(f64, f64)> = curves.0.iter().copied().zip(curves.1.iter().copied()).collect();
        let rings = points.split(|p| p.0.is_nan()).filter(|ring| !ring.is_empty());
        rings
            .map(|ring| {
                let next = |k: usize| ring[(k + 1) % ring.len()];
                (0..ring.len()).map(|k| ring[k].0 * next(k).1 - next(k).0 * ring[k].1).sum::<f64>().abs() / 2.0
            })
            .collect()
    }

    #[test]
    fn a_disc_and_a_ring_have_their_areas() {
        let disc = areas(&of(|x, y| x * x + y * y - 1.0));
        assert_eq!(disc.len(), 1);
        assert!((disc[0] - std::f64::consts::PI).abs() < 0.01, "{disc:?}");
        let mut ring = areas(&of(|x, y| (x * x + y * y - 0.25).max(-1.0) * (x * x + y * y - 2.25)));
        ring.sort_by(f64::total_cmp);
        assert_eq!(ring.len(), 2, "an outer and an inner curve");
        assert!((ring[1] - ring[0] - std::f64::consts::PI * 2.0).abs() < 0.03, "{ring:?}");
    }

    #[test]
    fn a_region_without_end_is_closed_at_the_rim() {
        let half = areas(&of(|x, _| x));
        assert_eq!(half.len(), 1);
        assert!((half[0] - 8.0).abs() < 1e-9, "{half:?}");
        let all = areas(&of(|_, _| -1.0));
        assert!(all.len() == 1 && (all[0] - 16.0).abs() < 1e-9, "{all:?}");
        assert!(areas(&of(|_, _| f64::NAN)).is_empty());
    }

    /// Of a cell with opposite corners inside, the mean of all four tells whether they belong together.
    #[test]
    fn corners_that_touch_belong_to_one_curve_or_to_two() {
        let curves = |high: f64| areas(&region(&[0.0, 1.0], &[0.0, 1.0], &[-1.0, high, high, -1.0]));
        assert_eq!(curves(0.5).len(), 1, "the middle is inside");
        assert_eq!(curves(2.0).len(), 2, "the middle is outside");
    }
}
