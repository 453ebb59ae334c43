//! How the reader likes the page: kept in the browser, never in a link.

use crate::browser::{storage, theme};
use leptos::prelude::*;
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

/// The reader's preferences.
#[derive(Debug, Clone, Copy)]
pub struct Preferences {
    /// Light or dark.
    pub theme: RwSignal<Theme>,
    /// GiB or GB.
    pub unit: RwSignal<MemoryUnit>,
}

impl Preferences {
    /// The stored preferences, defaults where nothing (readable) is stored; changes are stored and the theme put on the page.
    pub fn restored() -> Self {
        let theme = RwSignal::new(storage::read("theme").and_then(|name| Theme::by_name(&name)).unwrap_or_default());
        let unit = RwSignal::new(storage::read("unit").and_then(|name| unit_by_name(&name)).unwrap_or_default());
        Effect::new(move |_| {
            theme::apply(theme.get().name());
            storage::write("theme", theme.get().name(), Theme::default().name());
        });
        Effect::new(move |_| storage::write("unit", unit.get().name(), MemoryUnit::default().name()));
        Self { theme, unit }
    }
}
