//! Checks for races: a write and any other use of the same memory must be in one stream, or events
//! or waits of the host must order them. The order in which the two happened to run does not count.
//!
//! The [`Clock`] of a stream advances with its own operations, joins the clock of each event that
//! the stream waits for, and joins the host's clock at each call that queues an operation.

use std::collections::BTreeMap;

pub(crate) type StreamNumber = u64;

/// A vector clock: for each stream, the last operation that surely precedes the operation, event or
/// host call to which the clock belongs.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Clock(BTreeMap<StreamNumber, u64>);

/// An operation, identified by its stream and its number in this stream, counted from 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Moment {
    pub(crate) stream: StreamNumber,
    pub(crate) number: u64,
}

impl Clock {
    pub(crate) fn join(&mut self, other: &Self) {
        for (&stream, &number) in &other.0 {
            let own = self.0.entry(stream).or_default();
            *own = number.max(*own);
        }
    }

    pub(crate) fn next(&mut self, stream: StreamNumber) -> Moment {
        let own = self.0.entry(stream).or_default();
        *own += 1;
        Moment { stream, number: *own }
    }

    pub(crate) fn covers(&self, other: &Self) -> bool {
        other.0.iter().all(|(&stream, &number)| self.knows(Moment { stream, number }))
    }

    fn knows(&self, moment: Moment) -> bool {
        self.0.get(&moment.stream).is_some_and(|&number| moment.number <= number)
    }
}

/// The last write to a block of memory, and the reads since then for which the next write must
/// wait. If one read surely precedes another, only the later is kept.
#[derive(Clone, Default, Debug)]
pub(crate) struct Uses {
    written: Option<Moment>,
    read: Vec<Moment>,
}

impl Uses {
    /// Records a read of the block. Returns true if the last write, if any, surely precedes the
    /// read.
    pub(crate) fn read(&mut self, moment: Moment, clock: &Clock) -> bool {
        let ordered = self.written.is_none_or(|written| clock.knows(written));
        self.read.retain(|read| !clock.knows(*read));
        self.read.push(moment);
        ordered
    }

    /// Records a write or free of the block. Returns true if all earlier uses surely precede it.
    pub(crate) fn write(&mut self, moment: Moment, clock: &Clock) -> bool {
        let before = self.written.iter().chain(&self.read).all(|use_| clock.knows(*use_));
        *self = Self { written: Some(moment), read: vec![] };
        before
    }
}
