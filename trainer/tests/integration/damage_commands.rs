//! Damaged files through the binary: exit status 2 and one clear message, never a panic.
//! `trainer/fuzz/tests/damage.rs` passes many more to the library.

use othello_testing::damage::{Reading, count_refusals};

use super::folder::Folder;

const MOVES: &str = "f5d6c5f4e7f6g5e6e3\nf5d6c3d3c4\nf5f6e6f4\n";
const BOARDS: &str = "---------------------------OX------XO--------------------------- X 2\n\
                      ------------------XO-------OX------XO---------------------------- -1.5\n";
const SETTINGS: &str = "ridge = 30.0\nepochs = 2\nwindow = \"1,0.5\"\nlabels = \"all:result\"\n";
const PATTERNS: &str =
    "name = \"t\"\nscalars = [\"player_discs\"]\n[[pattern]]\nsquares = \"a1 b1\"\n";

#[test]
fn damaged_files_end_every_command_with_a_message() {
    let folder = Folder::new();
    folder.write("sound.txt", MOVES);
    folder.runs("import transcripts sound.txt --out sound.games");
    folder.write("boards.txt", BOARDS);
    folder.runs("import boards boards.txt --out sound.positions");
    folder.runs("fit sound.games --patterns discs --out sound.weights");
    folder.runs("fit sound.games --patterns discs --out sound.part --shard 1/1");
    let corpus = |name: &str| {
        std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/fuzz/corpus/").to_owned() + name)
            .unwrap()
    };
    let [games, weights, positions, part] =
        ["games", "weights", "positions", "part"].map(|kind| folder.read(&format!("sound.{kind}")));
    let wtb = corpus("wthor/three");
    let text = |text: &str| text.as_bytes().to_vec();
    let commands: [Reading<'_>; 16] = [
        (part, "damaged.part", "merge @ --out x.weights --force"),
        (games.clone(), "damaged.games", "fit @ --out x.weights"),
        (games.clone(), "damaged.games", "loss sound.weights @"),
        (games.clone(), "damaged.games", "inspect sound.games @"),
        (games.clone(), "damaged.games", "relabel @ --exact 4 --out x.games --force"),
        (games, "damaged.games", "sample @ --count 2 --out x.games --force"),
        (positions, "damaged.positions", "relabel @ --exact 4 --out x.games --force"),
        (weights.clone(), "damaged.weights", "loss @ sound.games"),
        (weights, "damaged.weights", "diff @ sound.weights"),
        (wtb, "damaged.wtb", "import wthor @ --out x.records --force"),
        (text(MOVES), "damaged.txt", "import transcripts @ --out x.records --force"),
        (text(BOARDS), "damaged.txt", "import boards @ --out x.records --force"),
        (corpus("ggf/two"), "damaged.ggf", "import ggf @ --out x.records --force"),
        (corpus("egaroucid/start"), "damaged.dat", "import egaroucid @ --out x.records --force"),
        (text(SETTINGS), "damaged.toml", "fit sound.games --settings @ --out x.weights --force"),
        (text(PATTERNS), "damaged.toml", "fit sound.games --patterns @ --out x.weights --force"),
    ];
    let refused = count_refusals(&folder, &commands, 15, MOVES.as_bytes());
    assert!(refused > 130, "{refused} were refused");
}
