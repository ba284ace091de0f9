//! Builds the datasets that are written to folders, from records and from other such datasets.

use othello_engine::progress::Progress;

use super::FolderError;
use super::destination::Destination;
use super::held_out::TrainedOn;
use super::{DataChoice, Dataset, DatasetBuilder, DatasetError, DatasetFolder, LayoutSettings};
use crate::memory::MemoryLimit;

/// An input of a dataset that is laid out.
pub enum LayoutInput {
    /// A file of records.
    Records(DataChoice),
    /// A dataset laid out with the same settings; its own inputs are not read again.
    Dataset(Box<DatasetFolder>),
}

impl Dataset {
    /// Reads a dataset for writing to a folder. The result is the same whether all inputs are read
    /// now or some were laid out before. All of `test` goes to the test part, except what training
    /// also has.
    pub fn lay_out(
        limit: MemoryLimit,
        data: &[LayoutInput],
        test: &[DataChoice],
        settings: &LayoutSettings,
        progress: &dyn Progress,
    ) -> Result<Self, DatasetError> {
        let mut trained = TrainedOn::default();
        for input in data {
            match input {
                LayoutInput::Records(choice) => trained.add_file(&choice.path),
                LayoutInput::Dataset(folder) => {
                    trained.add_inputs(folder.path(), folder.inputs().0);
                }
            }
        }
        trained.check(test.iter().map(|choice| choice.path.as_path()))?;
        let split = settings.split;
        let mut builder = DatasetBuilder::new(settings.labels.clone(), split).into_laid_out(limit);
        let files = data.iter().filter_map(|input| match input {
            LayoutInput::Records(choice) => Some(choice),
            LayoutInput::Dataset(_) => None,
        });
        builder.expect(files.chain(test));
        for input in data {
            match input {
                LayoutInput::Records(choice) => {
                    builder.read_file(choice, Destination::Split(split), progress)?;
                }
                LayoutInput::Dataset(folder) => {
                    let differences = settings.differences(folder.settings());
                    if !differences.is_empty() {
                        let path = folder.path().to_owned();
                        return Err(FolderError::Settings { path, differences }.into());
                    }
                    builder.add_folder(DatasetFolder::clone(folder));
                }
            }
        }
        for choice in test {
            builder.read_file(choice, Destination::Test, progress)?;
        }
        builder.finish_filled(progress, || {
            let path = |input: &LayoutInput| match input {
                LayoutInput::Records(choice) => choice.path.clone(),
                LayoutInput::Dataset(folder) => folder.path().to_owned(),
            };
            data.iter().map(path).collect()
        })
    }
}
