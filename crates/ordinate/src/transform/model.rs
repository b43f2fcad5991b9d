//! x
use super::Polynomial;
use ordinate_syntax::Diagnostic;
impl Polynomial {
    /// x
    pub fn model(&self, _name: &str) -> Result<String, Vec<Diagnostic>> {
        Ok(String::new())
    }
}
