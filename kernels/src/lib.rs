//! A typed index of the trainer's CUDA sources. There are none yet: see `README.md` beside it.

/// One `.cu` source: a family of kernels.
#[derive(Clone, Copy, Debug)]
pub struct Source {
    /// The family, which is the file's name without `.cu`.
    pub name: &'static str,
    /// The whole text of the file.
    pub text: &'static str,
    /// The `extern "C"` entry points it defines.
    pub entry_points: &'static [&'static str],
}

/// Every source in this crate.
pub const SOURCES: &[Source] = &[];

#[cfg(test)]
mod tests {
    use super::SOURCES;

    #[test]
    fn every_entry_point_is_in_its_source() {
        for source in SOURCES {
            for entry_point in source.entry_points {
                assert!(source.text.contains(entry_point), "{}: {entry_point}", source.name);
            }
        }
    }
}
