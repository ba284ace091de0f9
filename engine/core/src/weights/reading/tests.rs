use std::fs;

use super::ReadSections;
use crate::board::Phase;
use crate::file::{Existing, Kind, Reader, Section, sha256_of};
use crate::pattern::{FactorShape, PatternSet};
use crate::random::Generator;
use crate::tests::{Folder, provenance, section, write};
use crate::weights::{Counts, PackedWeights, PhaseSection, Weights, WeightsError, layout};

fn phase(number: usize) -> Phase {
    Phase::new(number).unwrap()
}

fn drawn() -> Weights {
    let shape = FactorShape::new(8, 30).unwrap();
    let set = PatternSet::from_toml(
        "name = \"t\"\nscalars = [\"player_discs\"]\n[[pattern]]\nsquares = \"b2 a1 c1\"\n\
        [[pattern]]\nsquares = \"d1 c2 b3 a4\"\n",
    );
    let mut weights = Weights::zero(set.unwrap().with_factors(Some(shape)));
    let mut random = Generator::new(3);
    let parameters = weights.geometry().parameters();
    let mut numbers =
        |count: usize| -> Vec<u32> { (0..count).map(|_| random.below(8191)).collect() };
    for phase in Phase::all() {
        let (steps, counts) = (numbers(parameters), numbers(parameters));
        weights.set_steps(phase, |parameter| steps[parameter] as i16 - 4095);
        // These counts cover the whole range of u32, so some changes between phases wrap around.
        weights.set_counts(phase, |parameter| counts[parameter].wrapping_mul(0x9E37_79B9));
    }
    for group in 0..2 {
        let drawn = numbers(parameters * 8);
        weights.factors_mut().unwrap().set_group(group, |place| drawn[place] as i8);
    }
    weights
}

fn sections_of(weights: &Weights) -> Vec<Section> {
    let (_folder, path) = Folder::with("a.weights");
    weights.write(&path, &provenance(), Existing::Keep).unwrap();
    Reader::open(&path, Kind::Weights).unwrap().map(Result::unwrap).collect()
}

/// Returns the weights in a file with these sections, or the error message without the path. Checks
/// that reading the file from the disk and from memory gives the same result.
fn read(sections: &[Section]) -> Result<Weights, String> {
    let (_folder, path) = Folder::with("a.weights");
    write(&path, Kind::Weights, sections);
    let message = |error: WeightsError| {
        error.to_string().trim_start_matches(&format!("{}: ", path.display())).to_owned()
    };
    let bytes = fs::read(&path).unwrap();
    let again = Weights::read_bytes(&path, bytes).map_err(message);
    match Weights::read(&path).map_err(message) {
        Ok(read) => {
            let again = again.unwrap();
            assert_eq!((&again.sha256, &again.provenance), (&read.sha256, &read.provenance));
            assert_same(&again.weights, &read.weights);
            Ok(read.weights)
        }
        Err(error) => {
            assert_eq!(again.unwrap_err(), error);
            Err(error)
        }
    }
}

fn assert_same(read: &Weights, expected: &Weights) {
    assert_eq!(read.all_steps(), expected.all_steps());
    assert_eq!(read.all_counts(), expected.all_counts());
    assert_eq!(read.factors(), expected.factors());
}

/// A short file that has only a pattern set must not make the reader allocate a gigabyte.
#[test]
fn factors_take_no_memory_before_a_section_comes() {
    let shape = FactorShape::new(128, 1).unwrap();
    let set = PatternSet::shipped("standard").unwrap().with_factors(Some(shape));
    let Weights { steps, counts, factors, .. } = ReadSections::of(set, true).weights;
    assert!(factors.unwrap().groups.iter().all(|group| group.capacity() == 0));
    assert!(steps.is_empty() && counts.is_empty());
}

#[test]
fn every_row_and_group_arrives() {
    let weights = drawn();
    assert_same(&read(&sections_of(&weights)).unwrap(), &weights);
}

/// Sections may be in any order, but a phase stored as changes must come after the previous phase.
#[test]
fn phases_may_come_in_any_order() {
    let weights = drawn();
    let mut sections = sections_of(&weights);
    let behind = sections.split_off(1);
    let of_phase = |name: &str| behind.iter().find(|it| it.name == name).unwrap().clone();
    let whole = |number: usize| {
        let phase = phase(number);
        let steps = PhaseSection::of_weights(phase, weights.steps(phase));
        [steps, PhaseSection::of_counts(phase, weights.counts(phase))]
    };
    let changes = |number: usize| {
        ["weight", "count"].map(|kind| of_phase(&format!("{kind} changes {number:02}")))
    };
    sections.extend(behind.iter().filter(|it| it.name.starts_with("factors")).rev().cloned());
    sections.extend((0..60).rev().step_by(2).flat_map(whole));
    sections.extend(changes(0));
    sections.extend((1..30).rev().map(|half| 2 * half).flat_map(changes));
    sections.push(section("factors 02", b""));
    assert_same(&read(&sections).unwrap(), &weights);
}

#[test]
fn blocks_of_packed_weights_expand_one_by_one_to_the_same_tables() {
    let without_factors = PatternSet::shipped("discs").unwrap();
    for weights in [drawn(), Weights::zero(without_factors)] {
        let (_folder, path) = Folder::with("packed.weights");
        weights.write_packed(&path, &provenance()).unwrap();
        let bytes: &[u8] = fs::read(&path).unwrap().leak();
        let packed = PackedWeights::open("packed", bytes).unwrap();
        assert_eq!(packed.provenance, provenance());
        let whole = layout::expand(&weights);
        for block in (0..packed.expansion.layout.blocks()).rev() {
            assert!(packed.expand(block).unwrap() == whole[block], "block {block}");
        }
        let by_class = Weights::read_without_counts("packed".as_ref(), bytes).unwrap().weights;
        assert_eq!(by_class.all_steps(), weights.all_steps());
        assert_eq!(by_class.factors(), weights.factors());
        assert!(by_class.all_counts().iter().all(|&count| count == 0));
        weights.write(&path, &provenance(), Existing::Replace).unwrap();
        let error = PackedWeights::open("whole", fs::read(&path).unwrap().leak()).unwrap_err();
        assert!(error.to_string().contains("`weights 00` is missing"), "{error}");
        // The first stored byte of a section that begins in the second half of the file.
        let place = |after: usize| bytes[after..].windows(4).position(|it| it == b"SECT");
        let section = bytes.len() / 2 + place(bytes.len() / 2).unwrap();
        let mut damaged = bytes.to_vec();
        damaged[section + 28 + usize::from(bytes[section + 4])] ^= 1;
        let damaged = PackedWeights::open("packed", damaged.leak()).unwrap();
        let blocks = (0..damaged.expansion.layout.blocks()).map(|block| damaged.expand(block));
        assert_eq!(blocks.filter(Result::is_err).count(), 1);
    }
}

#[test]
fn what_is_missing_or_wrong_is_named() {
    let sound = sections_of(&drawn());
    let at = |name: &str| sound.iter().position(|section| section.name == name).unwrap();
    let without = |name: &str| {
        let mut sections = sound.clone();
        sections.remove(at(name));
        read(&sections).unwrap_err()
    };
    let incomplete = |name: &str| {
        format!("section `{name}` is missing: the file is not a complete weights file")
    };
    assert_eq!(without("pattern set"), incomplete("pattern set"));
    assert_eq!(without("weight changes 59"), incomplete("weights 59"));
    assert_eq!(without("count changes 59"), incomplete("counts 59"));
    assert_eq!(without("factors 01"), incomplete("factors 01"));
    for kind in ["weight", "count"] {
        let error = without(&format!("{kind} changes 30"));
        let problem = "precedes that of the previous phase";
        assert_eq!(error, format!("section `{kind} changes 31`: {problem}"));
    }

    let twice = [&sound[..], &sound[at("pattern set")..][..1]].concat();
    assert_eq!(read(&twice).unwrap_err(), "section `pattern set`: occurs twice");
    let parameters = drawn().geometry().parameters();
    for (name, bytes) in [("weight changes 07", 2), ("count changes 07", 4), ("factors 01", 8)] {
        let mut sections = sound.clone();
        sections.push(sound[at(name)].clone());
        assert_eq!(read(&sections).unwrap_err(), format!("section `{name}`: occurs twice"));
        let (mut sections, length) = (sound.clone(), bytes * parameters);
        sections[at(name)].content.pop();
        let error = read(&sections).unwrap_err();
        let expected = format!("section `{name}`: has {} bytes; ", length - 1);
        assert!(error.starts_with(&expected) && error.ends_with(&length.to_string()), "{error}");
    }

    let with = |name: &str, section: Section| {
        let mut sections = sound.clone();
        sections[at(name)] = section;
        read(&sections).unwrap_err()
    };
    let beyond = |weight: i16, by: &dyn Fn(Phase, &[i16]) -> Section| {
        let mut steps = drawn().steps(phase(7)).to_vec();
        steps[3] = weight;
        by(phase(7), &steps)
    };
    let section = PhaseSection::of_weights(phase(7), &[1]);
    let expected = format!("section `weights 07`: has 2 bytes; the {parameters} parameters");
    assert!(with("weight changes 07", section).starts_with(&expected));
    let problem = "weight 3 is 4096; expected ±4095 at most";
    let section = beyond(4096, &PhaseSection::of_weights);
    assert_eq!(with("weight changes 07", section), format!("section `weights 07`: {problem}"));
    let before = drawn();
    let changed = |it: Phase, steps: &[i16]| {
        PhaseSection::of_weight_changes(it, before.steps(phase(6)), steps)
    };
    let section = beyond(-4096, &changed);
    let expected = format!("section `weight changes 07`: {}", problem.replace("4096", "-4096"));
    assert_eq!(with("weight changes 07", section), expected);
    let mut factors = sound[at("factors 01")].clone();
    factors.content[8] = 0x80;
    let expected = "section `factors 01`: a factor of parameter 1 is -128; expected ±127 at most";
    assert_eq!(with("factors 01", factors), expected);
}

#[test]
fn the_counts_may_be_read_from_a_part_of_their_own() {
    let weights = drawn();
    let sections = sections_of(&weights);
    let (counts, played): (Vec<_>, Vec<_>) =
        sections.into_iter().partition(|section| section.name.starts_with("count"));
    let (folder, name) = Folder::with("played.weights");
    write(&name, Kind::Weights, &played);
    let bytes = || fs::read(&name).unwrap();
    let read = Weights::read_without_counts(&name, bytes()).unwrap();
    assert_eq!(read.sha256, sha256_of(&bytes()));
    assert_eq!(read.weights.all_steps(), weights.all_steps());
    assert_eq!(read.weights.factors(), weights.factors());
    let error = Weights::read(&name).unwrap_err().to_string();
    assert!(error.contains("section `counts 00` is missing"), "{error}");
    let error = Counts::read_part(&name, bytes(), weights.set()).unwrap_err().to_string();
    assert!(error.contains("section `counts 00` is missing"), "{error}");

    let path = folder.path("counts.weights");
    let read = |sections: &[Section]| {
        write(&path, Kind::Weights, sections);
        let read = Counts::read_part(&path, fs::read(&path).unwrap(), weights.set());
        read.map_err(|error| error.to_string())
    };
    let (read_back, found) = read(&counts).unwrap();
    assert!(Phase::all().all(|phase| read_back.of(phase) == weights.counts(phase)));
    assert_eq!(found, provenance());
    let error = read(&counts[1..]).unwrap_err();
    assert!(error.ends_with("`count changes 01`: precedes that of the previous phase"), "{error}");
}
