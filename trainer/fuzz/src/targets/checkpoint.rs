//! Checkpoints, in a sound container.

use othello_engine::eval::Weights;
use othello_trainer::fit::FitError;

use super::super::engine::container::{self, Section};
use super::super::engine::scratch;
use super::super::engine::targets::check_message;
use super::resumed_fit;

/// What stands between sections: the name, the content.
const BETWEEN: u8 = 0xFE;

/// Sections of a checkpoint: names and contents in turn, with a byte `FE` between them. The fit
/// takes them or refuses them by name, and makes weights that can be read.
pub fn checkpoint(data: &[u8]) {
    let mut parts = data.split(|&byte| byte == BETWEEN);
    let mut sections = vec![];
    while let (Some(name), Some(content)) = (parts.next(), parts.next()) {
        sections.push(Section { name: name.to_vec(), ..Section::new("", content) });
    }
    let sound = resumed_fit::sound();
    let length = u32::from_le_bytes([sound[12], sound[13], sound[14], sound[15]]) as usize;
    let bytes = container::partial(sound[..20 + length].to_vec(), &sections);
    scratch::with_file("fit.weights.checkpoint.partial", &bytes, |path| {
        match resumed_fit::of(path) {
            Ok(_) => {
                let read = Weights::read(&scratch::path("fit.weights"));
                if let Err(error) = read {
                    panic!("weights that cannot be read: {error}");
                }
            }
            Err(FitError::Checkpoint(error)) => {
                let message = error.to_string();
                assert!(message.contains("fit.weights.checkpoint.partial"), "{message}");
                check_message(&message);
            }
            Err(error) => panic!("{error}"),
        }
    });
}
