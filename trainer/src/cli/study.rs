//! The text form of labels, as commands that study recipes print it.

/// Formats the kinds of labels as `value 60 %, result 40 %`.
pub(super) fn label_list(labels: &[(String, u64)]) -> String {
    let all: u64 = labels.iter().map(|kind| kind.1).sum();
    let percent = |count: u64| 100.0 * count as f64 / all as f64;
    let kind = |(kind, count): &(String, u64)| format!("{kind} {:.0} %", percent(*count));
    labels.iter().map(kind).collect::<Vec<_>>().join(", ")
}
