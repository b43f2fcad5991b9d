//! `astro-float` stores a mantissa in words of 64 bits, on 32-bit targets of 32. They are read and written here as limbs of 64 bits, so
//! that sums and products have the same bits on both.

#[cfg(not(target_pointer_width = "64"))]
use super::limbs::MAX_LIMBS;

#[cfg(target_pointer_width = "64")]
pub(crate) type Word = u64;
#[cfg(not(target_pointer_width = "64"))]
pub(crate) type Word = u32;

/// The limbs of a mantissa. Their top is that of the words; where those do not fill the lowest limb, zeros do.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limbs<'a> {
    words: &'a [Word],
}

impl<'a> Limbs<'a> {
    pub const fn new(words: &'a [Word]) -> Limbs<'a> {
        Limbs { words }
    }

    /// How many there are.
    #[inline]
    pub fn len(self) -> usize {
        self.words.len().div_ceil((64 / Word::BITS) as usize)
    }

    /// From the lowest to the highest.
    #[inline]
    #[cfg(target_pointer_width = "64")]
    pub fn iter(self) -> impl DoubleEndedIterator<Item = u64> + 'a {
        self.words.iter().copied()
    }

    /// From the lowest to the highest.
    #[inline]
    #[cfg(not(target_pointer_width = "64"))]
    pub fn iter(self) -> impl DoubleEndedIterator<Item = u64> + 'a {
        self.words.rchunks(2).rev().map(|words| match *words {
            [low, high] => u64::from(high) << 32 | u64::from(low),
            [high] => u64::from(high) << 32,
            _ => unreachable!("chunks have one or two words"),
        })
    }

    /// The highest one.
    #[inline]
    pub fn last(self) -> Option<u64> {
        self.iter().next_back()
    }
}

/// Hands limbs over as words.
#[cfg(target_pointer_width = "64")]
pub(crate) fn with_words<T>(limbs: &[u64], f: impl FnOnce(&[Word]) -> T) -> T {
    f(limbs)
}

/// Hands limbs over as words.
#[cfg(not(target_pointer_width = "64"))]
pub(crate) fn with_words<T>(limbs: &[u64], f: impl FnOnce(&[Word]) -> T) -> T {
    let mut words = [0; 2 * MAX_LIMBS];
    for (pair, limb) in words.chunks_exact_mut(2).zip(limbs) {
        pair.copy_from_slice(&[*limb as u32, (limb >> 32) as u32]);
    }
    f(&words[..2 * limbs.len()])
}
