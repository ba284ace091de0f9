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
    std::thread::scope(|scope| {
        for shard in ["1/3", "2/3", "3/3"] {
            scope.spawn(move || (0..300).for_each(|_| begin(shard)));
        }
    });
}
