#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| othello_trainer_fuzz::targets::part_of_fit(data));
