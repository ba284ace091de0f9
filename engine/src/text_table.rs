//! Text tables, aligned with spaces or in Markdown.

use comfy_table::presets::{ASCII_MARKDOWN, NOTHING};
use comfy_table::{CellAlignment, ContentArrangement, Table};

/// Returns a table: headings, then one line for each row, without a line break at the end. Columns
/// are aligned right, for numbers, or left if the heading begins with `<`.
///
/// ```
/// use othello_engine::text_table::table;
///
/// let table = table(["<squares", "games"], [["f5", "1200"], ["a1 h8", "7"]]);
/// assert_eq!(table, "squares  games\nf5        1200\na1 h8        7");
/// ```
pub fn table<const N: usize, C: ToString>(
    headings: [&str; N],
    rows: impl IntoIterator<Item = [C; N]>,
) -> String {
    let mut table = Table::new();
    table.load_preset(NOTHING).set_content_arrangement(ContentArrangement::Disabled);
    table.set_header(headings.map(|heading| heading.strip_prefix('<').unwrap_or(heading)));
    for row in rows {
        table.add_row(row.map(|cell| cell.to_string()));
    }
    for (column, heading) in table.column_iter_mut().zip(headings) {
        // Two spaces between columns, none around the table.
        column.set_padding((if column.index == 0 { 0 } else { 2 }, 0));
        if !heading.starts_with('<') {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table.trim_fmt()
}

/// Returns a table in Markdown, without a line break at the end. A bar in a cell is escaped.
///
/// ```
/// use othello_engine::text_table::markdown;
///
/// let row = ["f5".to_owned(), "1|200".to_owned()];
/// let table = markdown(&["square", "games"], [row]);
/// assert_eq!(table, "| square | games  |\n|--------|--------|\n| f5     | 1\\|200 |");
/// ```
pub fn markdown<C: AsRef<str>>(
    headings: &[C],
    rows: impl IntoIterator<Item = impl AsRef<[String]>>,
) -> String {
    let escaped = |cell: &str| cell.replace('|', "\\|");
    let mut table = Table::new();
    table.load_preset(ASCII_MARKDOWN).set_content_arrangement(ContentArrangement::Disabled);
    table.set_header(headings.iter().map(|heading| escaped(heading.as_ref())));
    for row in rows {
        table.add_row(row.as_ref().iter().map(|cell| escaped(cell)));
    }
    table.trim_fmt()
}
