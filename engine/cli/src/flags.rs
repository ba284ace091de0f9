//! The flags that several commands share: one heading and one text for each.
//!
//! A field of a flag in this table has no doc comment: [`prepared`] gives the flag its text.

use clap::{Arg, ArgAction, Command};

/// A flag that several commands share.
struct Flag {
    name: &'static str,
    heading: &'static str,
    /// The first line: the effect and the unit.
    help: &'static str,
    /// The second paragraph: when to use the flag.
    more: &'static str,
    /// The computed defaults, by the name of the command; `*` is any other command.
    defaults: &'static [(&'static str, &'static str)],
}

const SEARCH: &str = "Search";
const DATA: &str = "Data";
const OUTPUT: &str = "Output";
const SHARDING: &str = "Sharding";
const RESOURCES: &str = "Resources";
const DISPLAY: &str = "Display";
/// The heading of the flags of all commands.
pub(crate) const GLOBAL: &str = "Global options";

const fn flag(
    name: &'static str,
    heading: &'static str,
    help: &'static str,
    more: &'static str,
) -> Flag {
    Flag { name, heading, help, more, defaults: &[] }
}

const fn with_defaults(flag: Flag, defaults: &'static [(&'static str, &'static str)]) -> Flag {
    Flag { defaults, ..flag }
}

const FLAGS: &[Flag] = &[
    with_defaults(
        flag(
            "level",
            SEARCH,
            "Search at this level, 1 to 60",
            "A row of the table of levels gives the depth, the selectivity, the endgame schedule and \
             the start of exact play; flags of these names replace its entries. Weights without a \
             ProbCut model are not pruned, and search less deep beyond level 10. `relabel` omits the \
             endgame schedule.",
        ),
        &[("hint", "10")],
    ),
    with_defaults(
        flag(
            "depth",
            SEARCH,
            "Search to this depth, in plies",
            "Passes do not count. A depth that reaches the end of the game gives exact scores; 0 gives \
             static values.",
        ),
        &[
            ("match", "4; 60 with --equal-time"),
            ("selfplay", "6; 60 with a limit of nodes"),
            ("evaluate", "0"),
            ("hint", "that of the level"),
        ],
    ),
    flag(
        "nodes",
        SEARCH,
        "Limit each search before exact play to about N nodes",
        "The deepest completed iteration decides. All moves take similar time, and the result is the \
         same on every machine.",
    ),
    flag(
        "milliseconds",
        SEARCH,
        "Limit each search before exact play to about M milliseconds",
        "The deepest completed iteration decides. The result depends on the machine and its other \
         work.",
    ),
    with_defaults(
        flag(
            "selectivity",
            SEARCH,
            "Prune at this ProbCut confidence, in percent: 73, 87, 95, 98, 99, or 100 for none",
            "A lower confidence searches faster and is wrong more often. It needs weights with a ProbCut \
             model (`othello-trainer calibrate probcut`).",
        ),
        &[
            ("hint", "that of the level"),
            ("selfplay", "73 if the weights have a ProbCut model, else 100"),
            ("*", "100"),
        ],
    ),
    with_defaults(
        flag(
            "ends",
            SEARCH,
            "Search to the end of the game by this endgame ProbCut schedule, or `none`",
            "`20:73,18:95` searches to the end at 20 or fewer empty squares with a confidence of 73 %, at \
             18 or fewer of 95 %, and exactly from --exact on. It needs weights with an endgame model \
             (`othello-trainer calibrate ends`).",
        ),
        &[("hint", "that of the level"), ("*", "none")],
    ),
    with_defaults(
        flag(
            "exact",
            SEARCH,
            "Search exactly at this many empty squares or fewer",
            "`selfplay` also takes a range, such as 12..13, and draws a number for each game: an even and \
             an odd number favour neither side.",
        ),
        &[
            ("match", "12"),
            ("evaluate", "0"),
            ("hint", "that of the level"),
            ("selfplay", "15..16; 16 with --ends"),
        ],
    ),
    flag(
        "search",
        SEARCH,
        "Limit the depth of searches before exact play in this way",
        "`realization` is for study: in equal time it plays weaker than a pruned search by depth. It \
         needs weights with realization probabilities (`othello-trainer calibrate realization`).",
    ),
    flag(
        "weights",
        SEARCH,
        "Evaluate positions by these weights: a file, `none`, `mobility` or `embedded`",
        "`none` values every position at 0, `mobility` counts moves and corners, `embedded` are the \
         shipped weights. A PLAYER is weights with a search of their own after a colon, which replaces \
         the flags: `my.weights:depth=12,selectivity=73`. The keys are level, depth, nodes, ms, \
         selectivity, exact, ends (steps joined by `+`) and search.",
    ),
    flag(
        "book",
        SEARCH,
        "Take the values of positions from this file of scored openings",
        "`gtp` and `nboard` play from it while it contains all successors of the position.",
    ),
    flag("ponder", SEARCH, "Search during the opponent's time", ""),
    flag(
        "time",
        SEARCH,
        "Give each player S seconds for all its moves of a game after the opening",
        "Programs are told the time, GTP in whole seconds. A player that exceeds it forfeits the game. \
         Games depend on the machine.",
    ),
    flag(
        "timeout",
        SEARCH,
        "Wait at most S seconds for an answer of another program",
        "A program that does not answer forfeits the game, and is started again.",
    ),
    flag(
        "seed",
        DATA,
        "Draw all random numbers from this seed",
        "The same seed, settings and inputs give the same bytes on every machine. A fit and a dataset \
         divide games into training, validation and test by it.",
    ),
    flag(
        "games",
        DATA,
        "Play N games, or read at most N games",
        "`selfplay` counts the games of all shards; an output of fewer games is extended. `benchmark` \
         plays two games of each opening, or none with 0.",
    ),
    flag(
        "openings",
        DATA,
        "Start games from these openings",
        "A file of enumerated openings, positions, or lines with a board or a transcript. `selfplay` \
         reads transcripts and continues them by random moves; or draws `random` moves; or, with \
         `distinct`, openings of up to 9 plies without repeating one before all were drawn.",
    ),
    flag(
        "pairs",
        DATA,
        "Play at most N openings, each twice with colours exchanged",
        "The eight images of an opening count as one; a list with fewer openings is refused.",
    ),
    flag("plies", DATA, "Enumerate the openings up to this ply", ""),
    flag(
        "within",
        DATA,
        "Use openings whose value is at most this far from even, in discs",
        "A match also plays openings without a value.",
    ),
    flag("count", DATA, "Stop at N openings, games or positions", ""),
    flag(
        "positions",
        DATA,
        "Learn from N positions",
        "Each is from a game of its own. `probcut` and `ends` hold out one in five to test the \
         predictions; `ordering` solves all moves of each.",
    ),
    with_defaults(
        flag(
            "labels",
            DATA,
            "Label the positions of games by these rules",
            "The first rule that applies decides, such as `34..38:solved, 0..60:result*0.5`. By default: \
             the exact score, then the λ-return of search values (lambda0.9), then the score within two \
             plies of the solved position, then the result.",
        ),
        &[],
    ),
    flag(
        "phases",
        DATA,
        "Use the phases A to B, both included",
        "34..38 have 22 to 26 empty squares. `fit` gives the other phases the weights of --init, or \
         those of the nearest fitted phase.",
    ),
    flag(
        "test",
        DATA,
        "Measure test errors on these records",
        "Use games that no fit learns from, of another seed and schedule, or of stronger play. No game \
         of the other records is held out for the test then.",
    ),
    flag(
        "data",
        DATA,
        "Read these records of games or positions",
        "`calibrate realization` counts the moves of games, but not random moves. `export` measures the \
         errors of tables for `edax`, `egaroucid` and `zebra` on games, and fits such tables to them \
         where the weights have other patterns.",
    ),
    flag(
        "init",
        DATA,
        "Start the fit from these weights, and pull it towards them",
        "Their pattern set is used. `pack` needs the file that the fit was given.",
    ),
    flag("patterns", DATA, "Use this pattern set: a TOML file, or a shipped one by its name", ""),
    flag("settings", DATA, "Read settings of a fit from this TOML file; flags override it", ""),
    flag("seeds", DATA, "Fit each recipe N times, by consecutive seeds", ""),
    flag("format", DATA, "Use the format of this program", ""),
    flag(
        "out",
        OUTPUT,
        "Write the output to this path",
        "The same command continues or repeats an output that was interrupted, and leaves a complete \
         one as it is. Another output is refused without --force.",
    ),
    flag("force", OUTPUT, "Replace an output that was made from something else", ""),
    flag("picture", OUTPUT, "Draw the result into this SVG file", ""),
    flag(
        "max-mae",
        DISPLAY,
        "Exit with status 1 if the mean absolute error is larger, in discs",
        "`fit` compares the error on the validation set.",
    ),
    flag(
        "shard",
        SHARDING,
        "Make only the parts of shard I of N",
        "The shards may run at the same time with the same --out, also on several machines with a \
         common disk. `othello-trainer pack` then makes the output.",
    ),
    with_defaults(
        flag(
            "hash-mb",
            RESOURCES,
            "Size of the transposition table of each thread, in MiB",
            "Exact scores and values of unpruned searches do not depend on it. Deep searches are faster \
             with a larger table.",
        ),
        &[("evaluate", "4; 16 with --level, --exact or --ends")],
    ),
    with_defaults(
        flag(
            "memory-mb",
            RESOURCES,
            "Limit the memory to M MiB",
            "What does not fit goes into temporary files, next to the output or in $TMPDIR. The output \
             is the same.",
        ),
        &[("shuffle", "half of the memory"), ("*", "all memory")],
    ),
    with_defaults(
        flag(
            "device",
            RESOURCES,
            "Compute on this device",
            "The output is the same bytes. `relabel` solves positions with at most 14 empty squares on \
             it.",
        ),
        &[("fit", "auto")],
    ),
];

/// The flags whose meaning differs in one command: the command, the flag and the reason.
const EXCEPTIONS: &[(&str, &str, &str)] = &[
    ("benchmark", "exact", "names files of exact positions, as --strong and --hard do theirs"),
    ("leaves", "depth", "is the greatest of the depths that are drawn"),
    ("probcut", "depth", "is the greatest of the depths that are learned"),
    ("openings", "out", "has the command score the openings"),
    ("split", "out", "is the beginning of three names"),
    ("validate", "force", "has files listed anew"),
    ("bench", "patterns", "lists the pattern sets that the command accepts"),
    ("fit", "patterns", "lists the pattern sets that the command accepts"),
    ("ordering", "patterns", "lists the pattern sets that the command accepts"),
];

fn is_exception(command: &str, flag: &str) -> bool {
    EXCEPTIONS.iter().any(|&(of, name, _)| (of, name) == (command, flag))
}

impl Flag {
    fn of(arg: &Arg) -> Option<&'static Self> {
        FLAGS.iter().find(|flag| Some(flag.name) == arg.get_long())
    }

    /// Returns the flag with its text in a command.
    fn put_into(&self, command: &str, arg: Arg) -> Arg {
        let arg = arg.help_heading(self.heading);
        if is_exception(command, self.name) {
            return arg;
        }
        let find = |name: &str| self.defaults.iter().find(|(of, _)| *of == name);
        let default = find(command).or_else(|| find("*"));
        let default = default.filter(|_| arg.get_default_values().is_empty());
        let default = default.map_or(String::new(), |(_, text)| format!(" [default: {text}]"));
        let help = format!("{}{default}", self.help);
        let long = format!("{help}\n\n{}", self.more);
        if self.more.is_empty() { arg.help(help) } else { arg.help(help).long_help(long) }
    }
}

/// Returns a command with the texts and headings of its flags; global flags come last. A negative
/// number after a flag is parsed as its value, so that the error names that flag.
pub fn prepared(command: Command) -> Command {
    let name = command.get_name().to_owned();
    let command = command.mut_args(|arg| {
        let takes_value = arg.get_action().takes_values() && !arg.is_positional();
        let arg = if takes_value { arg.allow_negative_numbers(true) } else { arg };
        match Flag::of(&arg) {
            Some(flag) => flag.put_into(&name, arg),
            None => arg,
        }
    });
    let help = Arg::new("help").short('h').long("help").action(ArgAction::Help);
    let help = help.help("Print help (short with -h)").help_heading(GLOBAL).display_order(1000);
    command.disable_help_flag(true).arg(help).mut_subcommands(prepared)
}

/// Returns the faults in the flags of a prepared command and its subcommands: a flag of
/// several commands without a heading, with two texts, or with none.
pub fn complaints(command: &Command) -> Vec<String> {
    let mut known: Vec<(String, String, String)> = vec![];
    collect(command, &mut known);
    let is_shared = |name: &str| known.iter().filter(|(_, other, _)| other == name).count() > 1;
    let mut complaints = vec![];
    for (command, name, text) in &known {
        let mut complain = |what: &str| complaints.push(format!("{command} --{name}: {what}"));
        if text.is_empty() {
            complain("has no text");
        }
        let others = known.iter().filter(|(of, other, _)| other == name && !is_exception(of, name));
        let mut texts = others.map(|(_, _, text)| text);
        if !is_exception(command, name) && !texts.all(|other| other == text) {
            complain("has another text in another command");
        }
        if is_shared(name) && !text.starts_with('[') {
            complain("belongs to several commands and has no heading");
        }
    }
    complaints
}

/// Collects the flags: the command, the name, and the heading with the text up to the default.
fn collect(command: &Command, known: &mut Vec<(String, String, String)>) {
    for arg in command.get_arguments().filter(|arg| !arg.is_global_set()) {
        let Some(name) = arg.get_long().filter(|name| *name != "help") else { continue };
        let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
        let help = help.split(" [default: ").next().unwrap_or_default();
        let heading = arg.get_help_heading().map(|heading| format!("[{heading}] "));
        let text = format!("{}{help}", heading.unwrap_or_default());
        known.push((command.get_name().to_owned(), name.to_owned(), text));
    }
    command.get_subcommands().for_each(|command| collect(command, known));
}
