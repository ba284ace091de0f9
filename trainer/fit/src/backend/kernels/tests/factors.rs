//! Compares the kernels that fit weights and factors with the CPU implementation, bit by bit.

use othello_engine::pattern::FactorShape;

use super::*;

fn factor_model(set: &str, dimensions: usize) -> Model {
    let set = PatternSet::shipped(set).unwrap();
    Model::new(set.with_factors(FactorShape::new(dimensions, 60)))
}

fn group_of_rows(model: &Model, rows: &[Vec<ScoredPosition>; 2]) -> Group {
    // All phases up to the last with rows: a lane of a team has phases n and n + 32.
    let last = rows.iter().filter_map(|rows| Phase::of(&rows[0].position())).max().unwrap();
    let phases: Vec<Phase> = Phase::all().filter(|&phase| phase <= last).collect();
    let occurrences = |rows: &[ScoredPosition]| {
        let mut sums = vec![0; model.parameters()];
        let rows = vec![Rows::full(rows)];
        Cpu::new(model).occurrences(&rows, &mut sums).unwrap();
        sums
    };
    let [one, other] = rows.each_ref().map(|rows| occurrences(rows));
    Group::new(model, &phases, &one, &other).unwrap()
}

fn joint<B: Backend>(backend: &B, group: &Group, rows: &[Rows<'_>], size: f64) -> Found {
    let backend = &backend.of_group(group).unwrap();
    let positions = backend.positions(rows).unwrap();
    let vector = |size: f64, seed| {
        let mut random = Generator::new(seed);
        let mut number = || (f64::from(random.below(1 << 20)) / f64::from(1 << 19) - 1.0) * size;
        let mut vector: Vec<f64> = (0..group.length()).map(|_| number()).collect();
        vector[group.factors()].iter_mut().for_each(|factor| *factor *= 0.1);
        backend.upload(&vector).unwrap()
    };
    let mut fixed = backend.zero_fixed().unwrap();
    let initial = vector(size, 1);
    backend.round_weights(&initial, &mut fixed).unwrap();
    let mut moments =
        Moments { weights: vector(size, 1), first: vector(0.1, 2), second: vector(0.0, 3) };
    let mut found = Found::default();
    let (mut scratch, squares) = (backend.scratch().unwrap(), &mut backend.zero_squares().unwrap());
    for batch in [Batch::WHOLE, Batch::new(1, 3).unwrap(), Batch::WHOLE] {
        found.errors.push(backend.errors(&positions, &fixed).unwrap());
        let (moments, fixed) = (&mut moments, &mut fixed);
        let update = GroupUpdate { step: &STEP, initial: &initial, moments, fixed, squares };
        backend.descend(&positions, batch, update, &mut scratch).unwrap();
        found.squared.push(backend.squared(squares).unwrap());
        for vector in [&moments.weights, &moments.first, &moments.second] {
            found.vectors.push(bits(&backend.download(vector).unwrap()));
        }
    }
    found
}

#[derive(Default, PartialEq, Debug)]
struct Found {
    squared: Vec<u128>,
    errors: Vec<Errors>,
    vectors: Vec<Vec<u64>>,
}

/// The bounds s of random numbers in the tests: weights are between −s and s discs, factors between
/// −s/10 and s/10 √disc. The last s exceeds the allowed ranges: the kernels must clamp the numbers.
const SIZES: [f64; 3] = [1.0, 64.0, 1e6];

/// Returns a program in which a list of 8 or more positions (instead of 256) counts as long:
/// several teams of threads share a long list.
fn shared_lists(model: &Model) -> Program {
    program(model).with("LONG_LIST 256", "LONG_LIST 8")
}

pub(super) fn weights_and_factors_give_the_same_sums<L: Bring>() {
    let positions = crate::model::tests::random_positions(40);
    let row = |(number, position): (usize, &Position)| {
        let label = Label::new((number * 997 % 32769) as i16 - 16384).unwrap();
        ScoredPosition::new(*position, label, Weight::new(1 + number as u16).unwrap())
    };
    let rows = [30, 33].map(|phase| {
        let of_phase = positions.iter().filter(|p| Phase::of(p) == Phase::new(phase));
        of_phase.enumerate().map(row).collect::<Vec<_>>()
    });
    for (set, dimensions) in [("small", 8), ("small", 32), ("small", 128), ("scalars", 16)] {
        let model = factor_model(set, dimensions);
        let group = group_of_rows(&model, &rows);
        let [one, other] = rows.each_ref().map(|rows| &rows[..]);
        let rows = [Rows::full(one), Rows { positions: other, factor: 77 }];
        let all_expected = SIZES.map(|size| joint(&Cpu::new(&model), &group, &rows, size));
        for limits in [None, Some(NARROW)] {
            let program = if limits.is_some() { shared_lists(&model) } else { program(&model) };
            let bench = Bench::<L>::of(&model, &program, limits);
            for (size, expected) in SIZES.into_iter().zip(&all_expected) {
                let found = joint(&bench.kernels, &group, &rows, size);
                let setting = format!("{set}, {dimensions}, {limits:?}, {size}");
                assert_eq!(found.squared, expected.squared, "{setting}");
                assert_eq!(found.errors, expected.errors, "{setting}");
                for (vector, expected) in found.vectors.iter().zip(&expected.vectors) {
                    let differs = (0..vector.len()).find(|&at| vector[at] != expected[at]);
                    assert_eq!(differs, None, "{setting}, of {:?}", group.factors());
                }
            }
        }
    }
}

#[test]
fn a_changed_constant_in_the_kernels_of_factors_is_found() {
    let model = factor_model("small", 8);
    let rows = [random_rows(1, 1), random_rows(1, 2)];
    let phase_of = |row: &ScoredPosition| Phase::of(&row.position());
    let many = random_rows(3000, 3);
    let rows = rows.map(|first| {
        let of_phase = many.iter().filter(|row| phase_of(row) == phase_of(&first[0]));
        [&first[..], &of_phase.copied().collect::<Vec<_>>()].concat()
    });
    let group = group_of_rows(&model, &rows);
    let runs = rows.each_ref().map(|rows| Rows::full(rows));
    let unchanged = shared_lists(&model);
    assert_ne!(unchanged.sha256(), program(&model).sha256());
    let expected = SIZES.map(|size| joint(&Cpu::new(&model), &group, &runs, size));
    for (from, to) in [
        ("FACTOR_STEPS 65536.0", "FACTOR_STEPS 65535.0"),
        ("FACTOR_LIMIT 130048.0", "FACTOR_LIMIT 130047.0"),
        ("#define SQUARE_SHIFT 15", "#define SQUARE_SHIFT 14"),
        ("RESIDUAL_LIMIT (1 << 17)", "RESIDUAL_LIMIT (1 << 16)"),
        ("SUM_LIMIT (1 << 20)", "SUM_LIMIT (1 << 19)"),
        ("TERM_LIMIT 2147483647", "TERM_LIMIT 2147483"),
        ("(residuals >> FACTOR_BITS)", "(residuals >> 15)"),
        ("if (gradient.found[half] > 0)", "if (1)"),
        ("all > 0.0 && found > 0", "found > 0"),
        ("ridge * ((double)found / all)", "ridge * ((double)found / (1.0 + all))"),
        ("rounded_weight(weights[at]) - own,", "rounded_weight(weights[at]),"),
        ("at / FEATURE_ARRAY", "at / (FEATURE_ARRAY + 1)"),
        ("list->end = members + count", "list->end = members + 1"),
        ("is_long ? TEAMS : 1", "TEAMS"),
        ("own.phase == lane + half * TEAM ? times", "own.phase == lane ? times"),
        ("gradient->sums[element] = lane_sum(parts, gradient->sums[element]);", ";"),
        ("limited(*weight - own, OWN_WEIGHT_LIMIT)", "(*weight - own)"),
    ] {
        let changed = unchanged.with(from, to);
        assert_ne!(changed.sha256(), unchanged.sha256(), "{from} does not stand in the sources");
        let bench = Bench::<HostLauncher>::of(&model, &changed, None);
        let mut sizes = SIZES.into_iter().zip(&expected);
        let noticed =
            sizes.any(|(size, expected)| joint(&bench.kernels, &group, &runs, size) != *expected);
        assert!(noticed, "nobody notices {to}");
    }
}
