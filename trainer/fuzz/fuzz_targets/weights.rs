#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| othello_fuzz::engine::weights(data));
