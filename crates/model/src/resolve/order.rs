//! The order of the quantities, from which that of the states and columns follows.

use super::Resolved;
use rustc_hash::FxHashMap;

impl Resolved {
    /// Puts these quantities before all others, in this order; otherwise the order is that of the equations.
    pub fn put_first(&mut self, names: &[String]) {
        let model = &mut self.model;
        let first: FxHashMap<&str, usize> = names.iter().map(String::as_str).zip(0..).collect();
        let rank = |name: &str| first.get(name).copied().unwrap_or(names.len());
        let mut order: Vec<usize> = (0..model.quantities.len()).collect();
        order.sort_by_key(|&k| rank(&model.quantities[k].name));
        let mut place = vec![0; order.len()];
        order.iter().enumerate().for_each(|(new, &old)| place[old] = new);
        model.quantities = order.iter().map(|&old| model.quantities[old].clone()).collect();
        model.variables.iter_mut().for_each(|variable| variable.quantity = place[variable.quantity]);
        model.pending.iter_mut().for_each(|(quantity, _)| *quantity = place[*quantity]);
        for named in &mut model.named_derivatives {
            (named.quantity, named.of) = (place[named.quantity], place[named.of]);
        }
        self.names.quantities.values_mut().for_each(|quantity| *quantity = place[*quantity]);
    }
}
