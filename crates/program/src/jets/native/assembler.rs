//! The few x86-64 instructions that series need, as bytes: Intel 64 and IA-32 Architectures Software Developer's Manual,
//! volume 2, section 2.3 (VEX prefix).

/// A vector register, 0 … 15.
pub(super) type Vector = u8;

/// A general register that holds an address. Those whose encodings need further bytes (rsp, rbp, r12, r13) are not here.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(u8)]
pub(super) enum Base {
    Rax = 0,
    Rcx = 1,
    Rdx = 2,
    Rsi = 6,
    Rdi = 7,
    R10 = 10,
    R11 = 11,
}

/// A place in memory, or a register: the last operand of most instructions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Last {
    Register(Vector),
    Memory(Base, i32),
}

/// How many lanes an instruction computes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Width {
    One,
    Two,
    Four,
}

impl Width {
    /// Their number.
    pub fn lanes(self) -> usize {
        match self {
            Width::One => 1,
            Width::Two => 2,
            Width::Four => 4,
        }
    }
}

/// Instructions with one to three operands; those of arithmetic exist for all widths.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Op {
    /// first = last; between registers only for `Two`.
    Load,
    /// last = first
    Store,
    /// first = second + last
    Add,
    /// first = second − last
    Sub,
    /// first = second · last
    Mul,
    /// first = second / last
    Div,
    /// first = second xor last
    Xor,
    /// first = second · last + first
    Fma231,
    /// first = second · first + last
    Fma213,
    /// first = first · last + second
    Fma132,
    /// first = second · last − first
    Fms231,
    /// first = second · first − last
    Fms213,
    /// first = (second₀, last₀)
    Low,
    /// first = (second₁, last₁)
    High,
    /// first = (second₀, last) of a number in memory
    LoadHigh,
    /// first = (last₀, last₀)
    Twice,
}

/// Bytes of machine code. They are written eight at a time, of which only the first count.
#[derive(Debug, Default)]
pub(super) struct Assembler {
    bytes: Vec<u8>,
    length: usize,
}

impl Assembler {
    /// Empty, with room for so many bytes, which grows where it must.
    pub fn with_capacity(bytes: usize) -> Assembler {
        Assembler { bytes: vec![0; bytes.max(64)], length: 0 }
    }

    /// Number of bytes so far.
    pub fn len(&self) -> usize {
        self.length
    }

    /// What has been written.
    pub fn into_bytes(mut self) -> Vec<u8> {
        self.bytes.truncate(self.length);
        self.bytes
    }

    /// The lowest bytes of a word.
    #[inline(always)]
    fn write(&mut self, word: u64, bytes: usize) {
        match self.bytes.get_mut(self.length..self.length + 8) {
            Some(room) => room.copy_from_slice(&word.to_le_bytes()),
            None => self.grow(word),
        }
        self.length += bytes;
    }

    #[cold]
    fn grow(&mut self, word: u64) {
        self.bytes.resize(2 * self.bytes.len(), 0);
        self.bytes[self.length..self.length + 8].copy_from_slice(&word.to_le_bytes());
    }

    fn write_all(&mut self, bytes: &[u8]) {
        let word = bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte));
        self.write(word, bytes.len());
    }

    /// An instruction of arithmetic or of moving; `second` is 0 where there is none.
    #[inline(always)]
    pub fn op(&mut self, op: Op, width: Width, first: Vector, second: Vector, last: Last) {
        let scalar = width == Width::One;
        // map (1: 0F, 2: 0F38), prefix (1: 66, 3: F2), W, opcode
        let arithmetic = if scalar { 3 } else { 1 };
        let fused = u8::from(scalar);
        let (map, prefix, w, code) = match op {
            Op::Load => (1, arithmetic, 0, 0x10),
            Op::Store => (1, arithmetic, 0, 0x11),
            Op::Add => (1, arithmetic, 0, 0x58),
            Op::Mul => (1, arithmetic, 0, 0x59),
            Op::Sub => (1, arithmetic, 0, 0x5C),
            Op::Div => (1, arithmetic, 0, 0x5E),
            Op::Xor => (1, 1, 0, 0x57),
            Op::Fma132 => (2, 1, 1, 0x98 + fused),
            Op::Fma213 => (2, 1, 1, 0xA8 + fused),
            Op::Fms213 => (2, 1, 1, 0xAA + fused),
            Op::Fma231 => (2, 1, 1, 0xB8 + fused),
            Op::Fms231 => (2, 1, 1, 0xBA + fused),
            Op::Low => (1, 1, 0, 0x14),
            Op::High => (1, 1, 0, 0x15),
            Op::LoadHigh => (1, 1, 0, 0x16),
            Op::Twice => (1, 3, 0, 0x12),
        };
        self.vex([map, prefix, w, code], width == Width::Four, first, second, last);
    }

    /// first = second with its upper half replaced by the low half of last
    pub fn insert_upper(&mut self, first: Vector, second: Vector, last: Vector) {
        self.vex([3, 1, 0, 0x18], true, first, second, Last::Register(last));
        self.write(1, 1);
    }

    /// first₀ = lane of last
    pub fn lane(&mut self, first: Vector, last: Vector, lane: u8) {
        self.vex([3, 1, 1, 0x01], true, first, 0, Last::Register(last));
        self.write(lane.into(), 1);
    }

    /// The prefix in two or three bytes, the opcode, the operands.
    fn vex(&mut self, [map, prefix, w, code]: [u8; 4], four: bool, first: Vector, second: Vector, last: Last) {
        let (number, mode, distance, more) = match last {
            Last::Register(register) => (register, 0xC0, 0, 0),
            Last::Memory(base, 0) => (base as u8, 0, 0, 0),
            Last::Memory(base, distance) if i8::try_from(distance).is_ok() => (base as u8, 0x40, distance, 1),
            Last::Memory(base, distance) => (base as u8, 0x80, distance, 4),
        };
        let operands = u64::from(mode | (first & 7) << 3 | (number & 7));
        let r = u64::from(!first & 8) << 4;
        let tail = u64::from((!second & 15) << 3 | u8::from(four) << 2 | prefix);
        if map == 1 && w == 0 && number < 8 {
            self.write(0xC5 | (r | tail) << 8 | u64::from(code) << 16 | operands << 24, 4);
        } else {
            let wide = r | 0x40 | u64::from(!number & 8) << 2 | u64::from(map);
            let tail = u64::from(w) << 7 | tail;
            self.write(0xC4 | wide << 8 | tail << 16 | u64::from(code) << 24 | operands << 32, 5);
        }
        if more > 0 {
            self.write(u64::from(distance as u32), more);
        }
    }

    /// to = from + distance
    pub fn address(&mut self, to: Base, from: Base, distance: i32) {
        let (t, f) = (to as u8, from as u8);
        let rex = 0x48 | (t >> 3 << 2) | (f >> 3);
        self.write_all(&[rex, 0x8D, 0x80 | ((t & 7) << 3) | (f & 7)]);
        self.write(u64::from(distance as u32), 4);
    }

    /// Jumps to `target` (a number of bytes from the beginning, already written) if r9d equals `value`.
    pub fn jump_if_r9_is(&mut self, value: i8, target: usize) {
        self.write_all(&[0x41, 0x83, 0xF9, value as u8, 0x0F, 0x84]);
        self.distance_to(target);
    }

    /// Jumps to `target`.
    pub fn jump(&mut self, target: usize) {
        self.write(0xE9, 1);
        self.distance_to(target);
    }

    /// Jumps to the address in r8.
    pub fn jump_to_r8(&mut self) {
        self.write_all(&[0x41, 0xFF, 0xE0]);
    }

    fn distance_to(&mut self, target: usize) {
        let distance = target as i64 - (self.length as i64 + 4);
        self.write(u64::from(distance as u32), 4);
    }

    /// vzeroupper, without which later code without VEX would be slow on some processors, and the return.
    pub fn leave(&mut self) {
        self.write_all(&[0xC5, 0xF8, 0x77, 0xC3]);
    }
}

#[cfg(test)]
mod tests {
    use super::Last::{Memory, Register};
    use super::*;

    /// Compares with bytes that a disassembler reads as the comment above says.
    fn check(write: impl Fn(&mut Assembler), expected: &str) {
        let mut asm = Assembler::with_capacity(0);
        write(&mut asm);
        let bytes: Vec<String> = asm.into_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(bytes.join(" "), expected);
    }

    #[test]
    fn instructions_are_what_a_disassembler_reads() {
        let (one, two, four) = (Width::One, Width::Two, Width::Four);
        // vmovsd xmm3,QWORD [rdi]
        check(|asm| asm.op(Op::Load, one, 3, 0, Memory(Base::Rdi, 0)), "c5 fb 10 1f");
        // vmovupd xmm12,xmm9
        check(|asm| asm.op(Op::Load, two, 12, 0, Register(9)), "c4 41 79 10 e1");
        // vmovupd ymm9,YMMWORD [r10-0x80]
        check(|asm| asm.op(Op::Load, four, 9, 0, Memory(Base::R10, -128)), "c4 41 7d 10 4a 80");
        // vmovsd QWORD [rdx+0x80],xmm15
        check(|asm| asm.op(Op::Store, one, 15, 0, Memory(Base::Rdx, 128)), "c5 7b 11 ba 80 00 00 00");
        // vmovupd YMMWORD [r11+0x7f],ymm1
        check(|asm| asm.op(Op::Store, four, 1, 0, Memory(Base::R11, 127)), "c4 c1 7d 11 4b 7f");
        // vaddsd xmm1,xmm2,xmm3
        check(|asm| asm.op(Op::Add, one, 1, 2, Register(3)), "c5 eb 58 cb");
        // vsubsd xmm8,xmm2,QWORD [rcx+0x8]
        check(|asm| asm.op(Op::Sub, one, 8, 2, Memory(Base::Rcx, 8)), "c5 6b 5c 41 08");
        // vmulpd xmm1,xmm15,xmm11
        check(|asm| asm.op(Op::Mul, two, 1, 15, Register(11)), "c4 c1 01 59 cb");
        // vmulpd ymm1,ymm15,YMMWORD [rax-0x3e8]
        check(|asm| asm.op(Op::Mul, four, 1, 15, Memory(Base::Rax, -1000)), "c5 85 59 88 18 fc ff ff");
        // vdivsd xmm4,xmm5,QWORD [rcx+0x18]
        check(|asm| asm.op(Op::Div, one, 4, 5, Memory(Base::Rcx, 24)), "c5 d3 5e 61 18");
        // vxorpd xmm6,xmm6,xmm6
        check(|asm| asm.op(Op::Xor, two, 6, 6, Register(6)), "c5 c9 57 f6");
        // vfmadd231sd xmm2,xmm14,QWORD [rsi-0x68]
        check(|asm| asm.op(Op::Fma231, one, 2, 14, Memory(Base::Rsi, -104)), "c4 e2 89 b9 56 98");
        // vfmadd231pd ymm10,ymm7,YMMWORD [r10+0x1000]
        check(|asm| asm.op(Op::Fma231, four, 10, 7, Memory(Base::R10, 4096)), "c4 42 c5 b8 92 00 10 00 00");
        // vfmadd213sd xmm2,xmm3,xmm13
        check(|asm| asm.op(Op::Fma213, one, 2, 3, Register(13)), "c4 c2 e1 a9 d5");
        // vfmadd132pd xmm2,xmm3,XMMWORD [rcx+0x10]
        check(|asm| asm.op(Op::Fma132, two, 2, 3, Memory(Base::Rcx, 16)), "c4 e2 e1 98 51 10");
        // vfmsub231sd xmm5,xmm6,QWORD [rsi]
        check(|asm| asm.op(Op::Fms231, one, 5, 6, Memory(Base::Rsi, 0)), "c4 e2 c9 bb 2e");
        // vfmsub213sd xmm5,xmm6,xmm7
        check(|asm| asm.op(Op::Fms213, one, 5, 6, Register(7)), "c4 e2 c9 ab ef");
        // vunpcklpd xmm0,xmm1,xmm2
        check(|asm| asm.op(Op::Low, two, 0, 1, Register(2)), "c5 f1 14 c2");
        // vunpckhpd xmm10,xmm11,xmm11
        check(|asm| asm.op(Op::High, two, 10, 11, Register(11)), "c4 41 21 15 d3");
        // vmovhpd xmm0,xmm1,QWORD [rdi+0x28]
        check(|asm| asm.op(Op::LoadHigh, two, 0, 1, Memory(Base::Rdi, 40)), "c5 f1 16 47 28");
        // vmovddup xmm7,xmm8
        check(|asm| asm.op(Op::Twice, two, 7, 0, Register(8)), "c4 c1 7b 12 f8");
        // vmovddup xmm7,QWORD [rdi+0x8]
        check(|asm| asm.op(Op::Twice, two, 7, 0, Memory(Base::Rdi, 8)), "c5 fb 12 7f 08");
        // vinsertf128 ymm3,ymm4,xmm13,0x1
        check(|asm| asm.insert_upper(3, 4, 13), "c4 c3 5d 18 dd 01");
        // vpermpd ymm3,ymm14,0x2
        check(|asm| asm.lane(3, 14, 2), "c4 c3 fd 01 de 02");
        // lea r11,[rdi-0x200]
        check(|asm| asm.address(Base::R11, Base::Rdi, -512), "4c 8d 9f 00 fe ff ff");
        // lea rax,[rdi+0x200]
        check(|asm| asm.address(Base::Rax, Base::Rdi, 512), "48 8d 87 00 02 00 00");
        // jmp r8
        check(|asm| asm.jump_to_r8(), "41 ff e0");
        // vzeroupper; ret
        check(|asm| asm.leave(), "c5 f8 77 c3");
        // cmp r9d,0xf; je 0 behind them, that is 10 bytes back
        check(|asm| asm.jump_if_r9_is(15, 0), "41 83 f9 0f 0f 84 f6 ff ff ff");
        // jmp to its own beginning, 5 bytes back
        check(|asm| asm.jump(0), "e9 fb ff ff ff");
    }

    #[test]
    fn bytes_follow_each_other_where_the_room_grows() {
        let mut asm = Assembler::with_capacity(0);
        for _ in 0..1000 {
            asm.op(Op::Mul, Width::Four, 1, 15, Memory(Base::Rax, -1000));
        }
        assert_eq!(asm.len(), 8000);
        assert!(asm.into_bytes().chunks(8).all(|bytes| bytes == [0xC5, 0x85, 0x59, 0x88, 0x18, 0xFC, 0xFF, 0xFF]));
    }
}
