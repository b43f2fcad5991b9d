//! Which value is in which vector register. All uses are known beforehand, so the register that is given up is the one
//! needed last (L. A. Bélády, IBM Systems Journal 5 (1966) 78–101).

use super::assembler::Vector;

/// Number of a value: a coefficient, a row of factors or a sum.
pub(super) type Value = u32;

/// After all uses.
pub(super) const NEVER: u32 = u32::MAX;

/// What a register holds if it is no value: something an instruction sequence needs just now.
const TEMPORARY: Value = u32::MAX;

/// Where a value is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Place {
    /// Its register.
    pub register: Option<Vector>,
    /// Whether it can be read from memory.
    pub stored: bool,
    /// Position of its next use.
    pub next: u32,
}

/// The registers and the places of all values.
#[derive(Debug)]
pub(super) struct Registers {
    /// What the registers hold that are not free.
    holds: [Value; 16],
    /// The free ones, one bit each.
    free: u16,
    /// Those that must not be given up now, one bit each.
    locked: u16,
    /// An instruction needed more registers than there are: the code is of no use.
    pub exhausted: bool,
    pub places: Vec<Place>,
}

impl Registers {
    /// Empty ones for so many values.
    pub fn new(values: usize) -> Registers {
        let places = vec![Place { register: None, stored: false, next: NEVER }; values];
        Registers { holds: [TEMPORARY; 16], free: u16::MAX, locked: 0, exhausted: false, places }
    }

    /// The values in registers.
    pub fn held(&self) -> impl Iterator<Item = (Value, Vector)> {
        (0..).zip(&self.holds).filter(|(_, value)| **value != TEMPORARY).map(|(register, &value)| (value, register))
    }

    /// A register for a temporary value, which stays until it is given to a value or freed. `Err` says which value must
    /// be stored first, in this register, if it is not stored already.
    pub fn take(&mut self) -> Result<Vector, (Vector, Value)> {
        let free = self.free & !self.locked;
        if free != 0 {
            self.free &= !(free & free.wrapping_neg());
            return Ok(free.trailing_zeros() as Vector);
        }
        let candidates = (0..16u8).filter(|&r| self.locked >> r & 1 == 0 && self.holds[r as usize] != TEMPORARY);
        let Some(register) = candidates.max_by_key(|&r| self.places[self.holds[r as usize] as usize].next) else {
            self.exhausted = true;
            return Ok(0);
        };
        let value = self.holds[register as usize];
        let place = &mut self.places[value as usize];
        place.register = None;
        self.holds[register as usize] = TEMPORARY;
        let stored = std::mem::replace(&mut place.stored, true);
        if stored { Ok(register) } else { Err((register, value)) }
    }

    /// The temporary in a register becomes a value.
    pub fn give(&mut self, register: Vector, value: Value, next: u32, stored: bool) {
        if next == NEVER {
            self.free(register);
            self.places[value as usize] = Place { register: None, stored, next };
        } else {
            self.holds[register as usize] = value;
            self.places[value as usize] = Place { register: Some(register), stored, next };
        }
    }

    /// A temporary is needed no longer.
    pub fn free(&mut self, register: Vector) {
        self.holds[register as usize] = TEMPORARY;
        self.free |= 1 << register;
    }

    /// Keeps a register until `unlock`.
    pub fn lock(&mut self, register: Vector) {
        self.locked |= 1 << register;
    }

    /// Ends all locks.
    pub fn unlock(&mut self) {
        self.locked = 0;
    }

    /// A use of a value is over; the next one is at `next`.
    pub fn used(&mut self, value: Value, next: u32) {
        let place = &mut self.places[value as usize];
        place.next = next;
        if next == NEVER
            && let Some(register) = place.register.take()
        {
            self.free(register);
        }
    }

    /// From now on a value has another number.
    pub fn rename(&mut self, from: Value, to: Value) {
        let none = Place { register: None, stored: false, next: NEVER };
        let place = std::mem::replace(&mut self.places[from as usize], none);
        if let Some(register) = place.register {
            self.holds[register as usize] = to;
        }
        self.places[to as usize] = place;
    }
}
