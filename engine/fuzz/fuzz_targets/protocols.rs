#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| othello_engine_fuzz::targets::protocols(data));
