//! The fuzz target for the readers of SGF and the GTP and NBoard servers. The answer to any line
//! must be empty or have the right format.

use std::io::Cursor;

use othello_engine::board::Side;
use othello_engine::board::sgf;
use othello_engine::eval::Zero;
use othello_engine::protocol::gtp::Gtp;
use othello_engine::protocol::nboard::Nboard;
use othello_engine::protocol::{Board, Player, Server, Turn, serve};
use othello_engine::search::{Level, Search};

pub(super) fn protocols(data: &[u8]) {
    if let Ok(game) = sgf::parse(&String::from_utf8_lossy(data)) {
        let mut board = Board::new(game.position, game.side);
        let first = game.position.discs();
        let is_legal = |(side, turn): &(Side, Turn)| board.play(*side, *turn).is_ok();
        let played = game.turns.into_iter().take_while(is_legal).filter(|turn| turn.1.is_some());
        assert!(first >= 4 && first as usize + played.count() <= 64);
    }
    let player = || {
        let level = Level::new(1).expect("a level");
        Player::new(&Search::new(&Zero).hash_mb(0), level).expect("memory")
    };
    let (mut gtp, mut nboard) = (Gtp::new(player()), Nboard::new(player()));
    // Deep searches take long and do not test parsing.
    let deep = |line: &&[u8]| !line.windows(5).any(|word| word == b"level" || word == b"depth");
    let lines: Vec<&[u8]> = data.split(|&byte| byte == b'\n').filter(deep).take(200).collect();
    for line in &lines {
        let text = gtp.answer(&String::from_utf8_lossy(line)).text;
        let whole = text.starts_with(['=', '?']) && text.ends_with("\n\n");
        assert!(text.is_empty() || whole, "{text:?}");
        let text = nboard.answer(&String::from_utf8_lossy(line)).text;
        assert!(text.is_empty() || text.ends_with('\n'), "{text:?}");
    }
    let mut output = vec![];
    serve(&mut Gtp::new(player()), Cursor::new(lines.join(&b'\n')), &mut output).expect("memory");
}
