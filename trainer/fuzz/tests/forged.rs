//! Files with right checksums whose content has no meaning, through the library.

#![allow(clippy::unwrap_used, reason = "a test")]

use std::path::Path;

use othello_engine::eval::Weights;
use othello_engine::record::GameReader;
use othello_fuzz::container::{self, Section};
use othello_testing::scratch;

/// Returns the library's error for a file with right checksums whose content has no meaning.
fn refusal<T>(kind: u8, sections: &[Section], read: fn(&Path) -> Result<T, String>) -> String {
    let bytes = container::file(kind, container::VERSION, b"{}", sections);
    scratch::with_file("lying", &bytes, |path| read(path).err().unwrap_or_default())
}

fn read_games(path: &Path) -> Result<usize, String> {
    let games = GameReader::open(path).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    games.map(|games| games.len()).map_err(|error| error.to_string())
}

#[test]
fn a_section_of_weights_that_comes_twice_is_refused() {
    let toml = Section::new("pattern set", b"name = \"t\"\nscalars = [\"player_discs\"]");
    let (steps, counts) =
        (Section::new("weights 07", &[0; 130]), Section::new("counts 07", &[0; 260]));
    let read = |path: &Path| Weights::read(path).map_err(|error| error.to_string());
    for twice in [&steps, &counts, &toml] {
        let sections = [toml.clone(), steps.clone(), counts.clone(), twice.clone()];
        let error = refusal(b'W', &sections, read);
        assert!(error.contains("comes a second time"), "{error}");
    }
}

#[test]
fn a_frame_of_too_many_games_is_refused() {
    let frame = |games: u32| {
        let mut content = games.to_le_bytes().to_vec();
        for column in [0, 0, 255, 0, 0] {
            content.resize(content.len() + games as usize, column);
        }
        [Section::new("games", &content)]
    };
    assert_eq!(refusal(b'G', &frame(65_536), read_games), "");
    let error = refusal(b'G', &frame(65_537), read_games);
    assert!(error.contains("section 1 at byte 22 has more than 65536 games"), "{error}");
}

/// Three bytes of zstd can make the decoder allocate gigabytes for its window.
#[test]
fn a_window_beyond_the_largest_content_is_refused() {
    // A magic number, no size and no checksum, a window of 2^(10 + n), and one empty last block.
    let frame = |n: u8| vec![0x28, 0xB5, 0x2F, 0xFD, 0, n << 3, 1, 0, 0];
    let section = |n| [Section::stored("x", b"", frame(n))];
    assert_eq!(refusal(b'G', &section(16), read_games), "");
    let error = refusal(b'G', &section(17), read_games);
    assert!(error.contains("section 1 (`x`) at byte 22 cannot be unpacked"), "{error}");
}
