//! Computes base-3 numbers, whose digits are the contents of squares, in 64 lanes: one lane for
//! each pattern instance. A byte shuffle selects from 16 bytes, a quarter of the board. So one
//! digit of all lanes takes four shuffles, one for each quarter.

pub(super) const QUARTERS: usize = 4;

/// Defines the code for vectors of one width. Its arguments are an instruction set, the processor
/// features that it needs, and the number of vectors that together hold 64 bytes. The calling
/// module must import instructions by names such as `shuffle`, and define `quarters(position)`: for
/// each quarter (two ranks) of the board, a vector of its squares' base-3 digits.
macro_rules! byte_shuffles {
    ($set:ident, $features:tt, $vectors:literal) => {
        const VECTORS: usize = $vectors;
        pub(super) type Bytes = [u8; 64 / VECTORS];
        type Words = [u16; 32 / VECTORS];

        /// The tables for computing parameter indices by byte shuffles. Each entry is for one
        /// vector, with 64 / `VECTORS` pattern instances. Exists only if the processor has `$set`.
        #[derive(Clone, Debug)]
        pub(super) struct Shuffles([(Digits, Fold); VECTORS]);

        /// The square of each digit of the [`NUMBERS`] base-3 numbers of a lane (pattern instance):
        /// `digits[n][d][q][lane]` is the index, 0 to 15, of the square for digit d of number n in
        /// quarter q of the board; `NOWHERE` if this square is not in quarter q.
        type Digits = [Vec<[Bytes; QUARTERS]>; NUMBERS];

        /// The constants that turn each pattern instance's base-3 numbers into its parameter index
        /// (see the formula in `class.rs`).
        #[derive(Clone, Debug)]
        pub(super) struct Fold {
            low_stride: [Words; 2],
            high_stride: [Words; 2],
            first_parameter: [[u32; 16 / VECTORS]; 4],
        }

        impl Shuffles {
            pub(super) fn new(lanes: &[Lane]) -> Option<Self> {
                if !InstructionSet::$set.is_available() {
                    return None;
                }
                let places = Places::new(lanes, 4 / VECTORS);
                Some(Self(std::array::from_fn(|number| {
                    let quarters = |squares: &[u8; 64]| {
                        let bytes: [Bytes; VECTORS] = cast(*squares);
                        // A shuffle returns 0 for the index `NOWHERE`, whose highest bit is set.
                        let in_quarter = |square: u8, quarter: usize| {
                            let here = square != NOWHERE && usize::from(square / 16) == quarter;
                            if here { square % 16 } else { NOWHERE }
                        };
                        std::array::from_fn(|q| bytes[number].map(|square| in_quarter(square, q)))
                    };
                    let digits = |digits: &Vec<[u8; 64]>| digits.iter().map(quarters).collect();
                    (places.squares.each_ref().map(digits), Fold::new(&places, number))
                })))
            }

            pub(super) fn write(&self, boards: impl Iterator<Item = Position>, rows: &mut [Row]) {
                // SAFETY: `new` checked that the processor has the instructions.
                unsafe { self.write_rows(boards, rows) }
            }

            #[target_feature(enable = $features)]
            fn write_rows(&self, positions: impl Iterator<Item = Position>, rows: &mut [Row]) {
                for (position, row) in positions.zip(rows) {
                    let board = quarters(&position);
                    let (parameters, _) = row.0.as_chunks_mut::<{ 64 / VECTORS }>();
                    for ((digits, fold), parameters) in self.0.iter().zip(parameters) {
                        fold.write(numbers(board, digits), parameters);
                    }
                }
            }
        }

        #[inline]
        #[target_feature(enable = $features)]
        fn numbers(mut board: [Register; QUARTERS], all: &Digits) -> [Register; NUMBERS] {
            let mut numbers = [zero(); NUMBERS];
            for digit in 0..DIGITS {
                for (number, digits) in numbers.iter_mut().zip(all) {
                    if let Some(shuffles) = digits.get(digit) {
                        for (&quarter, &bytes) in board.iter().zip(shuffles) {
                            *number = add8(*number, shuffle(quarter, cast(bytes)));
                        }
                    }
                }
                for quarter in &mut board {
                    *quarter = tripled(*quarter);
                }
            }
            numbers
        }

        #[inline]
        #[target_feature(enable = $features)]
        pub(super) fn tripled(bytes: Register) -> Register {
            add8(add8(bytes, bytes), bytes)
        }

        impl Fold {
            pub(super) fn new(places: &Places, number: usize) -> Self {
                let low: [_; VECTORS] = cast(places.low_stride);
                let high: [_; VECTORS] = cast(places.high_stride);
                let first: [_; VECTORS] = cast(places.first_parameter);
                let (low_stride, high_stride) = (low[number], high[number]);
                Self { low_stride, high_stride, first_parameter: first[number] }
            }

            /// Writes the parameter index of each lane (pattern instance) by the formula in
            /// `class.rs`. `a` and `b` are the base-3 numbers of the first and second squares of
            /// mirrored pairs; c = `low` + 243 · `high` is the number of the other squares.
            #[inline]
            #[target_feature(enable = $features)]
            pub(super) fn write(
                &self,
                [a, b, low, high]: [Register; NUMBERS],
                parameters: &mut [u32; 64 / VECTORS],
            ) {
                let (zero, x, y) = (zero(), max8(a, b), min8(a, b));
                // The calls are written out, because closures in generic functions are not always
                // inlined if only this function has the instructions.
                let low_half = [
                    unpack_low8(x, zero),
                    unpack_low8(y, zero),
                    unpack_low8(low, zero),
                    unpack_low8(high, zero),
                ];
                let high_half = [
                    unpack_high8(x, zero),
                    unpack_high8(y, zero),
                    unpack_high8(low, zero),
                    unpack_high8(high, zero),
                ];
                let first = self.classes::<0>(low_half);
                let second = self.classes::<1>(high_half);
                let classes = [
                    unpack_low16(first, zero),
                    unpack_high16(first, zero),
                    unpack_low16(second, zero),
                    unpack_high16(second, zero),
                ];
                let (parameters, _) = parameters.as_chunks_mut::<{ 16 / VECTORS }>();
                let classes = classes.iter().zip(&self.first_parameter);
                for (parameters, (class, first)) in parameters.iter_mut().zip(classes) {
                    *parameters = cast(add32(*class, cast(*first)));
                }
            }

            /// Returns the class of the pattern instance in each 16-bit lane, by the formula in
            /// `class.rs` with c = `low` + 243 · `high`. `HALF` is 0 for lanes from `unpack_low8`,
            /// 1 for lanes from `unpack_high8`.
            #[inline]
            #[target_feature(enable = $features)]
            fn classes<const HALF: usize>(&self, [x, y, low, high]: [Register; 4]) -> Register {
                let triangle = shift_right16::<1>(multiply16(x, add16(x, splat16(1))));
                let low = multiply16(low, cast(self.low_stride[HALF]));
                let high = multiply16(high, cast(self.high_stride[HALF]));
                add16(add16(low, high), add16(triangle, y))
            }
        }
    };
}

pub(super) use byte_shuffles;
