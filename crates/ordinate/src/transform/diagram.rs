//! x
use super::Polynomial;
impl Polynomial {
    /// x
    pub fn diagram(&self) -> String {
        String::new()
    }
}
