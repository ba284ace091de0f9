use std::collections::BTreeSet;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;

use ndarray::{Array0, Array1, Array2, Array3, Ix1, OwnedRepr};
use ndarray_npy::{NpzReader, NpzWriter};
use othello_engine::board::{Phase, Position, StatedPosition};
use othello_engine::eval::{Evaluate as _, Evaluator, Weights, WeightsChoice};
use othello_engine::pattern::Scalar;
use othello_engine::progress::Silent;
use othello_testing::{program, skip};
use othello_trainer::dataset::{DataChoice, LayoutSettings, PositionStream, Split, StreamSettings};
use othello_trainer::model::Phases;
use othello_trainer::source::LabelRules;

use super::folder::{Folder, RANDOM_PLIES, random_game};

pub(crate) fn vectors(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../datasets/conformance").join(name)
}

fn export(weights: &str, out: &str) -> String {
    format!("export {} --format npz --out {out}", vectors(weights).display())
}

/// Weights without and with factors, each with a file of the values expected for test boards.
const VALUED: [(&str, &str); 2] =
    [("conformance.weights", "values.txt"), ("factors.weights", "factors.txt")];

#[test]
fn the_arrays_hold_the_weights_and_their_origin() {
    let folder = Folder::new();
    let report = folder.json(&export("conformance.weights", "weights.npz"));
    assert_eq!(report["bytes"], folder.read("weights.npz").len());

    let file = Weights::read(&vectors("conformance.weights")).unwrap();
    let (weights, geometry) = (&file.weights, file.weights.geometry());
    let mut npz = NpzReader::new(File::open(folder.path("weights.npz")).unwrap()).unwrap();
    let mut text = |name: &str| {
        let bytes: Array1<u8> = npz.by_name(name).unwrap();
        String::from_utf8(bytes.to_vec()).unwrap()
    };
    assert_eq!(text("sha256"), file.sha256);
    assert_eq!(text("provenance"), file.provenance.canonical());
    assert_eq!(text("pattern_set"), weights.set().to_toml());
    assert_eq!(report["weights_sha256"], file.sha256);
    let steps_per_disc: Array0<i32> = npz.by_name("steps_per_disc").unwrap();
    assert_eq!(steps_per_disc.into_scalar(), 32);

    for (number, pattern) in geometry.patterns.iter().enumerate() {
        let steps: Array2<i16> = npz.by_name(&format!("weights_{number:02}")).unwrap();
        let counts: Array2<u32> = npz.by_name(&format!("counts_{number:02}")).unwrap();
        let classes: Array1<u16> = npz.by_name(&format!("classes_{number:02}")).unwrap();
        let instances: Array2<u8> = npz.by_name(&format!("instances_{number:02}")).unwrap();
        assert_eq!(classes.to_vec(), pattern.class_of);
        let parameters = pattern.first_parameter..pattern.first_parameter + pattern.classes;
        for phase in Phase::all() {
            let row = phase.index();
            assert_eq!(steps.row(row).to_vec(), weights.steps(phase)[parameters.clone()]);
            assert_eq!(counts.row(row).to_vec(), weights.counts(phase)[parameters.clone()]);
        }
        let own = geometry.instances.iter().filter(|instance| instance.pattern == number);
        let squares: Vec<Vec<usize>> =
            own.map(|i| i.squares.iter().map(|square| square.index()).collect()).collect();
        let rows = instances.rows().into_iter();
        assert!(rows.map(|row| row.mapv(usize::from).to_vec()).eq(squares));
    }
    let scalars: Array3<i16> = npz.by_name("scalar_weights").unwrap();
    assert_eq!(scalars.dim(), (60, geometry.scalars.len(), 65));
    let phase = Phase::new(30).unwrap();
    let stated = &weights.steps(phase)[geometry.pattern_parameters..];
    assert_eq!(scalars.slice(ndarray::s![30, .., ..]).flatten().to_vec(), stated);
}

#[test]
fn the_positions_of_games_are_written_as_arrays() {
    let folder = Folder::with_random_games(0..40);
    let report = folder.json("export a.games --format npz --seed 5 --out a.npz");
    let mut npz = NpzReader::new(File::open(folder.path("a.npz")).unwrap()).unwrap();
    let player: Array1<u64> = npz.by_name("player").unwrap();
    let opponent: Array1<u64> = npz.by_name("opponent").unwrap();
    let label: Array1<f32> = npz.by_name("label").unwrap();
    let weight: Array1<f32> = npz.by_name("weight").unwrap();
    let ply: Array1<u8> = npz.by_name("ply").unwrap();
    let subset: Array1<u8> = npz.by_name("subset").unwrap();
    let (mut place, mut counted) = (0, [0; 3]);
    for seed in 0..40 {
        let game = random_game(seed);
        let steps = game.replay().steps;
        for (number, step) in steps.iter().enumerate().skip(RANDOM_PLIES.into()) {
            let score = game.black_score().unwrap() * step.side.sign();
            assert_eq!(Position::new(player[place], opponent[place]), Some(step.position));
            assert_eq!((label[place], weight[place]), (score as f32, 1.0));
            assert_eq!(usize::from(ply[place]), number);
            let expected = Split::new(5).of_game(&game).unwrap();
            assert_eq!(subset[place], expected as u8);
            counted[expected as usize] += 1;
            place += 1;
        }
    }
    assert_eq!(player.len(), place);
    let counts = ["positions", "validation_positions", "test_positions"];
    assert_eq!(counts.map(|name| report[name].as_u64().unwrap()), counted);
    let mut provenance = npz.by_name::<OwnedRepr<u8>, Ix1>("provenance").unwrap().to_vec();
    provenance.truncate(200);
    assert!(String::from_utf8(provenance).unwrap().contains("\"command\":\"export\""));
}

/// The Python code in `datasets/formats.md` must compute the expected values from exported arrays.
#[test]
fn numpy_evaluates_from_the_arrays() {
    let folder = Folder::new();
    let formats = Path::new(env!("CARGO_MANIFEST_DIR")).join("../datasets/formats.md");
    let formats = std::fs::read_to_string(formats).unwrap();
    let code = formats.split("```python\n").nth(1).and_then(|rest| rest.split("```").next());
    // The Python code cannot pass; in the first 120 boards, the side to move need not pass.
    let check = "\nimport sys\nboards, values = open(sys.argv[2]), open(sys.argv[3])\n\
        for line, stated in list(zip(boards, values))[:120]:\n\
        \x20   side = 1 if line[65] == 'X' else -1\n\
        \x20   board = np.array([{'X': side, 'O': -side, '-': 0}[c] for c in line[:64]])\n\
        \x20   assert value(board) == int(stated), (line, value(board))\n\
        print('equal')\n";
    let program = code.unwrap().replace("\"first.npz\"", "sys.argv[1]") + check;
    let readers = Path::new(env!("CARGO_MANIFEST_DIR")).join("../datasets/readers");
    for (weights, values) in VALUED {
        folder.runs(&export(weights, "weights.npz --force"));
        let Some(mut python) = program::python("import numpy") else {
            skip!("no Python with numpy; set PYTHON");
        };
        let output = python
            .env("PYTHONPATH", &readers)
            .args(["-c", &format!("import sys\n{program}")])
            .args([&folder.path("weights.npz"), &vectors("boards.txt"), &vectors(values)])
            .output()
            .unwrap();
        let stdout = String::from_utf8_lossy(&output.stdout);
        assert_eq!(stdout.trim(), "equal", "{}", String::from_utf8_lossy(&output.stderr));
    }
}

/// A C program must compute the expected values with the exported header `weights.h`, also move by
/// move, and with `other.h` and `weights.raw`. A regression: the C compiler skipped the second
/// header.
#[test]
fn a_program_in_c_evaluates_boards_by_exported_files_alone() {
    let shared = ("conformance.weights", "");
    for (weights, values) in VALUED.into_iter().chain([shared]) {
        let folder = Folder::new();
        let mut weights = vectors(weights);
        let mut expected = std::fs::read_to_string(vectors(values)).unwrap_or_default();
        if values.is_empty() {
            let quantize = format!("quantize {} --share-phases 7", weights.display());
            folder.runs(&format!("{quantize} --label-error 0 --out shared.weights"));
            weights = folder.path("shared.weights");
            expected = values_of_boards(&weights);
        }
        for (format, name) in
            [("raw", "weights.raw"), ("c", "weights.h"), ("c", "x.h --prefix other")]
        {
            let export = format!("export {} --format {format} --out {name}", weights.display());
            folder.runs(&export);
        }
        std::fs::rename(folder.path("x.h"), folder.path("other.h")).unwrap();
        folder.write("values.c", include_str!("values.c"));
        let compiled = Command::new("cc")
            .args(["-std=c11", "-O1", "-Wall", "-Wextra", "-Werror", "-Wno-unused-const-variable"])
            .args(["-fsanitize=address,undefined", r#"-DWEIGHTS_FILE="weights.raw""#])
            .args(["values.c", "-o", "values"])
            .current_dir(folder.at())
            .output();
        let Ok(compiled) = compiled else { skip!("no C compiler `cc`") };
        assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
        let valued = Command::new(folder.path("values"))
            .arg(folder.path("weights.raw"))
            .arg(vectors("boards.txt"))
            .output();
        let printed = String::from_utf8(valued.unwrap().stdout).unwrap();
        assert_eq!(printed, expected, "{}", weights.display());
        if values.is_empty() {
            let words = folder.read("weights.raw").len() / 2;
            let file = Weights::read(&weights).unwrap().weights;
            let of_phase: usize = file.geometry().patterns.iter().map(|it| it.class_of.len()).sum();
            let of_phase = of_phase + Scalar::VALUES * file.set().scalars().len();
            assert_eq!(words, 60_usize.div_ceil(7) * of_phase);
        }
    }
}

/// A fit to exported positions must equal the fit to their games: each position stores the subset
/// (training, validation or test) of its game. Other sample weights or subsets must change the fit.
#[test]
fn positions_come_back_from_arrays_with_the_same_fit() {
    let folder = Folder::with_random_games(0..150);
    folder.runs("export a.games --format npz --seed 5 --out a.npz");
    let report = folder.json("import positions a.npz --format npz --out a.positions");
    assert_eq!(report["rejected"], 0);
    let fit = |data: &str, seed: u64| {
        let out = format!("{data}-{seed}.weights");
        let how = "--patterns discs --optimizer lsq --epochs 2 --phases 30..31 --window 0";
        let report = folder.json(&format!("fit {data} --seed {seed} {how} --out {out}"));
        let (made, mae) =
            (Weights::read(&folder.path(&out)).unwrap().weights, &report["validation_mae"]);
        (made.all_steps().to_owned(), made.all_counts().to_owned(), mae.clone())
    };
    let whole = fit("a.games", 5);
    assert_eq!(fit("a.positions", 5), whole);
    assert_eq!(fit("a.positions", 6), whole, "the stated subsets hold for every seed");
    folder.runs("shuffle a.positions --out mixed.positions");
    folder.runs("split mixed.positions --out some");
    folder.runs("merge some.training.positions some.test.positions some.validation.positions --out b.positions");
    assert_eq!(fit("b.positions", 5), whole);
    // If the arrays state no subsets, all positions of a game must still be in one subset.
    let [mut weighted, mut drawn] = ["weighted.npz", "drawn.npz"]
        .map(|name| NpzWriter::new(File::create(folder.path(name)).unwrap()));
    let mut npz = NpzReader::new(File::open(folder.path("a.npz")).unwrap()).unwrap();
    for name in ["player", "opponent", "game"] {
        let array: Array1<u64> = npz.by_name(name).unwrap();
        weighted.add_array(name, &array).unwrap();
        drawn.add_array(name, &array).unwrap();
    }
    let label: Array1<f32> = npz.by_name("label").unwrap();
    drawn.add_array("label", &label).unwrap();
    weighted.add_array("weight", &label.mapv(|label| if label > 0.0 { 2.0 } else { 0.5 })).unwrap();
    weighted.add_array("label", &label).unwrap();
    weighted.add_array("subset", &npz.by_name::<OwnedRepr<u8>, Ix1>("subset").unwrap()).unwrap();
    weighted.finish().unwrap();
    drawn.finish().unwrap();
    for name in ["weighted", "drawn"] {
        folder.runs(&format!("import positions {name}.npz --format npz --out {name}.positions"));
        assert_ne!(fit(&format!("{name}.positions"), 5), whole);
    }
    let settings = StreamSettings {
        layout: LayoutSettings::new(LabelRules::default(), Split::new(9)),
        subset: None,
        phases: Phases::default().0,
        shuffled: 0,
        seed: 0,
    };
    let data = [DataChoice { path: folder.path("drawn.positions"), weight: 1.0 }];
    let rows = PositionStream::open(&data, settings).unwrap().next_batch(1 << 20, &Silent).unwrap();
    let subsets: BTreeSet<(u64, u8)> =
        rows.iter().map(|row| (row.game, row.subset as u8)).collect();
    let games: BTreeSet<u64> = rows.iter().map(|row| row.game).collect();
    assert_eq!((games.len(), subsets.len()), (150, 150));
    assert!((1..3).all(|subset| subsets.iter().any(|&(_, own)| own == subset)));
}

/// Returns the lines that the C program must print: values of boards in steps of 1/32 disc.
fn values_of_boards(weights: &Path) -> String {
    let evaluator = Evaluator::load(&WeightsChoice::File(weights.into())).unwrap();
    let boards = std::fs::read_to_string(vectors("boards.txt")).unwrap();
    let values = boards.lines().map(|line| {
        let position = line.parse::<StatedPosition>().unwrap().position;
        format!("{}\n", evaluator.value_of(&position).steps())
    });
    values.collect()
}
