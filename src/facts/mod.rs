//! What a run and its model state, in the trainer's words, each value with where it comes from; no arithmetic beyond the
//! trainer's own defaults (config-spec 2 to 5).

mod apply;
pub mod capacity;
pub mod controls;
pub mod devices;
pub mod dialect;
pub mod execution;
mod keys;
mod kind;
mod overrides;
pub mod ranges;
mod reader;
mod run;
mod values;
pub mod width;

pub use apply::{Unwritten, apply, new_run};
pub use dialect::EMPTY_RUN;
pub use kind::{InputKind, Schema};
pub use overrides::Overrides;
pub use run::RunSpec;
pub use values::{
    Capacity, CapacityUnit, ExpertMesh, Offset, RecomputeLayers, RecomputeOption, RecomputeRange, Switches,
};

use crate::diagnostics::{Checked, Code, Diagnostic, Errors, Help, Place};
use crate::document::{Document, Mapping, Node};
use crate::model::{self, ConfigText, Dimension, ModelSpec, Statement, catalogue};
use crate::provenance::{KeyPath, Origin, Segment, Source, Stated};
use dialect::{Fact, Section};
use reader::{Reader, refused};
use std::sync::Arc;

/// Which model a file is read with.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum ModelChoice {
    /// The one the file names, looked up in the catalogue by exact id, else by the last part of its path.
    #[default]
    Named,
    /// A catalogue entry that the user chose.
    Catalogue(Arc<str>),
    /// A config.json that the user gave.
    Config(Arc<Document>),
    /// None can be read.
    Unreadable,
}

/// Everything a file states.
#[derive(Debug, Clone, PartialEq)]
pub struct Facts {
    /// What the file is.
    pub input_kind: InputKind,
    /// The schema it is read by.
    pub schema: Schema,
    /// The model, with its MTP layers even where the trainer builds none.
    pub model: ModelSpec,
    /// MTP layers that the trainer builds.
    pub mtp_layers: i64,
    /// MTP layers that it does not build; `None` in the legacy schema.
    pub mtp_unpriced: Option<i64>,
    /// Where the file names the model, if it does.
    pub model_place: Place,
    /// Whether the run's model class builds the checkpoint's vision tower (config-spec 11).
    pub builds_tower: bool,
    /// The run.
    pub run: RunSpec,
    /// Where each section stands in the file, or would be written.
    pub(crate) sections: Vec<(Section, KeyPath)>,
    /// Findings that the reference raises only after the derivation (config-spec 18.3); `config::derive` adds them.
    pub(crate) late: Vec<Diagnostic>,
}

/// Reads what a file states.
pub fn read(
    document: &Document,
    choice: &ModelChoice,
    overrides: &Overrides,
    caller_devices: Option<i64>,
) -> Result<Checked<Facts>, Errors> {
    let Some(root) = document.root.value.as_mapping() else {
        return Err(Errors::one(
            Diagnostic::new(Code::RootNotMapping, Place::Whole).with(document.root.value.to_text()),
        ));
    };
    if let Some((kind, path)) = kind::foreign(root) {
        let code = if kind == InputKind::Search { Code::InputSearch } else { Code::InputMindformers };
        return Err(Errors::one(Diagnostic::new(code, Place::Key(Source::Run, path.clone())).with(path.to_string())));
    }
    let reader = Reader::new(root, overrides, Schema::of(root));
    keys::report(&reader, root);
    let facts = read_facts(&reader, root, choice, caller_devices);
    report_unread_overrides(&reader);
    let mut findings = reader.into_findings();
    if facts.is_none() && !findings.failed() {
        findings.add(Diagnostic::new(Code::ModelUnstated, Place::Whole));
    }
    findings.finish(facts)
}

/// Reads the run again under other overrides; the model stays that of `before`, which was read from the same document. A
/// slider's strip asks for hundreds of runs of one model, and the model is half of the reading. `None` where one of the
/// overrides that `before` was read without (`new`) may change the model; then only [`read`] answers.
///
/// Errors and warnings are those of the run alone.
pub fn read_run_again(
    document: &Document,
    before: &Facts,
    overrides: &Overrides,
    new: &Overrides,
    caller_devices: Option<i64>,
) -> Option<Result<Checked<Facts>, Errors>> {
    let root = document.root.value.as_mapping()?;
    let reader = Reader::new(root, overrides, before.schema);
    if new.iter().any(|(path, _)| states_the_model(&reader, path)) {
        return None;
    }
    let model = run::ModelFacts { spec: Some(&before.model), mtp_layers: before.mtp_layers };
    let (run, late) = run::read(&reader, model, caller_devices);
    let facts = Facts {
        input_kind: before.input_kind,
        schema: before.schema,
        model: before.model.clone(),
        mtp_layers: before.mtp_layers,
        mtp_unpriced: before.mtp_unpriced,
        model_place: before.model_place.clone(),
        builds_tower: before.builds_tower,
        sections: before.sections.clone(),
        run,
        late,
    };
    Some(reader.into_findings().finish(Some(facts)))
}

/// Whether what stands at a path, or below it, may be read into the model spec.
fn states_the_model(reader: &Reader<'_>, path: &KeyPath) -> bool {
    let (section, key) = Fact::VisualTokens.keys()[0];
    let model = reader.section(Section::Model);
    path.segments().starts_with(model.segments()) || *path == reader.section(section).key(key)
}

/// The path or id a file names its checkpoint by.
pub fn named_model(document: &Document) -> Option<String> {
    let root = document.root.value.as_mapping()?;
    let overrides = Overrides::none();
    let reader = Reader::new(root, &overrides, Schema::of(root));
    reader.truthy(Fact::ModelPath).map(|found| found.value.to_text())
}

fn read_facts(reader: &Reader<'_>, root: &Mapping, choice: &ModelChoice, caller_devices: Option<i64>) -> Option<Facts> {
    let visual_tokens = reader.truthy(Fact::VisualTokens).map(|found| reader.to_integer(&found, 0));
    let fragment = is_fragment(reader, root);
    let model_place = reader.truthy(Fact::ModelPath).map_or(Place::Whole, |found| found.place());
    let spec = read_model(reader, choice, visual_tokens.as_ref());
    let depth = spec.as_ref().map_or(0, |spec| spec.count(Dimension::MtpDepth));
    let auto_models = reader.schema == Schema::AutoModels;
    if auto_models
        && depth != 0
        && let Some(spec) = &spec
    {
        let stated = spec.place_of(Dimension::MtpDepth).filter(|_| spec.catalogue_id.is_none());
        let place = stated.map_or_else(|| model_place.clone(), |(source, path)| Place::Value(source, path));
        reader.report(Diagnostic::new(Code::MtpUnpriced, place).with(depth));
    }
    let mtp_layers = if auto_models { 0 } else { depth };
    let (run, late) = run::read(reader, run::ModelFacts { spec: spec.as_ref(), mtp_layers }, caller_devices);
    let kind = match (fragment, reader.schema) {
        (true, _) => InputKind::Fragment,
        (false, Schema::AutoModels) => InputKind::AutoModels,
        (false, Schema::Legacy) => InputKind::Legacy,
    };
    if fragment && spec.is_some() {
        reader.report(Diagnostic::new(Code::Fragment, Place::Missing(Source::Run, KeyPath::parse(dialect::MODEL))));
    }
    Some(Facts {
        input_kind: kind,
        schema: reader.schema,
        model: spec?,
        mtp_layers,
        mtp_unpriced: auto_models.then_some(depth),
        model_place,
        builds_tower: builds_tower(reader),
        sections: Section::ALL.iter().map(|section| (*section, reader.section(*section))).collect(),
        run,
        late,
    })
}

/// No model section, or one that names no model and no dimensions.
fn is_fragment(reader: &Reader<'_>, root: &Mapping) -> bool {
    let (_, dtype) = Fact::TorchDtype.keys()[0];
    let entries = |section| {
        let section = reader::mapping_at(root, &reader.section(section));
        section.into_iter().flat_map(|section| &section.entries).filter(|entry| &*entry.key != dtype)
    };
    let stated = entries(Section::Model)
        .any(|entry| entry.node.value.truthy() && model::fields::may_stand_under_model(&entry.key));
    let overridden = entries(Section::Overrides).any(|entry| !Section::Overrides.keys().any(|key| key == &*entry.key));
    reader.truthy(Fact::ModelPath).is_none() && !overridden && !stated
}

fn read_model(reader: &Reader<'_>, choice: &ModelChoice, visual_tokens: Option<&Stated<i64>>) -> Option<ModelSpec> {
    let section = reader.model_section();
    let overridden = reader.overridden();
    let named =
        reader.truthy(Fact::ModelPath).map(|found| Stated::new(Arc::<str>::from(found.value.to_text()), found.origin));
    let chosen = Chosen::of(choice, named.as_ref());
    let chosen = match chosen {
        Ok(chosen) => chosen,
        Err(error) => {
            reader.report(error);
            return None;
        }
    };
    let path = named.or_else(|| chosen.as_ref().map(Chosen::path));
    let census = reader.truthy(Fact::Census);
    let keys = dialect::model_keys();
    let statement = Statement {
        keys: &keys,
        path: path.as_ref(),
        config: chosen.as_ref().map(Chosen::config),
        section: &section,
        overridden: &overridden,
        visual_tokens,
    };
    let spec = reader.take(model::resolve(&statement));
    if let Some(found) = census.filter(|_| spec.is_some()) {
        reader.report(match &chosen {
            None => Diagnostic::new(Code::NoCensus, found.place()),
            // The reference would measure; here the formulas answer.
            Some(_) => refused(Code::KeyWithoutModel, &found),
        });
    }
    spec
}

/// A readable config and how it came to be the run's.
struct Chosen {
    root: Arc<Node>,
    id: Option<Arc<str>>,
    by_user: bool,
}

impl Chosen {
    fn of(choice: &ModelChoice, named: Option<&Stated<Arc<str>>>) -> Result<Option<Self>, Diagnostic> {
        let entry = |id: &'static str, by_user| {
            let root = catalogue::config(id)?;
            Some(Self { root, id: Some(id.into()), by_user })
        };
        match choice {
            ModelChoice::Unreadable => Ok(None),
            ModelChoice::Config(document) => {
                let mapping = document.root.value.as_mapping();
                Ok(mapping.map(|_| Self { root: Arc::new(document.root.clone()), id: None, by_user: true }))
            }
            ModelChoice::Named => {
                Ok(named.and_then(|path| catalogue::find(&path.value)).and_then(|id| entry(id, false)))
            }
            ModelChoice::Catalogue(wanted) => {
                let chosen = catalogue::find(wanted).and_then(|id| entry(id, true));
                chosen.map(Some).ok_or_else(|| unknown(wanted))
            }
        }
    }

    /// What stands for the path where the file names none.
    fn path(&self) -> Stated<Arc<str>> {
        let id = self.id.clone().unwrap_or_else(|| "config.json".into());
        Stated::new(id.clone(), Origin::ChosenModel(id))
    }

    fn config(&self) -> ConfigText<'_> {
        ConfigText { root: &self.root, catalogue_id: self.id.as_ref(), chosen: self.by_user }
    }
}

fn unknown(id: &str) -> Diagnostic {
    let finding = Diagnostic::new(Code::ModelUnknown, Place::Whole).with(id);
    match catalogue::near(id) {
        Some(near) => finding.help(Help::Nearest(near.to_owned())),
        None => finding,
    }
}

/// Whether the run's model class builds the vision tower (config-spec 11).
fn builds_tower(reader: &Reader<'_>) -> bool {
    let target = reader.truthy(Fact::ModelTarget).map(|found| found.value.to_text());
    match (reader.schema, target) {
        (Schema::Legacy, _) | (Schema::AutoModels, None) => true,
        (Schema::AutoModels, Some(target)) => dialect::VISION_TARGETS.iter().any(|class| target.contains(class)),
    }
}

fn report_unread_overrides(reader: &Reader<'_>) {
    for path in reader.unread_overrides(|path| spec_reads(reader, path)) {
        let finding = Diagnostic::new(Code::OverrideUnread, Place::Key(Source::Run, path.clone()));
        reader.report(finding.with(path.to_string()));
    }
}

/// Whether the model is read from this path.
fn spec_reads(reader: &Reader<'_>, path: &KeyPath) -> bool {
    let (model, overrides) = (reader.section(Section::Model), reader.section(Section::Overrides));
    let below = |section: &KeyPath| path.segments().strip_prefix(section.segments());
    match (below(&model), below(&overrides)) {
        (Some([Segment::Key(key)]), _) => model::fields::may_stand_under_model(key),
        (_, Some([] | [Segment::Key(_), ..])) => true,
        _ => false,
    }
}
