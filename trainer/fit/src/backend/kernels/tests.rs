//! Compares the results of the kernels, run on the CPU, with those of the reference, `Cpu`, bit by
//! bit. `cuda` runs the same checks on a GPU, if there is one.

mod cuda;
mod factors;
mod solve;

use std::collections::BTreeMap;
use std::fs;
use std::sync::{Mutex, OnceLock};

use othello_engine::board::{PHASES, Phase, Position};
use othello_engine::eval::Mobility;
use othello_engine::file::Existing;
use othello_engine::pattern::PatternSet;
use othello_engine::progress::Silent;
use othello_engine::random::Generator;
use othello_engine::record::{GameReader, Label, ScoredPosition, Weight};
use othello_engine::selfplay::{PerSide, Run, Settings, play_games};
use othello_kernels::Limits;
use othello_kernels::host::HostLauncher;

use super::*;
use crate::backend::{Cpu, MAX_TOTAL_WEIGHT};
use crate::dataset::{Dataset, DatasetBuilder, Split, Subset};
use crate::source::LabelRules;

struct Bench<'m, L: Launcher> {
    cpu: Cpu<'m>,
    kernels: KernelBackend<'m, L>,
}

pub(crate) trait Bring: Launcher + Sized {
    fn bring(program: &Program, limits: Option<Limits>) -> Self;
}

static BUILT: Mutex<BTreeMap<String, Arc<OnceLock<Vec<u8>>>>> = Mutex::new(BTreeMap::new());

/// Loads a new copy of the compiled program, so that parallel tests share no static variables.
fn load(program: &Program) -> HostLauncher {
    let built = Arc::clone(BUILT.lock().unwrap().entry(program.sha256()).or_default());
    let folder = tempfile::tempdir().unwrap();
    let library = folder.path().join("kernels.so");
    let built = built.get_or_init(|| {
        HostLauncher::build(program, &library).unwrap();
        fs::read(&library).unwrap()
    });
    fs::write(&library, built).unwrap();
    HostLauncher::load(&library).unwrap()
}

impl Bring for HostLauncher {
    fn bring(program: &Program, limits: Option<Limits>) -> Self {
        let mut launcher = load(program);
        launcher.limits = limits.unwrap_or(launcher.limits);
        launcher
    }
}

/// The limits of a device so small that even the work of a test must be divided into several
/// launches.
pub(crate) const NARROW: Limits = Limits {
    blocks: 3,
    chunk_rows: 100,
    resident_bytes: 2000,
    vector_bytes: 1,
    memory_bandwidth: None,
};

pub(crate) fn model(name: &str) -> Model {
    Model::new(PatternSet::shipped(name).unwrap())
}

impl<'m, L: Bring> Bench<'m, L> {
    fn new(model: &'m Model, limits: Option<Limits>) -> Self {
        Self::of(model, &program(model), limits)
    }

    fn of(model: &'m Model, program: &Program, limits: Option<Limits>) -> Self {
        let kernels = KernelBackend::new(model, L::bring(program, limits));
        Self { cpu: Cpu::new(model), kernels }
    }

    fn differences(&self, rows: &[Rows<'_>], weights: &[f64]) -> Vec<&'static str> {
        let one = sums(&self.cpu, rows, weights);
        let two = sums(&self.kernels, rows, weights);
        let names = ["labels", "zeros", "batch", "occurrences"].into_iter();
        let different = names.zip(one.0.iter().zip(&two.0)).filter(|(_, (one, two))| one != two);
        let mut found: Vec<&str> = different.map(|(name, _)| name).collect();
        found.extend((one.1 != two.1).then_some("squares"));
        found.extend((one.2 != two.2).then_some("errors"));
        found
    }
}

type Sums = ([Vec<i64>; 4], [u128; 3], Errors);

fn sums<B: Backend>(backend: &B, rows: &[Rows<'_>], weights: &[f64]) -> Sums {
    let positions = backend.positions(rows).unwrap();
    let reals = backend.upload(weights).unwrap();
    let mut fixed = backend.zero_fixed().unwrap();
    backend.round_weights(&reals, &mut fixed).unwrap();
    let mut sums = backend.zero_sums().unwrap();
    let mut residuals = |batch, target| {
        let mut squares = backend.zero_squares().unwrap();
        let (sums, squares) = (&mut sums, &mut squares);
        backend.residual_sums(&positions, batch, &fixed, target, sums, squares).unwrap();
        (backend.download_sums(sums).unwrap(), backend.squared(squares).unwrap())
    };
    let (labels, labels_squared) = residuals(Batch::WHOLE, Target::Label);
    let (zeros, zeros_squared) = residuals(Batch::WHOLE, Target::Zero);
    let (batch, batch_squared) = residuals(Batch::new(1, 3).unwrap(), Target::Label);
    backend.occurrences(&positions, &mut sums).unwrap();
    let occurrences = backend.download_sums(&sums).unwrap();
    let errors = backend.errors(&positions, &fixed).unwrap();
    let squares = [labels_squared, zeros_squared, batch_squared];
    ([labels, zeros, batch, occurrences], squares, errors)
}

fn random_weights(model: &Model, size: f64, seed: u64) -> Vec<f64> {
    let mut random = Generator::new(seed);
    let mut weight = || (f64::from(random.below(1 << 20)) / f64::from(1 << 19) - 1.0) * size;
    (0..model.parameters()).map(|_| weight()).collect()
}

fn self_play() -> Dataset {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.games");
    let random_plies = "1..=12".parse().unwrap();
    let run = Run::whole(Settings::new(5, random_plies, 1, 4), 300);
    play_games(&path, &run, PerSide::both(&Mobility), Existing::Keep, &Silent).unwrap();
    let split = Split { seed: 1, ..Split::none() };
    let mut dataset = DatasetBuilder::new(LabelRules::default(), split);
    let mut games = GameReader::open(&path).unwrap();
    while let Some(games) = games.next_frame().unwrap() {
        dataset.add_games(&games, 1.0);
    }
    let start = ScoredPosition::new(Position::START, Label::of_score(-2).unwrap(), Weight::ONE);
    dataset.add_positions(&[start], 1.0, true);
    dataset.finish()
}

fn all_phases_of_self_play_give_the_same_sums<L: Bring>() {
    let dataset = self_play();
    let phases: Vec<&[ScoredPosition]> = Phase::all().map(|p| dataset.training(p)).collect();
    let missing: Vec<usize> = (0..PHASES).filter(|&p| phases[p].is_empty()).collect();
    assert!(missing.is_empty(), "phases without positions: {missing:?}");
    assert!(phases.iter().flat_map(|rows| *rows).any(|row| row.weight().steps() > 64), "merged");
    eprintln!("{} positions in {PHASES} phases", dataset.len(Subset::Training));
    let standard = model("standard");
    eprintln!("standard: program sha256 {}", program(&standard).sha256());
    let bench = Bench::<L>::new(&standard, None);
    for (number, rows) in phases.iter().enumerate() {
        let factor = [256, 128, 77][number % 3];
        let near = phases[(number + 1) % phases.len()];
        let window = [Rows::full(rows), Rows { positions: near, factor }];
        let different = bench.differences(&window, &random_weights(&standard, 4.0, number as u64));
        assert!(different.is_empty(), "phase {number}: {different:?}");
    }
    for name in ["small", "scalars"] {
        let model = model(name);
        let bench = Bench::<L>::new(&model, None);
        for (number, phases) in phases.chunks(20).enumerate() {
            let rows = phases.concat();
            let weights = random_weights(&model, 4.0, number as u64);
            let different = bench.differences(&[Rows { positions: &rows, factor: 200 }], &weights);
            assert!(different.is_empty(), "{name}, part {number} of the phases: {different:?}");
        }
    }
}

fn random_rows(count: usize, seed: u64) -> Vec<ScoredPosition> {
    let mut random = Generator::new(seed);
    let mut bits = || u64::from(random.below(u32::MAX)) << 32 | u64::from(random.below(u32::MAX));
    let mut rows = vec![];
    while rows.len() < count {
        let (discs, player) = (bits() | bits(), bits());
        let label = Label::new((bits() % 32769) as i16 - 16384);
        let weight = Weight::new((bits() % 65536) as u16);
        let position = Position::new(discs & player, discs & !player);
        if let (Some(position), Some(label), Some(weight)) = (position, label, weight) {
            rows.push(ScoredPosition::new(position, label, weight));
        }
    }
    rows
}

fn awkward_numbers_of_rows_give_the_same_sums<L: Bring>() {
    let model = model("small");
    let weights = random_weights(&model, 64.0, 9);
    for limits in [None, Some(NARROW)] {
        let bench = Bench::<L>::new(&model, limits);
        for count in [0, 1, 31, 32, 33, 99, 100, 101, 127, 128, 129, 513, 1025] {
            let (rows, others) = (random_rows(count, 1), random_rows(7, 2));
            let runs = [
                Rows::full(&rows),
                Rows { positions: &others, factor: 3 },
                Rows { positions: &rows, factor: 0 },
            ];
            let different = bench.differences(&runs, &weights);
            assert!(different.is_empty(), "{limits:?} {count} rows: {different:?}");
        }
    }
}

/// Sums of weight · residual over positions, as close to 2⁶³ as [`MAX_TOTAL_WEIGHT`] allows, must
/// not overflow.
fn sums_at_the_bound_are_exact<L: Bring>() {
    let model = model("standard");
    let weight = Weight::new(u16::MAX).unwrap();
    let count = (MAX_TOTAL_WEIGHT / u64::from(u16::MAX)) as usize;
    let label = Label::of_score(-64).unwrap();
    let rows = vec![ScoredPosition::new(Position::START, label, weight); count];
    let weights = vec![64.0; model.parameters()];
    let bench = Bench::<L>::new(&model, None);
    let different = bench.differences(&[Rows::full(&rows)], &weights);
    assert!(different.is_empty(), "{different:?}");
    let (sums, ..) = sums(&bench.kernels, &[Rows::full(&rows)], &weights);
    let largest = sums[0].iter().map(|sum| sum.unsigned_abs()).max().unwrap();
    assert!(largest > 1 << 57, "{largest}");
}

fn awkward_numbers(model: &Model, seed: u64) -> Vec<f64> {
    let special = [0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, f64::MIN_POSITIVE / 8.0, 1e300];
    let mut numbers = random_weights(model, 3.0, seed);
    for (place, number) in numbers.iter_mut().enumerate() {
        match place % 50 {
            0..6 => *number = special[place % 50],
            more => *number *= f64::from(1 << (more % 29)),
        }
    }
    numbers
}

fn bits(numbers: &[f64]) -> Vec<u64> {
    let known = |number: &f64| if number.is_nan() { f64::NAN } else { *number };
    numbers.iter().map(|number| known(number).to_bits()).collect()
}

fn vectors<B: Backend>(backend: &B, inputs: [&[f64]; 3], step: &AdamStep) -> Vec<Vec<u64>> {
    let [mut one, mut two, mut three] = inputs.map(|input| backend.upload(input).unwrap());
    let mut fixed = backend.zero_fixed().unwrap();
    let sums = {
        let rows = random_rows(300, 4);
        let positions = backend.positions(&[Rows::full(&rows)]).unwrap();
        let (mut sums, squares) =
            (backend.zero_sums().unwrap(), &mut backend.zero_squares().unwrap());
        let (batch, target) = (Batch::WHOLE, Target::Label);
        backend.residual_sums(&positions, batch, &fixed, target, &mut sums, squares).unwrap();
        sums
    };
    let mut found = vec![];
    let mut keep = |vector: &B::Reals| found.push(bits(&backend.download(vector).unwrap()));
    backend.add_scaled(&mut one, 1.0 / 3.0, &two).unwrap();
    keep(&one);
    backend.scale_and_add(&mut one, -0.7, &three).unwrap();
    keep(&one);
    backend.divide(&one, &three, &mut two).unwrap();
    keep(&two);
    backend.scale_sums(&sums, 1.0 / 65536.0 / 3.0, &mut three).unwrap();
    keep(&three);
    let scalars = [
        backend.dot(&three, &three).unwrap(),
        backend.dot(&one, &three).unwrap(),
        backend.max_abs(&three).unwrap(),
        backend.max_abs(&two).unwrap(),
    ];
    backend.copy(&three, &mut two).unwrap();
    backend.round_direction(&mut two, 0.5, &mut fixed).unwrap();
    keep(&two);
    let (first, second) = (backend.upload(inputs[2]).unwrap(), backend.upload(inputs[1]).unwrap());
    let mut moments = Moments { weights: three, first, second };
    let initial = backend.upload(inputs[0]).unwrap();
    backend.adam(&sums, &initial, step, &mut moments, &mut fixed).unwrap();
    backend.adam(&sums, &initial, step, &mut moments, &mut fixed).unwrap();
    [&moments.weights, &moments.first, &moments.second].into_iter().for_each(&mut keep);
    found.push(bits(&scalars));
    // Rounded weights cannot be downloaded, so the errors of evaluations with them are compared.
    let rows = random_rows(500, 6);
    let positions = backend.positions(&[Rows::full(&rows)]).unwrap();
    let errors = backend.errors(&positions, &fixed).unwrap();
    found.push(vec![errors.mse().unwrap().to_bits(), errors.mae().unwrap().to_bits()]);
    found
}

const STEP: AdamStep = AdamStep {
    unit: 1.0 / 65536.0 / 7.0,
    ridge: 0.01,
    keep_first: 0.9,
    take_first: 0.1,
    keep_second: 0.999,
    take_second: 0.001,
    rate: 0.3,
    correction: 1.0 / 0.271,
    epsilon: 1e-8,
};

fn vectors_are_computed_alike_to_the_bit<L: Bring>() {
    for name in ["standard", "small", "discs"] {
        let model = model(name);
        let bench = Bench::<L>::new(&model, None);
        let plain = [1, 2, 3].map(|seed| random_weights(&model, 3.0, seed));
        let awkward = [1, 2, 3].map(|seed| awkward_numbers(&model, seed));
        for [one, two, three] in [&plain, &awkward] {
            let inputs = [&one[..], two, three];
            let expected = vectors(&bench.cpu, inputs, &STEP);
            let found = vectors(&bench.kernels, inputs, &STEP);
            let different = (0..expected.len()).filter(|&n| expected[n] != found[n]);
            assert_eq!(different.collect::<Vec<_>>(), [0usize; 0], "{name}");
        }
    }
}

fn all_is_computed_alike<L: Bring>() {
    all_phases_of_self_play_give_the_same_sums::<L>();
    awkward_numbers_of_rows_give_the_same_sums::<L>();
    sums_at_the_bound_are_exact::<L>();
    vectors_are_computed_alike_to_the_bit::<L>();
    factors::weights_and_factors_give_the_same_sums::<L>();
    solve::scores_are_those_of_the_engine::<L>();
}

#[test]
fn the_host_run_kernels_compute_what_the_cpu_computes() {
    all_is_computed_alike::<HostLauncher>();
}

#[test]
fn a_changed_constant_in_a_source_is_found() {
    let model = model("small");
    let unchanged = program(&model);
    let rows = random_rows(300, 7);
    let runs = [Rows::full(&rows[..200]), Rows { positions: &rows[200..], factor: 100 }];
    let weights = random_weights(&model, 8.0, 8);
    let inputs = [1, 2, 3].map(|seed| random_weights(&model, 3.0, seed));
    let inputs = [&inputs[0][..], &inputs[1], &inputs[2]];
    let expected = vectors(&Cpu::new(&model), inputs, &STEP);
    for (from, to) in [
        ("RESIDUAL_SHIFT 8", "RESIDUAL_SHIFT 7"),
        ("(64 << 18)", "(63 << 18)"),
        ("WEIGHTS_PER_LABEL (1 << 10)", "WEIGHTS_PER_LABEL (1 << 9)"),
        ("FACTOR_SHIFT 8", "FACTOR_SHIFT 9"),
        ("0x00204081u", "0x00204080u"),
        ("term >> 32", "term >> 31"),
        ("WEIGHTS_PER_DISC 262144.0", "WEIGHTS_PER_DISC 262143.0"),
        ("DOT_CHUNK 4096", "DOT_CHUNK 2048"),
        ("term & 0xFFFFFFFFu", "term & 0x7FFFFFFFu"),
    ] {
        let changed = unchanged.with(from, to);
        assert_ne!(changed.sha256(), unchanged.sha256(), "{from} does not stand in the sources");
        let bench = Bench::<HostLauncher>::of(&model, &changed, Some(NARROW));
        let found = !bench.differences(&runs, &weights).is_empty()
            || vectors(&bench.kernels, inputs, &STEP) != expected;
        assert!(found, "nobody notices {to}");
    }
}

/// Not a test: runs a faulty kernel. `scripts/check-long.sh` checks that AddressSanitizer stops it.
#[test]
#[ignore = "reads memory that is not its own"]
fn a_kernel_that_reads_past_its_rows() {
    let model = model("small");
    let changed = program(&model).with("at < count;", "at <= count;");
    let bench = Bench::<HostLauncher>::of(&model, &changed, None);
    let rows = random_rows(100, 7);
    sums(&bench.kernels, &[Rows::full(&rows)], &random_weights(&model, 8.0, 8));
}
