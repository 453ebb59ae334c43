//! How the reader likes the page: kept in the browser, never in a link.

use crate::browser::{root, storage};
use crate::messages::{self, Language};
use crate::reactive::{Held, effect};
use shardmem::report::number::MemoryUnit;

/// Which ground the page stands on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Theme {
    /// As the system says.
    #[default]
    Auto,
    /// Light.
    Light,
    /// Dark.
    Dark,
}

impl Theme {
    /// Every theme, in the order of the switch.
    pub const ALL: [Self; 3] = [Self::Auto, Self::Light, Self::Dark];

    /// The stored name, also the value of `data-theme`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    /// Reads the stored name.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|theme| theme.name() == name)
    }
}

/// The units an amount can be shown in, in the order of the switch.
pub const UNITS: [MemoryUnit; 2] = [MemoryUnit::Gib, MemoryUnit::Gb];

/// Reads the stored name of a unit.
pub fn unit_by_name(name: &str) -> Option<MemoryUnit> {
    UNITS.into_iter().find(|unit| unit.name() == name)
}

/// The unit that the reader chose last.
pub(super) fn stored_unit() -> MemoryUnit {
    storage::read("unit").and_then(|name| unit_by_name(&name)).unwrap_or_default()
}

/// The reader's preferences.
#[derive(Debug, Clone, Copy)]
pub struct Preferences {
    /// Light or dark.
    pub theme: Held<Theme>,
    /// GiB or GB.
    pub unit: Held<MemoryUnit>,
    /// What the page speaks.
    pub language: Held<Language>,
}

impl Preferences {
    /// The stored preferences, defaults where nothing (readable) is stored; changes are stored and the theme put on the page.
    pub fn restored() -> Self {
        let theme = Held::new(storage::read("theme").and_then(|name| Theme::by_name(&name)).unwrap_or_default());
        let unit = Held::new(stored_unit());
        let asked = || messages::by_tag(&root::asked_language());
        let stored = storage::read("language").and_then(|tag| messages::by_tag(&tag));
        let language = Held::new(stored.or_else(asked).unwrap_or_default());
        effect(move || root::mark("lang", messages::tag(language.get())));
        effect(move || {
            root::mark("data-theme", theme.get().name());
            storage::write("theme", theme.get().name(), Theme::default().name());
        });
        Self { theme, unit, language }
    }

    /// Counts in another unit from now on. Only what was chosen is stored: a link shows its figures in its sender's unit.
    pub fn count_in(self, unit: MemoryUnit) {
        storage::write("unit", unit.name(), MemoryUnit::default().name());
        self.unit.set(unit);
    }

    /// Speaks another language from now on. Only what was chosen is stored: until then the browser's counts.
    pub fn speak(self, language: Language) {
        storage::write("language", messages::tag(language), "");
        self.language.set(language);
    }
}
