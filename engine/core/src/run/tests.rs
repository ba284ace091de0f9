use std::fs;
use std::ops::Range;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::file::{Existing, Section};
use crate::progress::{Progress, Silent};
use crate::tests::Folder;

mod regressions;

#[derive(Default)]
struct Squares {
    made: Mutex<Vec<u64>>,
    last: Option<u64>,
    fails_at: Option<u64>,
    /// The number of units that were made when [`Items::ends`] returned true.
    made_before_end: AtomicU64,
}

impl Items for Squares {
    type Input = Range<u64>;
    type Output = u64;
    type Error = RunError;

    const CAN_END: bool = true;

    fn begin(&self, units: Range<u64>) -> Result<Range<u64>, RunError> {
        Ok(units)
    }

    fn make(&self, part: &Range<u64>, units: Range<u64>) -> Result<Vec<u64>, RunError> {
        assert!(part.start <= units.start && units.end <= part.end);
        if self.fails_at.is_some_and(|number| units.contains(&number)) {
            return Err(RunError::Interrupted(Interrupted));
        }
        self.made.lock().unwrap().extend(units.clone());
        Ok(units.map(|number| number * number).collect())
    }

    fn encode(&self, squares: Vec<u64>) -> Vec<Section> {
        let content = squares.iter().flat_map(|square| square.to_le_bytes()).collect();
        vec![Section { name: "squares".to_owned(), content }]
    }

    fn ends(&self, part: &[Section]) -> bool {
        let square = self.last.map(|number| (number * number).to_le_bytes());
        let ends =
            square.is_some_and(|square| part[0].content.chunks(8).any(|bytes| bytes == square));
        if ends {
            let made = self.made.lock().unwrap().len() as u64;
            self.made_before_end.store(made, Ordering::SeqCst);
        }
        ends
    }
}

impl Squares {
    fn made(&self) -> Vec<u64> {
        let mut made = std::mem::take(&mut *self.made.lock().unwrap());
        made.sort_unstable();
        made
    }
}

fn plan(units: u64) -> Plan {
    Plan {
        kind: Some(Kind::Positions),
        provenance: Provenance::new("squares").with("numbers", units).with("seed", 1),
        stages: vec![Stage::new("squares (numbers)", units, 10)],
        growing: Some("numbers".into()),
    }
}

fn open_as(out: &Path, plan: Plan, shard: &str, existing: Existing) -> Result<Opened, RunError> {
    Run::open(out, plan, shard.parse().unwrap(), existing, &Silent)
}

fn open(out: &Path, plan: Plan) -> Run {
    open_shard(out, plan, "1/1", Existing::Keep)
}

fn open_shard(out: &Path, plan: Plan, shard: &str, existing: Existing) -> Run {
    match open_as(out, plan, shard, existing).unwrap() {
        Opened::Run(run) => run,
        Opened::Done(_) => panic!("the output is complete"),
    }
}

fn refused(out: &Path, plan: Plan, shard: &str) -> String {
    open_as(out, plan, shard, Existing::Keep).err().expect("an error").to_string()
}

fn pack(run: &Run) -> Result<Summary, RunError> {
    let mut writer = run.writer()?;
    if run.standing > 0 {
        let there = Reader::open(&run.output, Kind::Positions)?;
        for section in there.take((run.standing / 10) as usize) {
            let section = section?;
            writer.section(&section.name, &section.content)?;
        }
    }
    for part in run.parts(0) {
        for section in part? {
            let section = section?;
            writer.section(&section.name, &section.content)?;
        }
    }
    Ok(writer.finish()?)
}

fn finish(out: &Path, plan: Plan) -> Vec<u64> {
    let (run, squares) = (open(out, plan), Squares::default());
    run.make(0, 3, &squares, &Silent).unwrap();
    run.pack(pack).unwrap();
    squares.made()
}

fn undisturbed(units: u64) -> Vec<u8> {
    let (folder, out) = Folder::with("out.positions");
    assert_eq!(finish(&out, plan(units)), (0..units).collect::<Vec<_>>());
    assert_eq!(folder.count(), 1, "nothing else is left");
    fs::read(out).unwrap()
}

/// Makes the files of a run that was killed while it packed: all parts, and a partial output.
fn unpacked(out: &Path, units: u64) {
    let run = open(out, plan(units));
    run.make(0, 4, &Squares::default(), &Silent).unwrap();
    fs::write(out.with_added_extension("partial"), b"OTHELLOP").unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    /// A kill leaves finished parts and partial files; after a power failure, files may be damaged.
    #[test]
    fn whatever_a_kill_leaves_the_result_is_the_same_and_only_what_is_missing_is_made(
        fates in prop::collection::vec(0_u8..5, 8), units in 71_u64..80,
    ) {
        let (folder, out) = Folder::with("out.positions");
        unpacked(&out, units);
        let mut missing = vec![];
        for (index, fate) in (0..8).zip(fates) {
            let path = folder.path(&format!("out.positions.parts/part-{index:06}"));
            let bytes = fs::read(&path).unwrap();
            match fate {
                0 => fs::remove_file(&path).unwrap(),
                1 => fs::rename(&path, path.with_added_extension("partial")).unwrap(),
                2 => fs::write(&path, &bytes[..bytes.len() / 2]).unwrap(),
                3 => fs::write(&path, [&bytes[..bytes.len() - 9], &[0; 9]].concat()).unwrap(),
                _ => continue,
            }
            missing.extend(Stage::new("", units, 10).units_of(index));
        }
        prop_assert_eq!(finish(&out, plan(units)), missing);
        prop_assert_eq!(fs::read(&out).unwrap(), undisturbed(units));
        prop_assert_eq!(folder.count(), 1);
    }
}

#[test]
fn an_output_that_is_complete_is_done_and_leftovers_go() {
    let (folder, out) = Folder::with("out.positions");
    let other = Plan { provenance: plan(25).provenance.with("seed", 2), ..plan(25) };
    // Leftover parts of this output's run are removed; parts of a run with another seed stay.
    for (left, stays) in [(plan(25), 1), (other, 2)] {
        let _ = fs::remove_file(&out);
        let run = open(&out, left);
        run.make(0, 10, &Squares::default(), &Silent).unwrap();
        drop(run);
        let parts = folder.path("out.positions.parts");
        fs::rename(&parts, folder.path("kept")).unwrap();
        finish(&out, plan(25));
        fs::rename(folder.path("kept"), &parts).unwrap();
        let again = open_as(&out, plan(25), "1/1", Existing::Keep).unwrap();
        assert!(matches!(again, Opened::Done(summary) if summary.sections == 3));
        assert_eq!(folder.count(), stays);
    }
}

#[test]
fn a_folder_without_work_goes_once_the_output_is_complete() {
    let (_folder, out) = Folder::with("out.positions");
    let parts = out.with_added_extension("parts");
    finish(&out, plan(25));
    fs::create_dir(&parts).unwrap();
    Run::check_is_free(&out, Shard::WHOLE).unwrap();
    assert_eq!(fs::read_dir(&parts).unwrap().count(), 0);
    assert!(open_as(&out, plan(25), "1/1", Existing::Keep).is_ok() && !parts.exists());
}

#[cfg(unix)]
#[test]
fn a_pipe_in_place_of_a_lock_is_not_waited_for() {
    let (_folder, out) = Folder::with("out.positions");
    let parts = out.with_added_extension("parts");
    fs::create_dir(&parts).unwrap();
    let made = std::process::Command::new("mkfifo").arg(parts.join("lock-1-of-2")).status();
    assert!(made.unwrap().success());
    let (done, wait) = std::sync::mpsc::channel();
    std::thread::spawn(move || done.send(Run::check_is_free(&out, Shard::WHOLE).is_ok()));
    assert_eq!(wait.recv_timeout(Duration::from_secs(20)), Ok(true));
}

#[test]
fn shards_in_any_order_make_the_parts_of_the_whole() {
    let (_folder, out) = Folder::with("out.positions");
    for (number, parts) in [(2, [1, 4]), (3, [2, 5]), (1, [0, 3])] {
        let shard = format!("{number}/3");
        let run = open_shard(&out, plan(60), &shard, Existing::Keep);
        assert_eq!((run.is_shard(), run.missing(0)), (true, parts.to_vec()));
        run.make(0, 10, &Squares::default(), &Silent).unwrap();
        assert!(run.missing(0).is_empty());
        drop(run);
    }
    let (run, done) = Run::to_pack(&out).unwrap();
    assert_eq!(done, None);
    assert_eq!((run.count().unwrap(), &run.plan.provenance), (6, &plan(60).provenance));
    run.pack(pack).unwrap();
    assert!(Run::to_pack(&out).unwrap().1.is_some());
    assert_eq!(fs::read(&out).unwrap(), undisturbed(60));
    fs::remove_file(&out).unwrap();
    assert!(finish(&out, plan(60)).is_empty(), "the undivided command has only to pack");
    assert_eq!(fs::read(&out).unwrap(), undisturbed(60));
}

#[test]
fn a_stage_waits_for_the_parts_of_other_shards_and_names_them() {
    let (_folder, out) = Folder::with("out.positions");
    let mut two = plan(60);
    two.stages.push(Stage::new("sums (parts)", 1, 1));
    two.growing = None;
    let run = open_shard(&out, two.clone(), "1/3", Existing::Keep);
    run.make(0, 10, &Squares::default(), &Silent).unwrap();
    let error = run.make(1, 1, &Squares::default(), &Silent).unwrap_err();
    let message = error.to_string();
    assert!(message.contains("parts 1..2, 4..5 are missing of stage `squares"), "{message}");
    assert!(message.contains("wait for shards 2..3 of 3"), "{message}");
    let RunError::Missing(source) = error else { panic!("{message}") };
    assert!(crate::file::may_pass(&source));
    drop(run);
    let whole = open(&out, two);
    whole.make(0, 10, &Squares::default(), &Silent).unwrap();
    whole.make(1, 1, &Squares::default(), &Silent).unwrap();
    assert_eq!(whole.count().unwrap(), 7);
}

#[test]
fn a_second_start_is_refused_and_disturbs_nothing() {
    let (folder, out) = Folder::with("out.positions");
    let first = open(&out, plan(25));
    // A second process could make the same parts or, with --force, remove those of the first.
    for shard in ["1/1", "1/2", "2/2"] {
        let message = refused(&out, plan(25), shard);
        assert!(message.contains("makes it; wait for it, or name another output"), "{message}");
        assert!(message.contains(&format!("process {}", std::process::id())), "{message}");
    }
    let other = Plan { provenance: Provenance::new("cubes"), ..plan(25) };
    open_as(&out, other.clone(), "1/1", Existing::Replace).err().unwrap();
    first.make(0, 4, &Squares::default(), &Silent).unwrap();
    first.pack(pack).unwrap();
    assert_eq!(fs::read(&out).unwrap(), undisturbed(25));

    let out = folder.path("shared.positions");
    let half = open_as(&out, plan(25), "1/2", Existing::Keep).unwrap();
    assert!(refused(&out, plan(25), "1/1").contains("makes shard 1/2 of it"));
    assert!(refused(&out, plan(25), "3/4").contains("makes shard 1/2 of it"));
    let shard_of_others = open_as(&out, other, "2/2", Existing::Replace).err().unwrap().to_string();
    assert!(shard_of_others.contains("makes shard 1/2 of it"), "{shard_of_others}");
    open_as(&out, plan(25), "2/4", Existing::Keep).unwrap();
    drop(half);
    let packing = Lock::for_packing(&folder::Folder::of(&out).path);
    assert!(packing.is_err(), "the last shard had made nothing, and the folder is gone");
}

#[test]
fn steps_are_made_once_in_turn_and_a_second_start_is_refused() {
    let (folder, out) = Folder::with("out");
    let stages = vec![Stage::new("one (steps)", 3, 1), Stage::new("two (steps)", 2, 1)];
    let plan = || Plan { kind: None, stages: stages.clone(), ..plan(3) };
    let mut made = vec![];
    let mut step = |last: u64, number: u64| {
        if number > last {
            return Err(RunError::Interrupted(Interrupted));
        }
        made.push(number);
        Ok(number as f64 / 3.0)
    };
    let run = open(&out, plan());
    let process = format!("another process (process {}) makes it", std::process::id());
    assert!(refused(&out, plan(), "1/1").contains(&process));
    assert!(
        run.steps(1, |number| step(9, number), &Silent).is_err(),
        "the first stage comes first"
    );
    assert!(run.steps(0, |number| step(1, number), &Silent).is_err());
    drop(run);
    let run = open(&out, plan());
    let thirds = run.steps(0, |number| step(9, number), &Silent).unwrap();
    assert_eq!(thirds, [0.0, 1.0 / 3.0, 2.0 / 3.0]);
    assert_eq!(run.steps(1, |number| step(9, number), &Silent).unwrap(), thirds[..2]);
    assert_eq!(made, [0, 1, 2, 0, 1]);
    run.pack(|_| Ok::<_, RunError>(())).unwrap();
    assert_eq!(folder.count(), 0);
}

#[test]
fn a_folder_of_another_run_is_refused_with_the_differences_and_replaced_by_force() {
    let (folder, out) = Folder::with("out.positions");
    unpacked(&out, 25);
    let other = Plan { provenance: plan(25).provenance.with("seed", 2), ..plan(25) };
    let message = refused(&out, other.clone(), "1/1");
    assert!(
        message.contains("seed: 1 there, 2 wanted") && message.contains("--force"),
        "{message}"
    );
    let sizes = Plan { stages: vec![Stage::new("squares (numbers)", 25, 5)], ..plan(25) };
    assert!(refused(&out, sizes, "1/1").contains("its parts have other sizes"));
    let run = open_shard(&out, other.clone(), "1/1", Existing::Replace);
    assert_eq!(run.missing(0), [0, 1, 2]);
    run.make(0, 4, &Squares::default(), &Silent).unwrap();
    drop(run);
    // Even with --force, parts of the same settings are kept, because another shard made them.
    let again = open_as(&out, other, "1/1", Existing::Replace).unwrap();
    assert!(matches!(again, Opened::Run(run) if run.missing(0).is_empty()));

    let foreign = folder.path("b.positions");
    fs::create_dir(folder.path("b.positions.parts")).unwrap();
    fs::write(folder.path("b.positions.parts/diary.txt"), "private").unwrap();
    assert!(refused(&foreign, plan(25), "1/1").contains("it has `diary.txt`"));
    fs::write(&foreign, "somebody's").unwrap();
    let message = refused(&foreign, plan(25), "1/1");
    assert!(message.contains("b.positions") && message.contains("exists"), "{message}");
}

#[test]
fn a_part_of_another_run_is_refused_and_stays() {
    let folder = Folder::new();
    let [one, other] = ["one.positions", "two.positions"].map(|name| folder.path(name));
    unpacked(&one, 25);
    let plan_of_other = Plan { provenance: plan(25).provenance.with("seed", 2), ..plan(25) };
    let run = open(&other, plan_of_other.clone());
    run.make(0, 4, &Squares::default(), &Silent).unwrap();
    drop(run);
    let part = |out: &str| folder.path(out).join("part-000001");
    fs::copy(part("one.positions.parts"), part("two.positions.parts")).unwrap();
    let message = refused(&other, plan_of_other, "1/1");
    assert!(message.contains("part of another run (seed: 1 there, 2 wanted"), "{message}");
    assert!(part("two.positions.parts").exists());
}

#[test]
fn a_run_that_makes_nothing_leaves_nothing_and_one_that_fails_keeps_its_parts() {
    let (folder, out) = Folder::with("out.positions");
    drop(open(&out, plan(25)));
    assert_eq!(folder.count(), 0);
    let run = open(&out, plan(200));
    let failing = Squares { fails_at: Some(111), ..Squares::default() };
    run.make(0, 1, &failing, &Silent).unwrap_err();
    let kept = (0..20).filter(|&index| run.has(0, index)).count();
    assert!(failing.made().len() <= kept * 10 + 20, "at most two parts are in progress");
    drop(run);
    let made = finish(&out, plan(200));
    assert_eq!(made.len(), 200 - 10 * kept);
    assert_eq!(fs::read(&out).unwrap(), undisturbed(200));
}

#[test]
fn more_units_are_added_to_an_output_and_to_an_unfinished_run() {
    let (folder, out) = Folder::with("out.positions");
    finish(&out, plan(25));
    // The results of the first two parts are in the output; the last part is made again.
    assert_eq!(finish(&out, plan(47)), (20..47).collect::<Vec<_>>());
    assert_eq!(fs::read(&out).unwrap(), undisturbed(47));
    assert!(refused(&out, plan(46), "1/1").contains("numbers: 47 there, 46 wanted"));

    let out = folder.path("unfinished.positions");
    unpacked(&out, 25);
    assert_eq!(finish(&out, plan(40)), (20..40).collect::<Vec<_>>());
    assert_eq!(fs::read(&out).unwrap(), undisturbed(40));
}

#[derive(Default)]
struct Counted(AtomicU64, AtomicU64);

impl Progress for Counted {
    fn begin(&self, _stage: &str, done: u64, total: u64) {
        self.0.store(done, Ordering::SeqCst);
        self.1.store(total, Ordering::SeqCst);
    }

    fn advance(&self, units: u64) {
        self.0.fetch_add(units, Ordering::SeqCst);
    }

    fn message(&self, _line: &str) {}
}

#[test]
fn long_parts_continue_from_their_snapshots() {
    let (folder, out) = Folder::with("out.positions");
    let phases = Plan { stages: vec![Stage::new("fit (phases)", 5, 1)], growing: None, ..plan(5) };
    let section = |index: u64| Section { name: "epoch".into(), content: vec![index as u8; 9] };
    let (run, progress) = (open(&out, phases.clone()), Counted::default());
    let unfinished = run.make_parts(0, run.missing(0), 2, &progress, |part| {
        part.save(&[section(0)])?;
        part.save(&[section(part.index)])?;
        part.section("phase", &[part.units().start as u8])?;
        Ok::<_, RunError>(![1, 3].contains(&part.index))
    });
    assert_eq!(unfinished.unwrap(), [1, 3]);
    assert_eq!(progress.0.into_inner(), 3);
    // A snapshot longer than the given maximum is not read: the part begins anew.
    let found = run.make_parts(0, vec![1], 1, &Silent, |part| {
        assert_eq!(part.snapshot(8)?, None);
        assert_eq!(part.snapshot(9)?, Some(vec![section(1)]));
        Ok::<_, RunError>(false)
    });
    assert_eq!(found.unwrap(), [1]);
    drop(run);
    let snapshot =
        |index: u64| folder.path(&format!("out.positions.parts/part-{index:06}.snapshot"));
    assert!(snapshot(1).exists() && !snapshot(0).exists());
    fs::write(snapshot(3), "torn").unwrap();
    let (run, progress) = (open(&out, phases), Counted::default());
    let found = Mutex::new(vec![]);
    run.make_parts(0, run.missing(0), 1, &progress, |part| {
        found.lock().unwrap().push((part.index, part.snapshot(9)?));
        Ok::<_, RunError>(true)
    })
    .unwrap();
    assert_eq!(found.into_inner().unwrap(), [(1, Some(vec![section(1)])), (3, None)]);
    assert_eq!((progress.0.into_inner(), progress.1.into_inner()), (5, 5));
    assert!(!snapshot(1).exists());
    assert_eq!(run.count().unwrap(), 5);
}

#[test]
fn uncompressed_sections_are_found_at_their_places_and_checked_when_a_run_is_opened() {
    let (_folder, out) = Folder::with("out.positions");
    let rows =
        Plan { stages: vec![Stage::new("dataset (phases)", 2, 1)], growing: None, ..plan(2) };
    let content = |index: u64, name: u64| -> Vec<u8> {
        (0..3_000_000 * name).map(|at| (at * 7 + index) as u8).collect()
    };
    let run = open(&out, rows.clone());
    let made = run.make_parts(0, run.missing(0), 2, &Silent, |part| {
        part.section("labels", b"few")?;
        for name in 0..2 {
            let content = content(part.index, name);
            part.raw_section(&format!("rows {name}"), |out| {
                content.chunks(777).try_for_each(|bytes| out.write_all(bytes)).unwrap();
                Ok::<_, RunError>(())
            })?;
        }
        part.section("end", b"")?;
        Ok::<_, RunError>(true)
    });
    assert!(made.unwrap().is_empty());
    drop(run);
    let run = open(&out, rows.clone());
    let (path, places) = run.raw_sections(0, 1).unwrap();
    let bytes = fs::read(&path).unwrap();
    for (number, place) in places.iter().enumerate() {
        let there = &bytes[place.offset as usize..][..place.bytes as usize];
        assert!(there == content(1, number as u64), "{place:?}");
        assert!(place.offset.is_multiple_of(64) && place.name == format!("rows {number}"));
    }
    let sections: Vec<Section> = run.part(0, 1).unwrap().map(Result::unwrap).collect();
    let found: Vec<_> = sections.iter().map(|s| (s.name.as_str(), s.content.len())).collect();
    assert_eq!(found, [("labels", 3), ("rows 0", 0), ("rows 1", 0), ("end", 0)]);
    drop(run);
    let mut damaged = bytes;
    damaged[places[1].offset as usize + 2_000_000] ^= 4;
    fs::write(&path, damaged).unwrap();
    assert_eq!(open(&out, rows).missing(0), [1]);
}
