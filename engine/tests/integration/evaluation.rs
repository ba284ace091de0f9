use othello_engine::board::transcript::Step;
use othello_engine::board::{Phase, Position, Side};
use othello_engine::eval::{
    Evaluate, MAX_STEPS, MoveOrderingWeights, Realization, Tables, Weights,
};
use othello_engine::file::{Existing, Kind, Provenance, Section};
use othello_engine::pattern::{Geometry, PatternSet};
use othello_engine::random::{Generator, random_game};
use othello_testing::{records, scratch};

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

#[test]
fn a_move_ordering_evaluation_and_a_model_travel_with_the_weights_and_change_no_value() {
    let path = scratch::path("ordered.weights");
    let set = PatternSet::shipped("ordering").unwrap();
    let mut random = Generator::new(9);
    let steps = (0..Geometry::new(&set).parameters()).map(|_| random.below(301) as i16 - 150);
    let ordering = MoveOrderingWeights::new(set, 60, steps.collect()).unwrap();
    let probability = |place: usize| (1 + place * 37 % 1000) as f64 / 1000.0;
    let all: Vec<f64> = (0..Realization::COUNT).map(probability).collect();
    let realization = Some(Realization::new(&all).unwrap());
    let mut plain = Weights::zero(PatternSet::shipped("discs").unwrap());
    for phase in Phase::all() {
        plain.set_steps(phase, |parameter| (parameter * 37 + phase.index() * 11) as i16 % 150);
    }
    let first = Phase::new(0).unwrap();
    plain.set_steps(first, |_| i16::MIN);
    let mut weights = plain.clone();
    weights.ordering = Some(ordering);
    weights.models.realization.clone_from(&realization);
    weights.write(&path, &Provenance::new("test"), Existing::Keep).unwrap();
    let read = Weights::read(&path).unwrap().weights;
    assert_eq!(read.steps(first)[0], -MAX_STEPS);
    assert_eq!(read.ordering, weights.ordering);
    assert_eq!(read.models.realization, realization);
    let (with, without) = (Tables::new(&read), Tables::new(&plain));
    assert_eq!(with.models.realization, realization);
    assert!(with.ordering.is_some() && without.ordering.is_none());
    for Step { position, .. } in random_game(5, 0, usize::MAX).steps {
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

    let path = scratch::path("bad.weights");
    const SET: &[u8] = b"name = \"n\"\n[[pattern]]\nsquares = \"a1\"";
    let (set, weights) = ("ordering pattern set", "ordering weights");
    type Sections<'a> = &'a [(&'a str, &'a [u8])];
    let cases: [(Sections<'_>, &str); 4] = [
        (&[(weights, &[0, 0])], "`ordering weights`: stands before `ordering pattern set`"),
        (&[(set, SET), (set, SET)], "`ordering pattern set`: occurs twice"),
        (&[(set, b"\xFF"), (weights, &[0, 0])], "not text in UTF-8"),
        (&[(set, SET), (weights, &[0])], "bad.weights: section `ordering weights`: has 1 bytes"),
    ];
    for (sections, expected) in cases {
        let section = |&(name, content): &(&str, &[u8])| Section {
            name: name.to_owned(),
            content: content.to_vec(),
        };
        let sections = [("pattern set", SET)].iter().chain(sections).map(section);
        records::write_sections(&path, Kind::Weights, &Provenance::new("test"), sections);
        let error = Weights::read(&path).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}
