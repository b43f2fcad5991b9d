//! Each stage prints itself: model text in, printed text out, compared with the files in `tests/stages`.
//! Where a change is meant, delete the file of the stage and run the test once: it writes the new text and fails.

use ordinate::{CompileOptions, Source, Stage, emit};
use std::fs;
use std::path::Path;

#[test]
fn every_stage_prints_what_it_printed_before() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/stages");
    let mut models: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    models.retain(|path| path.extension().is_some_and(|e| e == "eq"));
    models.sort();
    assert!(models.len() >= 4);
    let mut differences = Vec::new();
    for model in models {
        let source = Source::text(fs::read_to_string(&model).unwrap());
        let stages =
            [("tree", Stage::Tree), ("model", Stage::Model), ("sorted", Stage::Sorted), ("program", Stage::Program)];
        for (suffix, stage) in stages {
            let printed = emit(&source, &CompileOptions::default(), stage).expect("the models of this test are right");
            let file = model.with_extension(suffix);
            match fs::read_to_string(&file) {
                Ok(expected) if expected == printed => {}
                Ok(expected) => {
                    differences.push(format!("{}:\n--- expected\n{expected}--- printed\n{printed}", file.display()))
                }
                Err(_) => {
                    fs::write(&file, printed).unwrap();
                    differences.push(format!("{} was missing and is written now; look at it", file.display()));
                }
            }
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}
