use othello_engine::file::{Kind, Reader, sha256_of};
use serde_json::{Value, json};

use super::folder::Folder;

/// A recipe with a command for each kind of file that `othello-engine` writes.
const RECIPE: &str = "
['played.games']
command = 'selfplay'
games = 20
seed = 0
depth = 1
exact = 4
weights = 'mobility'

['a.openings']
command = 'openings'
plies = 3
score-depth = 1
weights = 'mobility'
";

/// Commands, each with a file and the JSON pointer to the file's checksum in the command's report.
const COMMANDS: &[(&str, &str, &str)] = &[
    ("run recipe.toml --out run --threads 1", "run/played.games", "/steps/0/sha256"),
    ("run recipe.toml --out run --threads 2", "run/a.openings", "/steps/1/sha256"),
    ("inspect run/a.openings", "run/a.openings", "/files/0/sha256"),
    ("inspect a.games", "a.games", "/files/0/sha256"),
    ("merge a.games --out merged.games", "merged.games", "/sha256"),
    ("sample a.games --count 50 --out sampled.games", "sampled.games", "/files/0/sha256"),
    ("shuffle a.games --out shuffled.games", "shuffled.games", "/files/0/sha256"),
    ("split a.games --out split", "split.training.games", "/files/0/sha256"),
    ("relabel a.games --exact 4 --weights mobility --out exact.games", "exact.games", "/sha256"),
    ("leaves sampled.games --weights mobility --out l.positions", "l.positions", "/sha256"),
    ("fit a.games --patterns small --optimizer lsq --out a.weights", "a.weights", "/sha256"),
    ("average a.weights a.weights --out mean.weights", "mean.weights", "/sha256"),
    ("quantize a.weights --out b.weights", "b.weights", "/sha256"),
    ("calibrate realization a.weights --data a.games --out c.weights", "c.weights", "/sha256"),
    ("export a.weights --format npz --out a.npz", "a.npz", "/sha256"),
    ("export a.weights --format npz --out again.npz", "a.weights", "/weights_sha256"),
    ("export a.games --format npz --out games.npz", "games.npz", "/sha256"),
    ("export a.games --format transcripts --out a.txt", "a.txt", "/sha256"),
    ("export a.games --format transcripts --out again.txt", "a.games", "/games_sha256"),
    ("import transcripts a.txt --out imported.games", "imported.games", "/sha256"),
    ("import weights a.npz --format npz --out d.weights", "d.weights", "/sha256"),
    ("pack packed.games", "packed.games", "/sha256"),
    ("validate cut.games --repair repaired.games", "repaired.games", "/repaired/sha256"),
    ("dataset a.games --out dataset", "dataset/dataset.json", "/sha256"),
];

/// A regression: commands printed the checksum of the uncompressed content instead of the file's.
#[test]
fn sha256sum_prints_the_same() {
    let folder = Folder::with_self_play(5, 200, 6);
    folder.write("recipe.toml", RECIPE);
    let whole = folder.read("a.games");
    folder.write("cut.games", &whole[..whole.len() - 1]);
    for shard in ["1/2", "2/2"] {
        let relabel = "relabel a.games --exact 4 --weights mobility --out packed.games --shard";
        folder.runs(&format!("{relabel} {shard}"));
    }
    for &(command, file, place) in COMMANDS {
        let output = folder.run(&format!("{command} --json"));
        let report = othello_testing::program::printed(&output);
        let printed = report.pointer(place).unwrap_or_else(|| panic!("{command}: {report}"));
        assert_eq!(*printed, sha256_of(&folder.read(file)), "{command}: {report}");
    }
    assert_eq!(folder.read("packed.games"), folder.read("exact.games"));
    let recorded = |name: &str, key: &str| -> Value {
        let reader = Reader::open(&folder.path(name), Kind::Weights).unwrap();
        reader.provenance().get(key).unwrap().clone()
    };
    let [games, weights] = ["a.games", "a.weights"].map(|name| sha256_of(&folder.read(name)));
    assert_eq!(recorded("a.weights", "data"), json!([{ "sha256": games, "weight": 1.0 }]));
    assert_eq!(recorded("b.weights", "weights"), json!(weights));
    assert_eq!(recorded("c.weights", "data"), json!([games]));
    let listed: Value = serde_json::from_slice(&folder.read("dataset/dataset.json")).unwrap();
    let training = sha256_of(&folder.read("dataset/training-30.positions"));
    assert_eq!(listed["phases"][30]["training"]["sha256"], training);
}
