use othello_engine::board::StatedPosition;
use othello_engine::text::Invalid;
use serde::Deserialize;
use serde_json::{Value as Json, json};

use crate::searching::How;
use crate::{game, searching};

#[derive(Deserialize)]
#[serde(tag = "ask", rename_all = "lowercase")]
enum Question {
    Read {
        text: String,
    },
    Game {
        start: String,
        moves: String,
    },
    Builtin {
        name: String,
    },
    Level {
        level: u32,
    },
    Search {
        board: String,
        #[serde(flatten)]
        how: How,
    },
    Values {
        boards: Vec<String>,
    },
    Rate {
        board: String,
        square: String,
        #[serde(flatten)]
        how: How,
    },
    Parts {
        board: String,
    },
}

/// Answers a question (JSON with the key `ask`) by `{"answer": …}` or `{"error": "…"}`.
pub fn answer_text(question: &str) -> String {
    let question = serde_json::from_str(question).map_err(|error| error.to_string());
    written(question.and_then(answer))
}

pub(crate) fn written(answer: Result<Json, String>) -> String {
    match answer {
        Ok(answer) => json!({ "answer": answer }).to_string(),
        Err(error) => json!({ "error": error }).to_string(),
    }
}

fn answer(question: Question) -> Result<Json, String> {
    match question {
        Question::Read { text } => game::read(&text),
        Question::Game { start, moves } => game::positions(&board(&start)?, &moves),
        Question::Builtin { name } => searching::Loaded::builtin(&name),
        Question::Level { level } => searching::level(level),
        Question::Search { board: text, how } => searching::search(&board(&text)?, &how),
        Question::Values { boards } => {
            let read = |(at, text): (usize, &String)| {
                board(text).map_err(|error| match boards.len() {
                    1 => error,
                    _ => format!("boards[{at}]: {error}"),
                })
            };
            let boards = boards.iter().enumerate().map(read).collect::<Result<Vec<_>, _>>()?;
            searching::values(&boards)
        }
        Question::Rate { board: text, square, how } => {
            searching::rate(&board(&text)?, &square, &how)
        }
        Question::Parts { board: text } => searching::parts(&board(&text)?),
    }
}

fn board(text: &str) -> Result<StatedPosition, String> {
    text.parse().map_err(|error: Invalid| error.to_string())
}
