//! From a config.json and the model section to a settled model spec (config-spec 5, 6, 18.3).

use super::Family;
use super::catalogue;
use super::composition::nearest_kinds;
use super::explicit::Explicit;
use super::fields::{Dimension, Flag};
use super::layers::{self, StackInput};
use super::nearest::{nearest, nearest_divisors};
use super::settle::{derive_widths, linear_fields, settle};
use super::sink::Sink;
use super::spec::{ModelSpec, Slot, count};
use super::spelling::{self, Renamed, Spelling, Whence};
use super::tensors::Facts;
use super::tower::{self, TowerInput};
use crate::diagnostics::{Checked, Code, Diagnostic, Errors, Help, Place};
use crate::document::{Mapping, Node, Value};
use crate::provenance::{KeyPath, Origin, Source, Stated};
use std::sync::Arc;

/// The deepest model that is laid out.
const LARGEST_DEPTH: i64 = 100_000;

/// How the run's text spells what states a model.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Keys {
    /// The section of the model.
    pub section: KeyPath,
    /// The section inside it that states fields over the config's.
    pub overrides: KeyPath,
    /// The key that names the checkpoint.
    pub checkpoint: KeyPath,
    /// The key that states the vision token count.
    pub visual_tokens: KeyPath,
    /// Keys of the section that name a checkpoint without being read: they may say which model is meant.
    pub hints: Vec<&'static str>,
    /// Keys of `overrides` that state the run, not the model (config-spec 5.1).
    pub run: Vec<&'static str>,
}

/// What is stated about a model.
#[derive(Debug, Clone, Copy)]
pub struct Statement<'a> {
    /// The names of what follows in the run's text.
    pub keys: &'a Keys,
    /// The path or id the run names, with where it stands.
    pub path: Option<&'a Stated<Arc<str>>>,
    /// The checkpoint's config, if it can be read.
    pub config: Option<ConfigText<'a>>,
    /// The `model` section, empty where there is none.
    pub section: &'a Mapping,
    /// Paths of the section that a what-if override states.
    pub overridden: &'a [KeyPath],
    /// The stated vision token count (config-spec 5.4).
    pub visual_tokens: Option<&'a Stated<i64>>,
}

/// A readable config.json.
#[derive(Debug, Clone, Copy)]
pub struct ConfigText<'a> {
    /// Its root.
    pub root: &'a Node,
    /// The catalogue entry it is, if it is one.
    pub catalogue_id: Option<&'a Arc<str>>,
    /// Whether the user chose the model rather than naming it in the text.
    pub chosen: bool,
}

/// Settles a model spec, or says everything that is wrong with it.
///
/// A config whose required dimensions stand under the names a Transformers class renames is read by those names; any
/// other is read by config-spec 5.2 alone, as the reference does.
pub fn resolve(statement: &Statement<'_>) -> Result<Checked<ModelSpec>, Errors> {
    let in_catalogue = statement.config.is_some_and(|config| config.catalogue_id.is_some());
    let mut findings = Sink::new(in_catalogue.then(|| path_place(statement)));
    let explicit = Explicit::of(statement);
    if statement.config.is_none() && !explicit.describes_a_model() {
        return Err(Errors::one(unstated(statement)));
    }
    if statement.config.is_none() && statement.path.is_some() {
        let finding = Diagnostic::new(Code::HfConfigUnread, path_place(statement));
        findings.add(match near(statement) {
            Some(id) => finding.help(Help::UseDimensionsOf(id.to_owned())),
            None => finding,
        });
    }
    let spec = Resolver { statement, explicit: &explicit, findings: &mut findings }.spec();
    findings.into_findings().finish(spec)
}

fn unstated(statement: &Statement<'_>) -> Diagnostic {
    let keys = statement.keys;
    let Some(path) = statement.path else {
        let place = Place::Missing(Source::Run, keys.section.clone());
        return with_the_way_on(Diagnostic::new(Code::ModelUnstated, place), statement, &keys.checkpoint);
    };
    let finding = Diagnostic::new(Code::HfConfigUnresolved, Place::of(&path.origin)).with(&*path.value);
    with_the_way_on(finding, statement, &keys.overrides)
}

/// The catalogue model that is probably meant where none can be read.
fn near(statement: &Statement<'_>) -> Option<&'static str> {
    if statement.config.is_some() {
        return None;
    }
    let named = statement.path.and_then(|path| catalogue::near(&path.value));
    let hints = || {
        let mut hints = statement.keys.hints.iter().filter_map(|key| statement.section.get(key)?.value.as_text());
        hints.find_map(|hint| catalogue::find(hint).or_else(|| catalogue::near(hint)))
    };
    named.or_else(hints)
}

/// A model that cannot be read may have the dimensions of one that can; else a key states them.
fn with_the_way_on(finding: Diagnostic, statement: &Statement<'_>, key: &KeyPath) -> Diagnostic {
    finding.help(match near(statement) {
        Some(id) => Help::UseDimensionsOf(id.to_owned()),
        None => Help::State(key.clone()),
    })
}

fn path_place(statement: &Statement<'_>) -> Place {
    statement.path.map_or(Place::Whole, |path| Place::of(&path.origin))
}

struct Resolver<'a, 'b> {
    statement: &'b Statement<'a>,
    explicit: &'b Explicit<'a>,
    findings: &'b mut Sink,
}

/// The part of a config the language model's fields are read from.
struct LanguageConfig<'a> {
    mapping: &'a Mapping,
    path: KeyPath,
    model_type: Option<&'a str>,
    spelling: Spelling,
}

impl<'a> Resolver<'a, '_> {
    fn spec(mut self) -> Option<ModelSpec> {
        self.explicit.report_unknown_keys(self.findings);
        let config = self.language_config();
        let name = self.name(config.as_ref());
        let mut dimensions = self.dimensions(config.as_ref());
        self.note_unread(config.as_ref());
        let mut flags = self.flags(config.as_ref());
        let multiplier = self.multiplier(config.as_ref());
        let dtype = self.dtype(config.as_ref());
        self.check_required(&dimensions);
        self.check_depth(&dimensions);
        self.check_shapes(&mut dimensions);
        let family = self.family(&name);
        settle(&name.value, &mut dimensions, &mut flags);
        let layers = family.as_ref().and_then(|family| self.layers(family.value, &dimensions, config.as_ref()));
        self.note_nearest_kinds(config.as_ref(), layers.as_ref(), &dimensions);
        let vision = self.tower(&name.value);
        let ((stack, ops, activations, output_activations), family) = (layers?, family?);
        if self.findings.failed() {
            return None;
        }
        let catalogue_id = self.statement.config.and_then(|config| config.catalogue_id.cloned());
        Some(ModelSpec {
            name,
            family,
            dimensions,
            flags,
            feed_forward_multiplier: multiplier,
            dtype,
            stack,
            ops,
            activations,
            output_activations,
            vision,
            catalogue_id,
            facts: self.facts(config.as_ref()),
        })
    }

    fn facts(&self, config: Option<&LanguageConfig<'a>>) -> Facts {
        let root = self.statement.config.and_then(|config| config.root.value.as_mapping());
        root.zip(config).map_or_else(Facts::default, |(root, config)| Facts::read(root, config.mapping))
    }

    fn language_config(&self) -> Option<LanguageConfig<'a>> {
        let root = self.statement.config?.root.value.as_mapping()?;
        let model_type = text_of(root.get("model_type"));
        let (mapping, path) = match root.get("text_config").map(|node| &node.value) {
            Some(Value::Mapping(text)) => (text, KeyPath::root().key("text_config")),
            _ => (root, KeyPath::root()),
        };
        let inner = text_of(mapping.get("model_type")).or(model_type);
        Some(LanguageConfig { mapping, path, model_type, spelling: Spelling::of(inner.unwrap_or(""), mapping) })
    }

    fn config_origin(&self, path: KeyPath) -> Origin {
        match self.statement.config {
            Some(ConfigText { chosen: true, catalogue_id: Some(id), .. }) => Origin::ChosenModel(id.clone()),
            _ => Origin::Key(Source::Model, path),
        }
    }

    /// A place for a field that is nowhere: the config where the user can see it, else the model section.
    fn missing_place(&self) -> Place {
        match self.statement.config {
            Some(ConfigText { catalogue_id: None, .. }) => Place::Missing(Source::Model, KeyPath::root()),
            Some(_) => path_place(self.statement),
            None => Place::Missing(Source::Run, self.statement.keys.overrides.clone()),
        }
    }

    fn name(&self, config: Option<&LanguageConfig<'a>>) -> Stated<Arc<str>> {
        if let Some((node, origin)) = self.explicit.get("name") {
            return Stated::new(node.value.to_text().into(), origin.clone());
        }
        if let (Some(config), Some(path)) = (config, self.statement.path) {
            return match config.model_type {
                Some(name) => Stated::new(name.into(), self.config_origin(KeyPath::parse("model_type"))),
                None => path.clone(),
            };
        }
        match self.statement.section.get("name").filter(|node| node.value.truthy()) {
            Some(node) => Stated::new(
                node.value.to_text().into(),
                Origin::Key(Source::Run, self.statement.keys.section.key("name")),
            ),
            None => Stated::new("custom".into(), Origin::TrainerDefault("config-spec 5.1")),
        }
    }

    /// The first spelling that is not null.
    fn in_config(
        &self,
        config: Option<&LanguageConfig<'a>>,
        name: &str,
        spellings: &[&str],
    ) -> Option<(Value, Origin)> {
        let config = config?;
        let stated =
            spellings.iter().find_map(|spelling| Some((spelling, spelling::stated(config.mapping, spelling)?)));
        if let Some((spelling, value)) = stated {
            return Some((config.spelling.understood(value), self.config_origin(config.path.key(spelling))));
        }
        let Renamed { value, from } = config.spelling.renamed(config.mapping, name)?;
        let origin = match from {
            Whence::Key(path) => self.config_origin(config.path.join(&path)),
            Whence::Rule(origin) => origin,
        };
        Some((value, origin))
    }

    fn dimensions(&mut self, config: Option<&LanguageConfig<'a>>) -> Vec<Slot<i64>> {
        let mut slots: Vec<Slot<i64>> = Dimension::ALL
            .iter()
            .map(|field| match self.in_config(config, field.name(), field.spellings()) {
                Some((value, origin)) => self.integer(field.name(), &value, origin),
                None => Slot::Absent,
            })
            .collect();
        if config.is_some() {
            derive_widths(&mut slots);
        }
        for field in Dimension::ALL {
            if let Some((node, origin)) = self.explicit.get(field.name()) {
                let origin = origin.clone();
                slots[field.index()] = match node.value {
                    Value::Null => Slot::Null(origin),
                    _ => self.integer(field.name(), &node.value, origin),
                };
            }
        }
        if config.is_none() {
            derive_widths(&mut slots);
        }
        slots
    }

    /// One note for what the config states under names that the reference does not read.
    fn note_unread(&mut self, config: Option<&LanguageConfig<'a>>) {
        let Some(config) = config else { return };
        let mut unread = config.spelling.unread(config.mapping);
        // What the model section states under the canonical name is read there.
        unread.retain(|name| spelling::canonical(name).is_none_or(|canonical| self.explicit.get(canonical).is_none()));
        if let Some(first) = unread.first() {
            let place = Place::Key(Source::Model, config.path.join(&KeyPath::parse(first)));
            let names: Vec<String> = unread.iter().map(|name| (*name).to_owned()).collect();
            self.findings.add(Diagnostic::new(Code::KeyWithoutModel, place).with(names));
        }
    }

    fn integer(&mut self, name: &str, value: &Value, origin: Origin) -> Slot<i64> {
        if let Some(number) = value.to_integer() {
            return Slot::Value(Stated::new(number, origin));
        }
        let finding = Diagnostic::new(Code::SpecNotInteger, Place::of(&origin)).with(name).with(value.written());
        self.findings.add(finding);
        // Reported; a placeholder keeps the later checks from reporting the same field again.
        Slot::Value(Stated::new(1, origin))
    }

    fn flags(&mut self, config: Option<&LanguageConfig<'a>>) -> Vec<Slot<bool>> {
        let mut slots = Vec::new();
        for field in Flag::ALL {
            let explicit = self.explicit.get(field.name()).map(|(node, origin)| (node.value.clone(), origin.clone()));
            let stated = explicit.or_else(|| self.in_config(config, field.name(), field.spellings()));
            slots.push(match stated {
                None => Slot::Absent,
                Some((Value::Null, origin)) => Slot::Null(origin),
                Some((Value::Bool(flag), origin)) => Slot::Value(Stated::new(flag, origin)),
                Some((value, origin)) => {
                    let finding = Diagnostic::new(Code::SpecFlagNotBool, Place::of(&origin));
                    self.findings.add(finding.with(field.name()).with(value.written()));
                    Slot::Absent
                }
            });
        }
        slots
    }

    fn other(&self, config: Option<&LanguageConfig<'a>>, name: &str, spellings: &[&str]) -> Option<(Value, Origin)> {
        let explicit = self.explicit.get(name).map(|(node, origin)| (node.value.clone(), origin.clone()));
        explicit.or_else(|| self.in_config(config, name, spellings)).filter(|(value, _)| *value != Value::Null)
    }

    fn multiplier(&mut self, config: Option<&LanguageConfig<'a>>) -> Option<Stated<f64>> {
        let (value, origin) = self.other(config, "ffn_dim_multiplier", &["ffn_dim_multiplier"])?;
        let number = value.to_number();
        if number.is_none() {
            let finding = Diagnostic::new(Code::NotNumber, Place::of(&origin));
            self.findings.add(finding.with("ffn_dim_multiplier").with(value.written()));
        }
        Some(Stated::new(number?, origin))
    }

    fn dtype(&self, config: Option<&LanguageConfig<'a>>) -> Option<Stated<Arc<str>>> {
        // An override that is empty takes the config's dtype away.
        let stated = self.other(config, "torch_dtype", &["dtype", "torch_dtype"]);
        let (value, origin) = stated.filter(|(value, _)| value.truthy())?;
        let text = value.to_text();
        Some(Stated::new(text.strip_prefix("torch.").unwrap_or(&text).into(), origin))
    }

    fn check_required(&mut self, dimensions: &[Slot<i64>]) {
        let missing = self.missing_place();
        for field in Dimension::REQUIRED {
            if dimensions[field.index()] == Slot::Absent {
                let finding = Diagnostic::new(Code::SpecRequiredMissing, missing.clone()).with(field.name());
                let key = self.statement.keys.overrides.key(field.name());
                self.findings.add(with_the_way_on(finding, self.statement, &key));
            }
        }
        for field in Dimension::REQUIRED {
            let (value, origin) = match &dimensions[field.index()] {
                Slot::Absent => continue,
                Slot::Null(origin) => (0, origin),
                Slot::Value(stated) => (stated.value, &stated.origin),
            };
            if value <= 0 {
                let finding = Diagnostic::new(Code::SpecRequiredNonpositive, Place::of(origin));
                self.findings.add(finding.with(field.name()).with(value));
            }
        }
    }

    /// Layers are laid out one by one, so there is a most.
    fn check_depth(&mut self, dimensions: &[Slot<i64>]) {
        for field in [Dimension::Layers, Dimension::MtpDepth] {
            if let Some(stated) = dimensions[field.index()].value().filter(|stated| stated.value > LARGEST_DEPTH) {
                let finding = Diagnostic::new(Code::DegreeTooLarge, Place::of(&stated.origin));
                self.findings.add(finding.with(field.name()).with(stated.value).with(LARGEST_DEPTH));
            }
        }
    }

    fn check_shapes(&mut self, dimensions: &mut [Slot<i64>]) {
        let count = |field: Dimension| count(dimensions, field.index());
        let place = |field: Dimension| {
            dimensions[field.index()].value().map_or(Place::Whole, |stated| Place::of(&stated.origin))
        };
        let (heads, kv_heads) = (count(Dimension::Heads), count(Dimension::KvHeads));
        if kv_heads != 0 && heads.checked_rem(kv_heads).unwrap_or(0) != 0 {
            let finding = Diagnostic::new(Code::SpecKvHeads, place(Dimension::KvHeads)).with(kv_heads).with(heads);
            self.findings.add(finding.help(Help::NearestValues(nearest_divisors(heads, kv_heads))));
        }
        let width = count(Dimension::ExpertWidth) != 0 || count(Dimension::FeedForward) != 0;
        if count(Dimension::Experts) > 1 && !width {
            let finding = Diagnostic::new(Code::SpecExpertWidth, place(Dimension::Experts));
            self.findings.add(finding.with(count(Dimension::Experts)));
        }
        if count(Dimension::SharedExperts) != 0 && !width && count(Dimension::SharedWidth) == 0 {
            let finding = Diagnostic::new(Code::SpecSharedWidth, place(Dimension::SharedExperts));
            self.findings.add(finding.with(count(Dimension::SharedExperts)));
        }
    }

    fn family(&mut self, name: &Stated<Arc<str>>) -> Option<Stated<Family>> {
        let Some((node, origin)) = self.explicit.stated("arch") else {
            return Some(self.inferred_family(name));
        };
        let stated = node.value.to_text();
        let family = Family::by_name(&stated);
        if family.is_none() {
            let known: Vec<String> = Family::ALL.iter().map(|family| family.name().to_owned()).collect();
            let near = nearest(&stated, known.iter().map(String::as_str)).map(str::to_owned);
            let finding = Diagnostic::new(Code::SpecUnknownArch, Place::of(origin)).with(stated).with(known);
            self.findings.add(finding.near(near.as_deref()));
        }
        Some(Stated::new(family?, origin.clone()))
    }

    fn inferred_family(&mut self, name: &Stated<Arc<str>>) -> Stated<Family> {
        if let Some(family) = Family::of_model_name(&name.value) {
            return Stated::new(family, Origin::Rule("config-spec 6.1"));
        }
        let finding = Diagnostic::new(Code::FamilyDefault, Place::of(&name.origin));
        self.findings.add(finding.with(&*name.value).with(Family::Default.name()));
        Stated::new(Family::Default, Origin::Rule("config-spec 6.1"))
    }

    fn layers(
        &mut self,
        family: Family,
        dimensions: &[Slot<i64>],
        config: Option<&LanguageConfig<'a>>,
    ) -> Option<layers::Layers> {
        let types = self.other(config, "layer_types", &["layer_types"]);
        let count = |field: Dimension| count(dimensions, field.index());
        let input = StackInput {
            family,
            layers: count(Dimension::Layers),
            mtp_depth: count(Dimension::MtpDepth),
            leading_dense: count(Dimension::LeadingDense),
            ops: self.explicit.stated("ops"),
            stated: self.explicit.stated("layers"),
            types: types.as_ref().map(|(value, origin)| (value, origin)),
            activations: self.explicit.stated("activations"),
            output_activations: self.explicit.stated("output_activations"),
            linear: linear_fields(dimensions),
            overrides: &self.statement.keys.overrides,
            place: self.missing_place(),
            depth: dimensions[Dimension::Layers.index()]
                .value()
                .map_or(Place::Whole, |stated| Place::of(&stated.origin)),
        };
        layers::build(&input, self.findings)
    }

    /// One warning for all layers that are priced as another kind than they are.
    fn note_nearest_kinds(
        &mut self,
        config: Option<&LanguageConfig<'a>>,
        layers: Option<&layers::Layers>,
        dimensions: &[Slot<i64>],
    ) {
        let (Some(config), Some((stack, ..)), None) = (config, layers, self.explicit.stated("layers")) else { return };
        if self.findings.failed() {
            return;
        }
        let experts = count(dimensions, Dimension::Experts.index()) > 1;
        if let Some((key, odd)) = nearest_kinds(config.mapping, self.explicit, stack, experts) {
            let place = match self.explicit.stated(key) {
                Some((_, origin)) => Place::of(origin),
                None => Place::Key(Source::Model, config.path.join(&KeyPath::parse(key))),
            };
            self.findings.add(Diagnostic::new(Code::LayerKindNearest, place).with(odd.join("; ")));
        }
    }

    fn tower(&mut self, model_name: &str) -> Option<super::spec::VisionTower> {
        let explicit = self.explicit.stated("vision");
        let config = self.statement.config.and_then(|config| {
            let root = config.root.value.as_mapping()?;
            root.get("vision_config").filter(|node| node.value != Value::Null)
        });
        let (node, origin) = match (explicit, config) {
            (Some((node, origin)), _) => (node, origin.clone()),
            (None, Some(node)) => (node, self.config_origin(KeyPath::parse("vision_config"))),
            (None, None) => return None,
        };
        let named_only = self.statement.config.is_some_and(|config| !config.chosen && config.catalogue_id.is_some());
        let input = TowerInput {
            node,
            origin,
            model_name,
            visual_tokens: self.statement.visual_tokens,
            keys: self.statement.keys,
            renamed: !named_only,
            catalogue_id: self.statement.config.and_then(|config| config.catalogue_id.cloned()),
        };
        tower::build(&input, self.findings)
    }
}

fn text_of(node: Option<&Node>) -> Option<&str> {
    node?.value.as_text()
}
