//! Memory texts: `64GB` (config-spec 4.11, 18.5).

use super::dialect::Fact;
use super::reader::{Reader, refused};
use super::{Capacity, CapacityUnit};
use crate::decimal;
use crate::diagnostics::{Code, Help};
use crate::provenance::{Origin, Stated};

/// What a memory text says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Memory {
    /// A number and a unit.
    Known(Capacity),
    /// A number whose unit is missing or unknown: bytes.
    UnitUnknown(Capacity),
}

/// Reads a memory text; nothing where it does not begin with a number.
pub fn parse(text: &str) -> Option<Memory> {
    let text = text.trim();
    let end = text.find(|letter: char| !matches!(letter, '0'..='9' | '.' | '-')).unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let size = decimal::read(number)?;
    let known = match &*unit.trim().to_ascii_uppercase() {
        "B" => CapacityUnit::B,
        "KB" => CapacityUnit::Kb,
        "MB" => CapacityUnit::Mb,
        "GB" => CapacityUnit::Gb,
        _ => return Some(Memory::UnitUnknown(Capacity { size, unit: CapacityUnit::B })),
    };
    Some(Memory::Known(Capacity { size, unit: known }))
}

pub(super) fn read(reader: &Reader<'_>) -> Stated<Capacity> {
    let Some(found) = reader.truthy(Fact::DeviceMemory) else {
        return Stated::new(Capacity::DEFAULT, Origin::TrainerDefault("config-spec 4.11"));
    };
    let text = found.value.to_text();
    let capacity = match parse(&text) {
        Some(Memory::Known(capacity)) => capacity,
        Some(Memory::UnitUnknown(capacity)) => {
            let finding = refused(Code::MemoryUnitUnknown, &found);
            reader.report(finding.help(Help::Nearest(Capacity { unit: CapacityUnit::Gb, ..capacity }.to_string())));
            capacity
        }
        None => {
            reader.report(refused(Code::MemoryFormat, &found));
            Capacity::DEFAULT
        }
    };
    Stated::new(capacity, found.origin)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_units() {
        let known = |size, unit| Some(Memory::Known(Capacity { size, unit }));
        assert_eq!(parse("64GB"), known(64.0, CapacityUnit::Gb));
        assert_eq!(parse(" 58.5 gb "), known(58.5, CapacityUnit::Gb));
        assert_eq!(parse("65536MB"), known(65536.0, CapacityUnit::Mb));
        assert_eq!(parse("64GiB"), Some(Memory::UnitUnknown(Capacity { size: 64.0, unit: CapacityUnit::B })));
        assert_eq!(parse("58"), Some(Memory::UnitUnknown(Capacity { size: 58.0, unit: CapacityUnit::B })));
        assert_eq!(parse("GB"), None);
        assert_eq!(parse("1.2.3GB"), None);
    }
}
