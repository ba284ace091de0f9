//! Tests of the command `quantize`.

use othello_engine::board::Phase;
use othello_engine::eval::Weights;

use super::folder::Folder;

#[test]
fn coarser_weights_are_smaller_and_name_what_they_were_made_from() {
    let folder = Folder::with_self_play(5, 200, 6);
    let fit = "fit a.games --patterns small --optimizer lsq --phases 38..45 --out a.weights";
    let fitted = folder.json(fit);

    let coarser = folder.json("quantize a.weights --label-error 20 --out b.weights");
    let bytes = |name: &str| folder.read(name).len();
    assert!(coarser["bytes"] == bytes("b.weights") && bytes("b.weights") < bytes("a.weights"));
    let change = coarser["change"]["root_mean_square"].as_f64().unwrap();
    assert!(0.0 < change && change < 5.0, "{coarser}");
    let file = Weights::read(&folder.path("b.weights")).unwrap();
    assert_eq!(coarser["sha256"], file.sha256);
    let provenance = file.provenance.as_map();
    assert_eq!(provenance["weights"], fitted["sha256"]);
    assert_eq!(provenance["weights_provenance"]["command"], "fit");

    folder.runs("quantize a.weights --count-digits 0 --label-error 0 --out c.weights");
    folder.refuses("quantize c.weights --out d.weights", "c.weights: all counts are 0");
    let same = folder.json("quantize c.weights --label-error 0 --out d.weights");
    assert_eq!(same["change"]["greatest"], 0.0);

    folder.runs("quantize a.weights --share-phases 4 --label-error 0 --out e.weights");
    let shared = Weights::read(&folder.path("e.weights")).unwrap();
    assert_eq!(shared.provenance.as_map()["share_phases"], 4);
    let steps = [39, 40, 43].map(|phase| shared.weights.steps(Phase::new(phase).unwrap()));
    assert!(steps[1] == steps[2] && steps[0] != steps[1]);
    folder.refuses("quantize c.weights --share-phases 61 --out f.weights", "1 to 60");
}
