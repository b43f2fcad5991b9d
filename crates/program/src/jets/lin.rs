//! Linear functions of series, which cost nothing where they are operands.

use crate::constant::Constant;

/// scale · (constant + Σ c · node)
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Lin<N> {
    pub scale: N,
    pub constant: N,
    pub terms: Vec<(u32, N)>,
}

impl<N: Constant> Lin<N> {
    pub fn node(node: u32) -> Lin<N> {
        Lin { scale: N::splat(1.0), constant: N::splat(0.0), terms: vec![(node, N::splat(1.0))] }
    }

    pub fn constant(value: N) -> Lin<N> {
        Lin { scale: N::splat(1.0), constant: value, terms: Vec::new() }
    }

    pub fn as_constant(&self) -> Option<N> {
        self.terms.is_empty().then(|| self.scale.clone() * self.constant.clone())
    }

    pub fn times(mut self, factor: N) -> Lin<N> {
        self.scale = self.scale * factor;
        if let ([(_, c)], true) = (self.terms.as_mut_slice(), self.constant == N::splat(0.0)) {
            *c = c.clone() * self.scale;
            self.scale = N::splat(1.0);
        }
        self
    }
}
