//! The index of kernels: the name, the argument types and the block size of each kernel.

/// A family of kernels: those in one `.cu` source file.
#[derive(Clone, Copy, Debug)]
pub struct Family {
    /// The name of the source file.
    pub file: &'static str,
    /// The text of the source file.
    pub text: &'static str,
    /// The kernels in the source file.
    pub kernels: &'static [Kernel],
}

/// A kernel: its name, argument types and block size, and whether it has barriers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Kernel {
    /// The name of the kernel, which is its entry point in the compiled program.
    pub name: &'static str,
    /// The types of the arguments, in order.
    pub arguments: &'static [Argument],
    /// The number of threads in a block.
    pub block: u32,
    /// True if the threads of a block wait at barriers. On the CPU, each thread is then a fiber.
    pub barriers: bool,
}

/// The type of a kernel argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Argument {
    /// A pointer to an array of this C type in device memory.
    Array(&'static str),
    /// A number of the C type `u32`.
    U32,
    /// A number of the C type `double`.
    F64,
}

impl Argument {
    /// Returns the type in C.
    pub fn c_type(self) -> String {
        match self {
            Self::Array(element) => format!("{element} *"),
            Self::U32 => "u32".to_owned(),
            Self::F64 => "double".to_owned(),
        }
    }
}

macro_rules! families {
    ($($file:literal: { $($constant:ident = $name:ident($($argument:expr),*) $block:literal $barriers:literal;)* })*) => {
        $($(
            #[doc = concat!("`", stringify!($name), "` of `", $file, "`.")]
            pub const $constant: Kernel = Kernel {
                name: stringify!($name),
                arguments: &[$($argument),*],
                block: $block,
                barriers: $barriers,
            };
        )*)*

        /// All families of kernels, one for each source file.
        pub const FAMILIES: &[Family] = &[$(Family {
            file: $file,
            text: include_str!(concat!("../cuda/", $file)),
            kernels: &[$($constant),*],
        }),*];
    };
}

use Argument::{F64, U32};

const ROWS: Argument = Argument::Array("const Row");
const NUMBERS: Argument = Argument::Array("const u32");
const NUMBERS_OUT: Argument = Argument::Array("u32");
const FIXED: Argument = Argument::Array("const i32");
const FIXED_OUT: Argument = Argument::Array("i32");
const SUMS: Argument = Argument::Array("const i64");
const SUMS_OUT: Argument = Argument::Array("i64");
const COUNTS: Argument = Argument::Array("const u64");
const COUNTS_OUT: Argument = Argument::Array("u64");
const LISTED: Argument = Argument::Array("const Listed");
const LISTED_OUT: Argument = Argument::Array("Listed");
const LISTS: Argument = Argument::Array("const List");
const LISTS_OUT: Argument = Argument::Array("List");
const REALS: Argument = Argument::Array("const double");
const REALS_OUT: Argument = Argument::Array("double");

families! {
    "residuals.cu": {
        RESIDUAL_SUMS = residual_sums(ROWS, U32, U32, U32, U32, FIXED, COUNTS_OUT, COUNTS_OUT) 128 false;
        OCCURRENCES = occurrences(ROWS, U32, U32, U32, COUNTS_OUT) 128 false;
    }
    "errors.cu": {
        ERRORS = errors(ROWS, U32, U32, U32, FIXED, COUNTS_OUT) 128 false;
    }
    "vectors.cu": {
        DOT_CHUNKS = dot_chunks(REALS, REALS, U32, REALS_OUT) 256 true;
        MAX_ABS = max_abs(COUNTS, U32, COUNTS_OUT) 256 false;
        ADD_SCALED = add_scaled(REALS_OUT, F64, REALS, U32) 256 false;
        SCALE_AND_ADD = scale_and_add(REALS_OUT, F64, REALS, U32) 256 false;
        DIVIDE = divide(REALS, REALS, REALS_OUT, U32) 256 false;
        SCALE_SUMS = scale_sums(SUMS, F64, REALS_OUT, U32) 256 false;
        ROUND_WEIGHTS = round_weights(REALS, FIXED_OUT, U32) 256 false;
        ROUND_DIRECTION = round_direction(REALS_OUT, F64, FIXED_OUT, U32) 256 false;
    }
    "adam.cu": {
        ADAM = adam(SUMS, REALS, REALS_OUT, REALS_OUT, REALS_OUT, FIXED_OUT, U32,
            F64, F64, F64, F64, F64, F64, F64, F64, F64) 256 false;
    }
    "factors.cu": {
        LIST_POSITIONS = list_positions(ROWS, U32, U32, U32, NUMBERS, U32, U32, LISTED_OUT, NUMBERS_OUT, NUMBERS_OUT) 128 false;
        ARRANGE_LISTS = arrange_lists(NUMBERS_OUT, U32, LISTS_OUT, NUMBERS_OUT) 256 true;
        FILL_LISTS = fill_lists(NUMBERS, U32, NUMBERS_OUT, NUMBERS_OUT) 256 false;
        FACTOR_VALUES = factor_values(LISTED, NUMBERS, U32, FIXED, U32, U32, SUMS_OUT, FIXED_OUT, COUNTS_OUT) 128 true;
        FACTOR_UPDATES = factor_updates(LISTS, U32, U32, NUMBERS, LISTED, SUMS, FIXED, COUNTS, FIXED_OUT, REALS, REALS_OUT, REALS_OUT, REALS_OUT,
            U32, U32, F64, F64, F64, F64, F64, F64, F64, F64, F64) 128 true;
        FACTOR_ERRORS = factor_errors(ROWS, U32, U32, U32, NUMBERS, FIXED, U32, U32, COUNTS_OUT) 128 true;
        ROUND_FACTORS = round_factors(REALS, U32, FIXED_OUT, U32) 256 false;
        TAKE_SQUARES = take_squares(U32, U32, FIXED_OUT) 256 false;
    }
    "solve.cu": {
        SOLVE = solve(COUNTS, U32, U32, NUMBERS_OUT, FIXED_OUT, COUNTS_OUT) 32 false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_index_has_every_kernel_and_knows_which_have_barriers() {
        for family in FAMILIES {
            let definitions: Vec<&str> = family.text.split("\nKERNEL ").skip(1).collect();
            assert_eq!(family.kernels.len(), definitions.len(), "{}", family.file);
            for (kernel, definition) in family.kernels.iter().zip(definitions) {
                assert!(definition.starts_with(&format!("{}(", kernel.name)), "{}", kernel.name);
                let waits = ["__syncthreads", "team_sum(", "team_value("]
                    .iter()
                    .any(|wait| definition.contains(wait));
                assert_eq!(kernel.barriers, waits, "{}", kernel.name);
            }
        }
    }
}
