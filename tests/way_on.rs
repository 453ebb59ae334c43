//! Real files: those that are read open calmly, and those that the reference refuses have a way on that leads to an
//! estimate, one action after the other (DESIGN 3.5).

mod checks;

use checks::{cases, golden, name_of};
use serde_json::Value;
use shardmem::diagnostics::{Code, Help, Severity};
use shardmem::document;
use shardmem::estimate::{Found, Input, ModelChoice, Outcome, Ready, Rejected, estimate};
use shardmem::model::{Dimension, catalogue};
use shardmem::provenance::Origin;
use shardmem::report::actions::{Action, actions};

fn real_files() -> Vec<Value> {
    cases(&golden("yamls.json")).to_vec()
}

fn warnings(ready: &Ready) -> Vec<String> {
    let warned = ready.findings.iter().filter(|found| found.diagnostic.severity == Severity::Warning);
    warned.map(Found::message).collect()
}

#[test]
fn readable_files_open_with_at_most_three_warnings() {
    let mut opened = 0;
    for case in real_files() {
        let Outcome::Ready(ready) = estimate(&Input::of(case["yaml"].as_str().expect("a text"))) else { continue };
        assert!(warnings(&ready).len() <= 3, "{}: {:?}", name_of(&case), warnings(&ready));
        opened += 1;
    }
    assert_eq!(opened, 8);
}

/// Takes the first action that there is for an error; none where the text has to be mended by hand.
fn take(input: &Input, rejected: &Rejected) -> Option<(Input, Action)> {
    let error = rejected.errors().next().expect("an error");
    let action = actions(&error.diagnostic).into_iter().next()?;
    let mut next = input.clone();
    match &action {
        Action::UseModel(id) => next.model = ModelChoice::Catalogue(id.as_str().into()),
        Action::PickModel | Action::PasteConfig => next.model = ModelChoice::Catalogue("Qwen/Qwen3-8B".into()),
        Action::LeaveOut(keys) => {
            let document = document::parse(&input.text).expect("YAML").value;
            next.overrides.leave_out(&document, keys);
        }
    }
    Some((next, action))
}

#[test]
fn every_refused_file_has_a_way_on() {
    let mut refused = 0;
    for case in real_files() {
        let mut input = Input::of(case["yaml"].as_str().expect("a text"));
        let mut taken = Vec::new();
        while let Outcome::Rejected(rejected) = estimate(&input) {
            let codes: Vec<_> = rejected.errors().map(|error| error.diagnostic.code.name()).collect();
            let Some((next, action)) = take(&input, &rejected).filter(|_| taken.len() < 3) else {
                panic!("{}: {codes:?} after {taken:?}", name_of(&case));
            };
            input = next;
            taken.push(action);
        }
        refused += usize::from(!taken.is_empty());
        assert_eq!(taken.is_empty(), case.get("error").is_none(), "{}: {taken:?}", name_of(&case));
    }
    assert_eq!(refused, 22);
}

#[test]
fn the_model_that_a_refused_file_means_is_found() {
    let expected = [
        ("codegen_deepseekv4.yaml", "deepseek-ai/DeepSeek-V4-Flash"),
        ("kimi_k26_pretrain_vlm.yaml", "moonshotai/Kimi-K2.6"),
        ("qwen3_5_35b_a3b_base.yaml", "Qwen/Qwen3.5-35B-A3B"),
        ("train_kimi_vlm.yaml", "moonshotai/Kimi-K2.6"),
        ("training_demo_train.yaml", "Qwen/Qwen3-30B-A3B"),
        ("tt_qwen3_5_moe_recipe.yaml", "Qwen/Qwen3.5-35B-A3B"),
        ("tt_train_qwen3_5_moe.yaml", "Qwen/Qwen3.5-35B-A3B"),
    ];
    for case in real_files() {
        let Outcome::Rejected(rejected) = estimate(&Input::of(case["yaml"].as_str().expect("a text"))) else {
            continue;
        };
        let error = &rejected.errors().next().expect("an error").diagnostic;
        let offered = actions(error).into_iter().find_map(|action| match action {
            Action::UseModel(id) => Some(id),
            Action::PickModel | Action::PasteConfig | Action::LeaveOut(_) => None,
        });
        let meant = expected.iter().find(|(file, _)| case["file"] == *file).map(|(_, id)| *id);
        assert_eq!(offered.as_deref(), meant, "{}", name_of(&case));
        if let Some(id) = meant {
            assert_eq!(error.help, Some(Help::UseDimensionsOf(id.to_owned())));
        }
    }
}

const NAMED: &str = "model: {pretrained_model_name_or_path: NAME}\ncontext: {device_num: 8, visual_seq_len: 1024}\n\
                     dataset: {data_transform: {max_seq_len: 4096}}\noptimizer: {_target_: AdamW}\n";

#[test]
fn dimensions_taken_from_a_near_name_are_chosen_by_you() {
    for (name, id) in [
        ("DeepSeek-V33", "deepseek-ai/DeepSeek-V3"),
        ("deepseek_v3", "deepseek-ai/DeepSeek-V3"),
        ("Qwen3-30B", "Qwen/Qwen3-30B-A3B"),
        ("/home/x/Qwen3-8B-Base", "Qwen/Qwen3-8B"),
    ] {
        let input = Input::of(&NAMED.replace("NAME", name));
        let Outcome::Rejected(rejected) = estimate(&input) else { panic!("{name} was read") };
        let error = rejected.errors().next().expect("an error");
        assert_eq!(error.diagnostic.code, Code::HfConfigUnresolved);
        assert_eq!(error.help(), Some(format!("use the dimensions of {id} (same shapes inferred)")));
        let (next, action) = take(&input, &rejected).expect("a way on");
        assert_eq!(action, Action::UseModel(id.to_owned()));
        let Outcome::Ready(ready) = estimate(&next) else { panic!("{name} is refused with its model") };
        let hidden = ready.facts.model.dimension(Dimension::HiddenSize).expect("a width");
        assert_eq!(hidden.origin, Origin::ChosenModel(id.into()));
    }
}

#[test]
fn every_model_of_the_catalogue_is_read_by_its_name_or_refused_with_itself() {
    let mut refused = Vec::new();
    for entry in catalogue::all() {
        match estimate(&Input::of(&NAMED.replace("NAME", entry.id))) {
            Outcome::Ready(ready) => assert_eq!(ready.facts.model.catalogue_id.as_deref(), Some(entry.id)),
            Outcome::Rejected(rejected) => {
                let error = &rejected.errors().next().expect("an error");
                // The reference cannot read such a tower: the file is refused, and the model can be chosen.
                assert_eq!(error.diagnostic.code, Code::VisionMissing, "{}", entry.id);
                assert_eq!(actions(&error.diagnostic)[0], Action::UseModel(entry.id.to_owned()));
                assert!(error.position.is_some(), "{} is refused without a place", entry.id);
                refused.push(entry.id);
            }
        }
    }
    let towers = [
        "meta-llama/Llama-3.2-90B-Vision-Instruct",
        "moonshotai/Kimi-K2.5",
        "moonshotai/Kimi-K2.6",
        "moonshotai/Kimi-K3",
    ];
    assert_eq!(refused, towers);
}

#[test]
fn empty_stages_are_noted() {
    let text = NAMED.replace("NAME", "deepseek-ai/DeepSeek-V3").replace("device_num: 8", "device_num: 64");
    let Outcome::Ready(ready) = estimate(&Input::of(&format!("{text}accelerator: {{pp_size: 64}}\n"))) else {
        panic!("refused")
    };
    let note = ready.findings.iter().find(|found| found.diagnostic.code == Code::StagesEmpty).expect("a note");
    assert_eq!(note.diagnostic.severity, Severity::Note);
    assert_eq!(note.message(), "the stages 61-63, counted from 0, run nothing: 61 layers do not reach all 64 stages");
}
