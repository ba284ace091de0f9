//! Tests that the library refuses files with valid checksums but meaningless content.

#![allow(clippy::unwrap_used, reason = "a test")]

use othello_engine::eval::Weights;
use othello_engine::record::GameReader;
use othello_fuzz::container::{self, Section};
use othello_testing::scratch;

/// Returns the error for a file with these sections; empty if the library accepts the file.
fn refusal(kind: u8, sections: &[Section]) -> String {
    let bytes = container::file(kind, container::VERSION, b"{}", sections);
    scratch::with_file("lying", &bytes, |path| {
        let error = if kind == b'W' {
            Weights::read(path).err().map(|error| error.to_string())
        } else {
            let games = GameReader::open(path).and_then(Iterator::collect::<Result<Vec<_>, _>>);
            games.err().map(|error| error.to_string())
        };
        error.unwrap_or_default()
    })
}

#[test]
fn sections_without_meaning_are_refused() {
    let toml = Section::new("pattern set", b"name = \"t\"\nscalars = [\"player_discs\"]");
    let (steps, counts) =
        (Section::new("weights 07", &[0; 130]), Section::new("counts 07", &[0; 260]));
    for twice in [&steps, &counts, &toml] {
        let sections = [toml.clone(), steps.clone(), counts.clone(), twice.clone()];
        let error = refusal(b'W', &sections);
        assert!(error.contains("occurs twice"), "{error}");
    }
    let frame = |games: u32| {
        let columns = [0, 0, 255, 0, 0].map(|column| vec![column; games as usize]).concat();
        [Section::new("games", &[&games.to_le_bytes()[..], &columns].concat())]
    };
    // Three bytes of zstd can make the decoder allocate gigabytes for its window: a magic number,
    // no size and no checksum, a window of 2^(10 + n), and one empty last block.
    let window =
        |n: u8| [Section::stored("x", b"", vec![0x28, 0xB5, 0x2F, 0xFD, 0, n << 3, 1, 0, 0])];
    for (sections, expected) in [
        (frame(65_536), ""),
        (frame(65_537), "section 1 at byte 22 has more than 65536 games"),
        (window(16), ""),
        (window(17), "section 1 (`x`) at byte 22 cannot be unpacked"),
    ] {
        let error = refusal(b'G', &sections);
        assert!(error.contains(expected) && error.is_empty() == expected.is_empty(), "{error}");
    }
}

/// A regression: a command that counts the games before it reads them trusted a frame that states
/// four billion games, and did not end.
#[test]
fn games_that_are_not_there_are_not_counted() {
    let content = [60_000_u16; 40].map(u16::to_le_bytes).concat();
    let sections = [Section::new("games", &content)];
    let bytes = container::file(b'G', container::VERSION, b"{}", &sections);
    scratch::with_file("counted", &bytes, |path| {
        let opened = || GameReader::open(path).unwrap();
        let passed = [opened().pass_by_frame().map(|_| 0), opened().pass_by(u64::MAX)];
        for passed in passed {
            let error = passed.unwrap_err().to_string();
            assert!(error.contains("section 1 at byte 22 has more than 65536 games"), "{error}");
        }
    });
}
