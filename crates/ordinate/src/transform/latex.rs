//! x
use super::Polynomial;
impl Polynomial {
    /// x
    pub fn latex(&self) -> String {
        String::new()
    }
}
