//! Random numbers with a fixed seed, short enough to be written into a model exactly.

pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0xD1B5_4A32_D192_ED03)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        self.0 >> 33
    }

    /// One of `count` numbers from 0.
    pub fn below(&mut self, count: usize) -> usize {
        (self.next() % count as u64) as usize
    }

    /// True once in `n`.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// A number with three digits between two.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        let part = self.below(1001) as f64 / 1000.0;
        let value = low + (high - low) * part;
        let unit = 10f64.powf((high - low).abs().max(1e-300).log10().floor() - 2.0);
        // decimal rounding, so that the text holds this very number
        format!("{:.12e}", (value / unit).round() * unit).parse().expect("a number")
    }

    /// One of the entries.
    pub fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }
}
