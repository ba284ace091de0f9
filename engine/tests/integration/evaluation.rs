//! Tests of the evaluation: all images of a position have the same value, indices do not depend on
//! earlier moves, and each phase has one set of weights.

use othello_engine::board::transcript::Step;
use othello_engine::board::{Phase, Position, Side, Symmetry};
use othello_engine::eval::{
    Evaluate, MAX_STEPS, Models, MoveOrderingWeights, Realization, Tables, Value, Weights,
};
use othello_engine::file::{Existing, Kind, Provenance, Reader, Section};
use othello_engine::pattern::{Geometry, MAX_SQUARES, PatternSet};
use othello_engine::random::{Generator, random_game};
use othello_testing::records;

fn random_weights(set: PatternSet, seed: u64) -> Weights {
    let mut weights = Weights::zero(set);
    for phase in Phase::all() {
        let mut random = Generator::split(seed, phase.index() as u64);
        let parameters = 0..weights.geometry().parameters();
        let steps: Vec<i16> = parameters.map(|_| random.below(301) as i16 - 150).collect();
        weights.set_steps(phase, |parameter| steps[parameter]);
    }
    weights
}

/// Draws a pattern set of random patterns with any squares, up to the greatest number of instances.
fn random_set(random: &mut Generator) -> PatternSet {
    let mut text = String::from("name = \"random\"\nscalars = [\"player_discs\"]\n");
    let mut set = PatternSet::from_toml(&text).unwrap();
    for _ in 0..12 {
        let mut squares: Vec<u32> = (0..64).collect();
        random.shuffle(&mut squares);
        squares.truncate(1 + random.below(MAX_SQUARES as u32) as usize);
        let name =
            |square: &u32| format!("{}{}", (b'a' + *square as u8 % 8) as char, square / 8 + 1);
        let names: Vec<String> = squares.iter().map(name).collect();
        text.push_str(&format!("[[pattern]]\nsquares = \"{}\"\n", names.join(" ")));
        match PatternSet::from_toml(&text) {
            Ok(larger) => set = larger,
            Err(_) => break,
        }
    }
    set
}

fn random_positions() -> impl Iterator<Item = Position> {
    let steps = (0..).flat_map(|game| random_game(5, game, usize::MAX).steps);
    steps.map(|step| step.position)
}

fn all_sets() -> Vec<PatternSet> {
    let mut random = Generator::new(11);
    let mut sets: Vec<PatternSet> = (0..4).map(|_| random_set(&mut random)).collect();
    sets.extend(["standard", "small", "scalars"].map(|name| PatternSet::shipped(name).unwrap()));
    sets
}

#[test]
fn indices_along_a_thousand_games_with_passes_are_those_computed_from_scratch() {
    for set in ["standard", "small", "scalars"] {
        let tables = Tables::new(&Weights::zero(PatternSet::shipped(set).unwrap()));
        let mut passes = 0;
        for game in 0..1000 {
            let (mut state, mut mover) = (tables.state(&Position::START), Side::Black);
            for Step { position, side, square } in random_game(6, game, usize::MAX).steps {
                if side != mover {
                    state = tables.pass(&state);
                    passes += 1;
                }
                assert_eq!(state, tables.state(&position));
                (state, mover) =
                    (tables.after(&state, square, position.flips(square)), side.other());
            }
        }
        assert!(passes > 100, "only {passes} passes met");
    }
}

/// By definition, the value is the sum of the weights of a position's parameters.
#[test]
fn ten_thousand_positions_and_their_seven_images_have_the_same_value_by_definition() {
    for (number, set) in all_sets().into_iter().enumerate() {
        let weights = random_weights(set, number as u64);
        let tables = Tables::new(&weights);
        for (checked, position) in random_positions().take(10_000).enumerate() {
            let value = |p: &Position| tables.value(&tables.state(p), p);
            let images: Vec<Value> =
                Symmetry::all().map(|symmetry| value(&position.image(symmetry))).collect();
            assert_eq!(images, [images[0]; 8], "{position:?}");
            // The computation by definition is slow, so it covers only some positions.
            if checked < 1_200 {
                let parameters = weights.geometry().parameters_of(&position);
                let steps = weights.steps(Phase::of(&position).unwrap());
                let sum: i32 = parameters.map(|parameter| i32::from(steps[parameter])).sum();
                assert_eq!(images[0].steps(), sum.clamp(-2048, 2048), "{position:?}");
            }
        }
    }
}

#[test]
fn zeroing_one_phase_changes_values_at_that_ply_only() {
    let weights = random_weights(PatternSet::shipped("standard").unwrap(), 1);
    let mut without = weights.clone();
    without.set_steps(Phase::new(30).unwrap(), |_| i16::MIN);
    assert_eq!(without.steps(Phase::new(30).unwrap())[0], -MAX_STEPS);
    without.set_steps(Phase::new(30).unwrap(), |_| 0);
    let (tables, tables_without) = (Tables::new(&weights), Tables::new(&without));
    for position in random_positions().take(3_000) {
        let value = |t: &Tables| t.value(&t.state(&position), &position);
        if position.ply() == 30 {
            assert_eq!(value(&tables_without), Value::ZERO);
        } else {
            assert_eq!(value(&tables), value(&tables_without));
        }
    }
}

fn with_move_ordering() -> Weights {
    let set = PatternSet::shipped("ordering").unwrap();
    let mut random = Generator::new(9);
    let steps = (0..Geometry::new(&set).parameters()).map(|_| random.below(301) as i16 - 150);
    let ordering = MoveOrderingWeights::new(set, 60, steps.collect()).unwrap();
    random_weights(PatternSet::shipped("discs").unwrap(), 1).with_move_ordering(Some(ordering))
}

#[test]
fn a_move_ordering_evaluation_travels_with_the_weights_and_changes_no_value() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ordered.weights");
    let weights = with_move_ordering();
    weights.write(&path, &Provenance::new("test"), Existing::Keep).unwrap();
    let read = Weights::read(&path).unwrap().weights;
    assert_eq!(read.move_ordering(), weights.move_ordering());
    let (with, without) = (Tables::new(&read), Tables::new(&read.clone().with_move_ordering(None)));
    assert!(with.move_ordering().is_some() && without.move_ordering().is_none());
    for position in random_positions().take(60) {
        let value = |tables: &Tables| tables.value(&tables.state(&position), &position);
        assert_eq!(value(&with), value(&without));
    }
}

#[test]
fn a_move_ordering_evaluation_that_does_not_fit_is_refused() {
    let steps = |count: usize| vec![0; count];
    let new = |name: &str, strength, steps| {
        MoveOrderingWeights::new(PatternSet::shipped(name).unwrap(), strength, steps).unwrap_err()
    };
    assert!(new("small", 1, steps(1)).contains("scalars"));
    assert!(new("ordering", -1, steps(1)).contains("the strength is -1"));
    assert!(new("ordering", 1, steps(1)).contains("has 1 weights; the pattern set has"));
    let set = PatternSet::shipped("ordering").unwrap();
    let mut far = steps(Geometry::new(&set).parameters());
    far[7] = 4096;
    assert!(new("ordering", 1, far).contains("weight 7 is 4096"));

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bad.weights");
    const SET: &[u8] = b"name = \"n\"\n[[pattern]]\nsquares = \"a1\"";
    let sections = |sections: &[(&str, &[u8])]| {
        let all = [&[("pattern set", SET)], sections].concat();
        let section = |(name, content): (&str, &[u8])| Section {
            name: name.to_owned(),
            content: content.to_vec(),
        };
        let sections = all.into_iter().map(section);
        records::write_sections(&path, Kind::Weights, &Provenance::new("test"), sections);
        Weights::read(&path).unwrap_err().to_string()
    };
    let (set, weights) = ("ordering pattern set", "ordering weights");
    let error = sections(&[(weights, &[0, 0])]);
    assert!(error.contains("`ordering weights`: stands before `ordering pattern set`"), "{error}");
    let error = sections(&[(set, SET), (set, SET)]);
    assert!(error.contains("`ordering pattern set`: occurs twice"), "{error}");
    let error = sections(&[(set, b"\xFF"), (weights, &[0, 0])]);
    assert!(error.contains("not text in UTF-8"), "{error}");
    let error = sections(&[(set, SET), (weights, &[0])]);
    assert!(error.contains("bad.weights: section `ordering weights`: has 1 bytes"), "{error}");
}

#[test]
fn how_likely_moves_are_travels_with_the_weights() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("likely.weights");
    let probability = |place: usize| (1 + place * 37 % 1000) as f64 / 1000.0;
    let all: Vec<f64> = (0..Realization::COUNT).map(probability).collect();
    let realization = Realization::new(&all).unwrap();
    let weights = random_weights(PatternSet::shipped("discs").unwrap(), 1);
    let models = Models { realization: Some(realization.clone()), ..Models::NONE };
    let weights = weights.with_models(models);
    weights.write(&path, &Provenance::new("test"), Existing::Keep).unwrap();
    let read = Weights::read(&path).unwrap().weights;
    assert_eq!(read.models().realization, Some(realization.clone()));
    assert_eq!(Tables::new(&read).models().realization, Some(realization));
    // The section's first bytes are its version.
    let mut sections: Vec<Section> =
        Reader::open(&path, Kind::Weights).unwrap().map(Result::unwrap).collect();
    sections.iter_mut().find(|section| section.name == "realization").unwrap().content[0] = 2;
    let later = folder.path().join("later.weights");
    records::write_sections(&later, Kind::Weights, &Provenance::new("test"), sections);
    let error = Weights::read(&later).unwrap_err().to_string();
    let expected = "later.weights: section `realization`: is of version 2; this program reads 1";
    assert!(error.contains(expected), "{error}");
}
