//! Names that are written with other code points but are the same letters: é as one or as two (an e and an accent), and the micro
//! sign µ, which keyboards have, for the Greek letter μ, which Unicode calls its equivalent.

use std::borrow::Cow;

use unicode_normalization::{UnicodeNormalization, is_nfc};

use crate::Tree;
use crate::lexer::continues_name;

/// What a name has in common with all its spellings.
pub(crate) fn common(name: &str) -> Cow<'_, str> {
    match name.is_ascii() || (is_nfc(name) && !name.contains(MICRO)) {
        true => name.into(),
        false => name.nfc().map(|c| if c == MICRO { MU } else { c }).collect(),
    }
}

const MICRO: char = '\u{b5}';
const MU: char = '\u{3bc}';

impl Tree {
    /// The names within a text from elsewhere, as this text spells them.
    pub fn as_spelled(&self, text: &str) -> String {
        if text.is_ascii() {
            return text.into();
        }
        let spelled = |word: &str| match self.names.iter().find(|name| common(name) == common(word)) {
            Some(name) if !word.is_ascii() => name.clone(),
            _ => word.into(),
        };
        let (mut result, mut word) = (String::new(), String::new());
        for c in text.chars() {
            if continues_name(c) {
                word.push(c);
                continue;
            }
            result.push_str(&spelled(&word));
            result.push(c);
            word.clear();
        }
        result + &spelled(&word)
    }
}
