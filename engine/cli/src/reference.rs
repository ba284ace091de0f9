//! The hidden subcommands `completions`, `man` and `reference`. `reference` writes Markdown pages:
//! the help texts of commands, and the doc comments on fields of JSON objects and settings.

use std::fs;
use std::path::PathBuf;

use anyhow::Context as _;
use clap_complete::Shell;
use clap_markdown::MarkdownOptions;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde_json::Value;

use crate::Outcome;
use crate::progress::events::Event;
use crate::report::to_standard_output;

/// Arguments of `reference`.
#[derive(clap::Args, Debug)]
pub struct Reference {
    /// Folder to write the reference pages to
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

/// A reference page that describes JSON objects or settings.
pub struct Page {
    /// The file name of the page.
    pub file: &'static str,
    /// The title of the page, and its introduction in Markdown.
    pub head: &'static str,
    /// The JSON objects on the page, each with its heading.
    pub objects: Vec<(&'static str, Schema)>,
}

/// Returns the JSON schema of a type in its serialized form.
pub fn schema<T: JsonSchema>() -> Schema {
    let settings = SchemaSettings::default().with(|settings| settings.inline_subschemas = true);
    settings.for_serialize().into_generator().into_root_schema_for::<T>()
}

/// Returns the schema of the events of `--log json` and `--progress-file`.
pub fn event_schema() -> Schema {
    schema::<Event<'_>>()
}

impl Reference {
    /// Writes Markdown files: one about `command` and its subcommands, and one for each of `pages`.
    pub fn write(&self, command: clap::Command, pages: &[Page]) -> anyhow::Result<Outcome> {
        fs::create_dir_all(&self.folder).with_context(|| self.folder.display().to_string())?;
        let options = MarkdownOptions::new().show_footer(false);
        let commands = clap_markdown::help_markdown_command_custom(&command, &options);
        let file = format!("{}.md", command.get_name());
        let written = pages.iter().map(|page| (page.file, page.text()));
        for (file, text) in std::iter::once((file.as_str(), commands)).chain(written) {
            let path = self.folder.join(file);
            let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
            let text = lines.join("\n").trim_end().to_owned() + "\n";
            fs::write(&path, text).with_context(|| path.display().to_string())?;
        }
        Ok(Outcome::Done)
    }
}

impl Page {
    fn text(&self) -> String {
        let mut text = self.head.to_owned();
        for (heading, schema) in &self.objects {
            let mut rows = vec![];
            collect(schema.as_value(), "", &mut rows);
            rows.dedup();
            let [name, line] = match rows.iter().any(|row| row.default.is_some()) {
                true => [" default |", "---|"],
                false => ["", ""],
            };
            text +=
                &format!("\n## {heading}\n\n| field | type |{name} is |\n|---|---|{line}---|\n");
            for Row { field, kind, default, description } in rows {
                let default = default.map_or(String::new(), |default| format!("`{default}`"));
                let default = if name.is_empty() { default } else { format!(" {default} |") };
                text += &format!("| `{field}` | {kind} |{default} {description} |\n");
            }
        }
        text
    }
}

#[derive(PartialEq, Eq)]
struct Row {
    /// The path of the field: `a.b` inside an object, `a[].b` inside the elements of an array.
    field: String,
    kind: String,
    default: Option<String>,
    description: String,
}

fn collect(schema: &Value, path: &str, rows: &mut Vec<Row>) {
    variants(schema).for_each(|variant| collect(variant, path, rows));
    if schema["items"].is_object() {
        return collect(&schema["items"], &format!("{path}[]"), rows);
    }
    let fields = schema["properties"].as_object().into_iter().flatten();
    for (name, field) in fields {
        let dot = if path.is_empty() || path.ends_with('.') { "" } else { "." };
        let path = format!("{path}{dot}{name}");
        let default = field.get("default").or(schema["default"].get(name)).map(in_toml);
        let first = rows.len();
        collect(field, &path, rows);
        let description = one_line(field["description"].as_str().unwrap_or_default());
        if rows.len() == first || !description.is_empty() {
            let kind = kind_of(field);
            let default = default.filter(|_| rows.len() == first);
            rows.insert(first, Row { field: path, kind, default, description });
        }
    }
}

fn variants(schema: &Value) -> impl Iterator<Item = &Value> {
    ["oneOf", "anyOf", "allOf"].iter().filter_map(|key| schema[key].as_array()).flatten()
}

fn in_toml(value: &Value) -> String {
    match value {
        Value::Null => "none".to_owned(),
        // A range is serialized with `..=`, as in provenance; the documentation writes `..`.
        Value::String(text) => text.replace("..=", ".."),
        value => value.to_string(),
    }
}

fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").replace('|', "\\|").replace("[`", "`").replace("`]", "`")
}

fn kind_of(schema: &Value) -> String {
    let mut kinds: Vec<String> = match &schema["type"] {
        Value::String(kind) => vec![kind.clone()],
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        _ => variants(schema).map(kind_of).collect(),
    };
    kinds.dedup();
    let choices = schema["enum"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let choices: Vec<String> = choices.map(|choice| format!("`{choice}`")).collect();
    if !choices.is_empty() {
        return choices.join(", ");
    }
    if let Some(one) = schema["const"].as_str() {
        return format!("`{one}`");
    }
    if kinds.is_empty() { "any".to_owned() } else { kinds.join(" or ") }
}

/// Arguments of `completions`.
#[derive(clap::Args, Debug)]
pub struct Completions {
    /// Shell to write completions for
    shell: Shell,
}

/// Arguments of `man`.
#[derive(clap::Args, Debug)]
pub struct Man {
    /// Folder for the manual pages, one for each subcommand
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

impl Completions {
    /// Writes shell completions of `command` to standard output.
    pub fn write(&self, mut command: clap::Command) -> anyhow::Result<Outcome> {
        let name = command.get_name().to_owned();
        let mut script = vec![];
        clap_complete::generate(self.shell, &mut command, name, &mut script);
        to_standard_output(|out| std::io::Write::write_all(out, &script))?;
        Ok(Outcome::Done)
    }
}

impl Man {
    /// Writes manual pages of `command` and its subcommands.
    pub fn write(&self, command: clap::Command) -> anyhow::Result<Outcome> {
        let folder = || self.folder.display().to_string();
        fs::create_dir_all(&self.folder).with_context(folder)?;
        clap_mangen::generate_to(command, &self.folder).with_context(folder)?;
        Ok(Outcome::Done)
    }
}
