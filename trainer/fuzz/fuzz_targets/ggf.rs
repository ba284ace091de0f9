#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| othello_fuzz::trainer::ggf(data));
