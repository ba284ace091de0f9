//! Trainer.
