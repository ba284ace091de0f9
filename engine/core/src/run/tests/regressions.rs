use super::*;

#[test]
fn a_part_without_the_results_of_its_units_is_refused() {
    let (_folder, out) = Folder::with("out.positions");
    let stages = vec![Stage::new("one (steps)", 2, 1)];
    let run = open(&out, Plan { kind: None, stages, growing: None, ..plan(2) });
    run.write_part(&run.path(0, 0), (0, 0), &[]).unwrap();
    let refused = run.steps(0, Ok::<u64, RunError>, &Silent).unwrap_err().to_string();
    assert!(refused.contains("part-000000") && refused.contains("lacks the results"), "{refused}");
}

#[test]
fn a_partial_description_that_a_kill_left_goes_with_the_next_start_of_its_shard() {
    let (folder, out) = Folder::with("out.positions");
    let parts = folder.path("out.positions.parts");
    let mut description: Option<Vec<u8>> = None;
    for _ in 0..2 {
        fs::create_dir(&parts).unwrap();
        fs::write(parts.join("run.json.1-of-2.partial"), "{").unwrap();
        if let Some(text) = &description {
            fs::write(parts.join("run.json"), text).unwrap();
        }
        let _run = open_as(&out, plan(25), "1/2", Existing::Keep).unwrap();
        let mut names: Vec<_> =
            fs::read_dir(&parts).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, ["lock-1-of-2", "run.json"]);
        description = fs::read(parts.join("run.json")).ok();
        // Dropping the run removes the folder, which has no parts.
    }
}

#[test]
fn shards_that_make_nothing_do_not_disturb_those_that_begin() {
    let (_folder, out) = Folder::with("out.positions");
    let begin = |shard: &str| drop(open_as(&out, plan(25), shard, Existing::Keep).unwrap());
    let make = || {
        let run = open_shard(&out, plan(25), "3/3", Existing::Keep);
        run.make(0, 10, &Squares::default(), &Silent).unwrap();
        fs::remove_file(run.path(0, 2)).unwrap();
    };
    std::thread::scope(|scope| {
        for shard in ["1/3", "2/3"] {
            scope.spawn(move || (0..300).for_each(|_| begin(shard)));
        }
        scope.spawn(|| (0..100).for_each(|_| make()));
    });
}

#[test]
fn a_start_at_the_end_of_another_run_of_the_output_is_busy_or_makes_it() {
    for shards in [["1/1", "1/1"], ["1/1", "1/2"]] {
        let (folder, out) = Folder::with("out.positions");
        let work = |shard: &str, times: usize| {
            for _ in 0..times {
                match open_as(&out, plan(5), shard, Existing::Replace) {
                    Ok(Opened::Run(run)) => {
                        run.make(0, 10, &Squares::default(), &Silent).unwrap();
                        if !run.is_shard() {
                            run.pack(pack).unwrap();
                        }
                    }
                    Err(RunError::File(FileError::Busy { .. })) => {}
                    other => panic!("{shard}: {:?}", other.err()),
                }
            }
        };
        std::thread::scope(|scope| {
            shards
                .iter()
                .chain(&shards)
                .for_each(|shard| drop(scope.spawn(move || work(shard, 50))));
        });
        work("1/1", 1);
        assert_eq!((fs::read(&out).unwrap(), folder.count()), (undisturbed(5), 1));
    }
}

#[test]
fn a_file_that_appears_during_the_work_is_kept_and_nothing_is_lost() {
    let (folder, out) = Folder::with("out.positions");
    // The output is new, or extended, or made again.
    for (there, units, existing) in
        [(0, 25, Existing::Keep), (25, 47, Existing::Keep), (47, 60, Existing::Replace)]
    {
        assert_eq!(out.exists(), there > 0);
        let run = open_shard(&out, plan(units), "1/1", existing);
        run.make(0, 10, &Squares::default(), &Silent).unwrap();
        let _ = fs::rename(&out, folder.path("moved"));
        fs::write(&out, "precious").unwrap();
        let pack = |run: &Run| {
            let mut writer = run.writer()?;
            writer.section("squares", b"1")?;
            Ok::<_, RunError>(writer.finish()?)
        };
        match run.pack(pack) {
            Ok(_) => assert_eq!(existing, Existing::Replace),
            Err(error) => {
                assert_eq!(existing, Existing::Keep);
                let (error, partial) = (error.to_string(), out.with_added_extension("partial"));
                assert!(error.contains("another file appeared here during the work"), "{error}");
                assert!(partial.exists());
                assert_eq!(fs::read(&out).unwrap(), b"precious");
                // The same command does not replace the file either, until it is moved.
                assert!(refused(&out, plan(units), "1/1").contains("begins with `preciou"));
                fs::remove_file(&out).unwrap();
                let _ = fs::rename(folder.path("moved"), &out);
                assert!(finish(&out, plan(units)).is_empty());
                assert_eq!(fs::read(&out).unwrap(), undisturbed(units));
                assert_eq!(folder.count(), 1);
            }
        }
    }
}

#[test]
fn a_partial_file_of_somebody_else_is_refused_before_the_work() {
    let (folder, out) = Folder::with("out.positions");
    fs::write(out.with_added_extension("partial"), "precious").unwrap();
    for existing in [Existing::Keep, Existing::Replace] {
        let error = open_as(&out, plan(25), "1/1", existing).err().unwrap().to_string();
        assert!(error.contains("begins with `preciou`, so no killed run has left it"), "{error}");
        assert_eq!(folder.count(), 1);
    }
}

#[test]
fn a_run_ends_at_the_first_part_that_decides() {
    let (_folder, out) = Folder::with("out.positions");
    let run = open(&out, plan(1000));
    let squares = Squares { last: Some(35), ..Squares::default() };
    run.make(0, 2, &squares, &Silent).unwrap();
    assert!((0..4).all(|index| run.has(0, index)));
    // While one thread is held up in part 3, others may finish parts beyond it. But once part 3 has
    // decided, each thread only ends the task that it has taken: two units.
    let tasks = 2 * rayon::current_num_threads() as u64;
    let made = squares.made().len() as u64;
    assert!(made <= squares.made_before_end.load(Ordering::SeqCst) + tasks, "{made} units");
    run.make(0, 2, &squares, &Silent).unwrap();
    assert!(squares.made().is_empty(), "the end is known at the beginning");

    let (_folder, out) = Folder::with("out.positions");
    let run = open(&out, plan(1000));
    let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    alone.install(|| run.make(0, 2, &squares, &Silent)).unwrap();
    assert_eq!(squares.made(), (0..40).collect::<Vec<_>>(), "one thread makes nothing beyond");
}
