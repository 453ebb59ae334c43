//! What is wrong, where, and what would be right: codes and arguments, no prose (`report::messages` holds the sentences).

mod code;

pub use code::{Code, Severity};

use crate::provenance::{KeyPath, Origin, Source};
use crate::text::Span;

/// Where a finding lies. Key paths become spans late, when shown, by `Document::locate`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub enum Place {
    /// Bytes of a text (syntax errors, duplicate keys).
    Span(Source, Span),
    /// The key itself.
    Key(Source, KeyPath),
    /// The value of a key.
    Value(Source, KeyPath),
    /// A key that should stand in a section and does not: points at the section.
    Missing(Source, KeyPath),
    /// The whole input.
    #[default]
    Whole,
}

impl Place {
    /// The place of a value with this origin; the whole input where no text states it.
    pub fn of(origin: &Origin) -> Self {
        origin.key().map_or(Self::Whole, |(source, path)| Self::Value(source, path.clone()))
    }

    /// The key path the place names, if it names one.
    pub fn key_path(&self) -> Option<&KeyPath> {
        match self {
            Self::Key(_, path) | Self::Value(_, path) | Self::Missing(_, path) => Some(path),
            Self::Span(..) | Self::Whole => None,
        }
    }
}

/// One argument of a diagnostic, in the order the code's sentence names them.
#[derive(Debug, Clone, PartialEq)]
pub enum Argument {
    /// A whole number.
    Integer(i64),
    /// A number.
    Number(f64),
    /// A text, as the user wrote it.
    Text(String),
    /// Several texts.
    List(Vec<String>),
}

impl From<i64> for Argument {
    fn from(value: i64) -> Self {
        Self::Integer(value)
    }
}

impl From<f64> for Argument {
    fn from(value: f64) -> Self {
        Self::Number(value)
    }
}

impl From<&str> for Argument {
    fn from(value: &str) -> Self {
        Self::Text(value.to_owned())
    }
}

impl From<String> for Argument {
    fn from(value: String) -> Self {
        Self::Text(value)
    }
}

impl From<Vec<String>> for Argument {
    fn from(value: Vec<String>) -> Self {
        Self::List(value)
    }
}

/// The way on, where there is one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Help {
    /// The nearest legal spelling or value.
    Nearest(String),
    /// All there is to choose from.
    OneOf(Vec<String>),
    /// Nearest legal values of a number.
    NearestValues(Vec<i64>),
    /// Take the dimensions of this catalogue model (same shapes inferred); one action in the page, `--model ID` on the command line.
    UseDimensionsOf(String),
    /// State this key.
    State(KeyPath),
    /// The sections this key belongs to.
    BelongsTo(KeyPath),
}

/// One finding.
#[derive(Debug, Clone, PartialEq)]
pub struct Diagnostic {
    /// Stable code.
    pub code: Code,
    /// How much it matters; `Code::severity` unless a memory model judges otherwise (DESIGN 3.5).
    pub severity: Severity,
    /// Where.
    pub place: Place,
    /// What the code's sentence names: for the warnings of config-spec 13, exactly its arguments, first.
    pub arguments: Vec<Argument>,
    /// The way on.
    pub help: Option<Help>,
}

impl Diagnostic {
    /// A finding of the code's own severity.
    // Called some hundred times; inlined it is a hundredth of the page.
    #[inline(never)]
    pub fn new(code: Code, place: Place) -> Self {
        Self { code, severity: code.severity(), place, arguments: Vec::new(), help: None }
    }

    /// With one more argument.
    #[must_use]
    pub fn with(mut self, argument: impl Into<Argument>) -> Self {
        self.arguments.push(argument.into());
        self
    }

    /// With the nearest legal spelling, where there is one.
    #[must_use]
    pub fn near(self, spelling: Option<&str>) -> Self {
        match spelling {
            Some(spelling) => self.help(Help::Nearest(spelling.to_owned())),
            None => self,
        }
    }

    /// With the way on.
    #[must_use]
    #[inline(never)]
    pub fn help(mut self, help: Help) -> Self {
        self.help = Some(help);
        self
    }
}

/// A value with the warnings raised while it was made.
#[derive(Debug, Clone, PartialEq)]
pub struct Checked<T> {
    /// The value.
    pub value: T,
    /// In the order of config-spec 18.3.
    pub warnings: Vec<Diagnostic>,
}

impl<T> Checked<T> {
    /// A value without warnings.
    pub const fn clean(value: T) -> Self {
        Self { value, warnings: Vec::new() }
    }
}

/// Why there is no value: one error or more, all of them at once in the order of config-spec 18.3, and the warnings
/// raised before the first. Never without an error.
#[derive(Debug, Clone, PartialEq)]
pub struct Errors {
    errors: Vec<Diagnostic>,
    warnings: Vec<Diagnostic>,
}

impl Errors {
    /// A single error.
    pub fn one(error: Diagnostic) -> Self {
        Self { errors: vec![error], warnings: Vec::new() }
    }

    /// What the reference refuses first.
    pub fn first(&self) -> &Diagnostic {
        &self.errors[0]
    }

    /// All errors, in order; at least one.
    pub fn errors(&self) -> &[Diagnostic] {
        &self.errors
    }

    /// The warnings raised before the first error.
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }

    /// With warnings raised by an earlier stage, which come first.
    #[must_use]
    pub fn after(mut self, mut earlier: Vec<Diagnostic>) -> Self {
        earlier.append(&mut self.warnings);
        self.warnings = earlier;
        self
    }
}

/// Collects the findings of a stage while it goes on: warnings, and all errors.
#[derive(Debug, Clone, Default)]
pub struct Findings {
    warnings: Vec<Diagnostic>,
    errors: Vec<Diagnostic>,
    warnings_before_first_error: usize,
}

impl Findings {
    /// Nothing found yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a finding to the list its severity belongs to.
    pub fn add(&mut self, finding: Diagnostic) {
        match finding.severity {
            Severity::Error => {
                if self.errors.is_empty() {
                    self.warnings_before_first_error = self.warnings.len();
                }
                self.errors.push(finding);
            }
            Severity::Warning | Severity::Note => self.warnings.push(finding),
        }
    }

    /// Adds the warnings of a finished stage.
    pub fn add_all(&mut self, findings: impl IntoIterator<Item = Diagnostic>) {
        findings.into_iter().for_each(|finding| self.add(finding));
    }

    /// Gives findings about the whole input the place that `place` knows for their code.
    pub fn point(&mut self, place: &dyn Fn(Code) -> Place) {
        let all = self.warnings.iter_mut().chain(&mut self.errors);
        for finding in all.filter(|finding| finding.place == Place::Whole) {
            finding.place = place(finding.code);
        }
    }

    /// Takes the value of a finished stage and keeps its warnings, or keeps its errors.
    pub fn take<T>(&mut self, stage: Result<Checked<T>, Errors>) -> Option<T> {
        match stage {
            Ok(checked) => {
                self.add_all(checked.warnings);
                Some(checked.value)
            }
            Err(errors) => {
                self.add_all(errors.warnings);
                self.add_all(errors.errors);
                None
            }
        }
    }

    /// Whether an error was found.
    pub fn failed(&self) -> bool {
        !self.errors.is_empty()
    }

    /// Everything found, in order: the warnings, or those raised before the first error and then the errors.
    pub fn into_all(self) -> Vec<Diagnostic> {
        let Self { warnings: mut all, mut errors, warnings_before_first_error } = self;
        if !errors.is_empty() {
            all.truncate(warnings_before_first_error);
            all.append(&mut errors);
        }
        all
    }

    /// The value if no error was found (and there is one), else the errors with the warnings before the first.
    ///
    /// # Panics
    /// When there is neither a value nor an error: a stage must say why it has no value.
    pub fn finish<T>(self, value: Option<T>) -> Result<Checked<T>, Errors> {
        let Self { mut warnings, errors, warnings_before_first_error } = self;
        if errors.is_empty() {
            let value = value.expect("a stage without a value states an error");
            return Ok(Checked { value, warnings });
        }
        warnings.truncate(warnings_before_first_error);
        Err(Errors { errors, warnings })
    }
}
