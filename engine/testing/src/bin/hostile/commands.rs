//! The commands under attack, and their input files.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use othello_testing::guides::inputs;
use othello_testing::mutation::Draws;

use crate::findings::Findings;
use crate::process::Limits;

/// A command line; the word `@name` stands for the input file of that name.
pub(crate) type Words = &'static str;

/// The commands under attack, one a line, in two paragraphs that comments begin: those that write,
/// and those that only read.
fn listed(paragraph: usize) -> impl Iterator<Item = Words> {
    let text = include_str!("commands.txt");
    let paragraphs = text.split("\n\n").filter(|text| !text.starts_with('#'));
    paragraphs.skip(paragraph).take(1).flat_map(str::lines)
}

/// Returns the commands that write, and whether their report is the same each time.
pub(crate) fn writers() -> impl Iterator<Item = (Words, bool)> {
    listed(0).map(|line| line.strip_prefix("~ ").map_or((line, true), |words| (words, false)))
}

/// Returns the commands that only read.
pub(crate) fn readers() -> impl Iterator<Item = Words> {
    listed(1)
}

/// All that a round works with.
pub(crate) struct Ground {
    pub(crate) place: Place,
    pub(crate) limits: Limits,
    pub(crate) draws: Draws,
    pub(crate) findings: Findings,
}

/// The folder of the binaries, the library that makes calls fail, and the folder of the inputs.
pub(crate) struct Place {
    pub(crate) binaries: PathBuf,
    pub(crate) library: PathBuf,
    pub(crate) inputs: PathBuf,
}

impl Place {
    /// Makes the inputs in a folder.
    pub(crate) fn new(binaries: &Path, library: &Path, inputs: &Path) -> Self {
        let binaries = binaries.canonicalize().expect("the folder of the binaries");
        fs::create_dir_all(inputs).expect("a folder for the inputs");
        let library = library.canonicalize().expect("the library");
        let place = Self { binaries, library, inputs: inputs.canonicalize().expect("just made") };
        let write = |name: &str, text: &str| fs::write(place.input(name), text).expect("an input");
        write("moves.txt", &inputs::transcripts(60, 60));
        let moves = fs::read(place.input("moves.txt")).expect("just written");
        let packed = zstd::bulk::compress(&moves, 3).expect("memory can be compressed");
        fs::write(place.input("moves.txt.zst"), packed).expect("an input");
        write("boards.txt", &inputs::boards(60));
        write(
            "factors.toml",
            "name = \"tiny\"\nscalars = [\"moves_pair\"]\n[factors]\ndimensions = 8\nphases = 4\n\
             [[pattern]]\nsquares = \"a1 b1 c1 d1 a2\"\n",
        );
        let recipe =
            "data = ['random.games']\npatterns = 'discs'\n[settings.least_squares]\nepochs = 3\n";
        write("recipe.toml", recipe);
        write("other.toml", &recipe.replace("3", "1"));
        write("values.toml", "[settings]\nridge = [3, 300]\n");
        write("fit.toml", "ridge = 30.0\n[adam]\nbatch = 100\n");
        for (name, from) in [
            ("games.ggf", "trainer/fuzz/corpus/ggf/two"),
            ("boards.dat", "trainer/fuzz/corpus/egaroucid/start"),
            ("patterns.toml", "datasets/patterns/small.toml"),
        ] {
            fs::copy(othello_testing::guides::repository().join(from), place.input(name))
                .expect("an input");
        }
        let problems =
            othello_testing::guides::repository().join("datasets/problems/fforum-1-19.obf");
        let problems = fs::read_to_string(problems).expect("a file of the repository");
        write("problems.obf", problems.lines().next().expect("a problem"));
        let wthor = othello_testing::random_games::wthor_file(0..60);
        fs::write(place.input("games.wtb"), wthor).expect("an input");
        place.make_by_commands();
        place
    }

    fn make_by_commands(&self) {
        let play = "othello-engine selfplay --games 900 --seed 1 --depth 1 --exact 2 --weights mobility --random-plies 20 --out";
        let open = "othello-engine openings --plies 7 --score-depth 1 --weights mobility --out";
        let mut commands = vec![
            format!("{play} @random.games"),
            format!("{play} @test.games").replace("--seed 1", "--seed 7").replace("900", "100"),
            format!("{open} @some.openings"),
            "othello-trainer import boards @boards.txt --out @random.positions".to_owned(),
            "othello-trainer fit @random.games --patterns @patterns.toml --optimizer lsq --iterations 2 --out @small.weights".to_owned(),
        ];
        let calibrate = "othello-trainer calibrate";
        commands.extend([
            format!("{calibrate} ordering @small.weights --positions 100 --searches 2 --out @a.weights"),
            format!("{calibrate} probcut @a.weights --positions 400 --depth 4 --out @b.weights"),
            format!("{calibrate} realization @b.weights --data @random.games --games 200 --out @whole.weights"),
            "othello-trainer fit @random.games --patterns @factors.toml --phases 30..33 --iterations 2 --out @factors.weights".to_owned(),
            "othello-trainer dataset @random.games --out @laid-out".to_owned(),
            "othello-trainer export @small.weights --format npz --out @arrays.npz".to_owned(),
        ]);
        for shard in 1..=2 {
            commands.push(format!("othello-trainer fit @random.games --patterns small --iterations 2 --phases 30..37 --shard {shard}/2 --out @part{shard}.weights"));
            commands.push(format!("othello-trainer match mobility none --openings @some.openings --pairs 8 --depth 1 --exact 4 --shard {shard}/2 --out @shard{shard}.match"));
        }
        for shard in 1..=3 {
            commands.push(format!("{play} @shard{shard}.games --shard {shard}/3"));
            commands.push(format!("{open} @shard{shard}.openings --shard {shard}/3"));
        }
        for words in commands {
            let output = self.command(&self.inputs, &words).output().expect("the binary runs");
            assert!(
                output.status.success(),
                "{words}: {}",
                String::from_utf8_lossy(&output.stderr)
            );
        }
        let games = fs::read(self.input("random.games")).expect("just made");
        fs::write(self.input("damaged.games"), &games[..games.len() - 60]).expect("an input");
        // Files beside the weights are of no use here.
        for entry in fs::read_dir(&self.inputs).expect("the inputs") {
            let path = entry.expect("an entry").path();
            if path.to_string_lossy().contains(".weights.") {
                fs::remove_file(path).expect("a file of ours");
            }
        }
    }

    pub(crate) fn input(&self, name: &str) -> PathBuf {
        self.inputs.join(name)
    }

    /// Returns the words of a command line, the program first, with the paths of its inputs.
    pub(crate) fn words(&self, words: &str) -> Vec<OsString> {
        let path = |word: &str| match word.strip_prefix('@') {
            Some(name) => self.input(name).into(),
            None => word.into(),
        };
        words.split(' ').map(path).collect()
    }

    pub(crate) fn command(&self, folder: &Path, words: &str) -> Command {
        self.command_of(folder, &self.words(words))
    }

    pub(crate) fn command_of(&self, folder: &Path, words: &[OsString]) -> Command {
        let mut command = Command::new(self.binaries.join(&words[0]));
        command.args(&words[1..]).args(["--threads", "2"]).current_dir(folder);
        command
    }
}

/// Returns the name of a command in messages: the program, the subcommand, and its subject.
pub(crate) fn name(words: &str) -> String {
    let mut parts = words.split(' ').map(|word| word.trim_start_matches('@'));
    let program = parts.next().unwrap_or_default().trim_start_matches("othello-").to_owned();
    let rest: Vec<&str> = parts.take_while(|word| !word.starts_with("--")).take(2).collect();
    let optimizer = words
        .split_once("--optimizer ")
        .map_or("", |(_, rest)| rest.split(' ').next().unwrap_or(""));
    format!("{program} {} {optimizer}", rest.join(" ")).trim_end().to_owned()
}
