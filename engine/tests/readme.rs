//! What quick commands print, as the README and the cases say. That every command of the guides runs is
//! tested in `engine/testing/tests/guides.rs`.

#[test]
fn quick_commands_print_what_the_readme_and_the_cases_say() {
    trycmd::TestCases::new().case("../README.md").case("tests/cmd/*.trycmd");
}
