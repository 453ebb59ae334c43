//! Accelerators and their memory (`data/devices.json`; DESIGN 3.6). The file's own text wins over this table.

use super::{Capacity, CapacityUnit};
use crate::document::{Node, Value, parse_json};
use crate::units::Bytes;
use std::sync::OnceLock;

static TEXT: &str = include_str!("../../data/devices.json");

/// An accelerator that people train on.
#[derive(Debug, Clone, PartialEq)]
pub struct Device {
    /// Stable kebab-case id.
    pub id: String,
    /// `Ascend`, `NVIDIA` or `AMD`.
    pub vendor: String,
    /// Name for people.
    pub name: String,
    /// The vendor's figure, in binary units as the trainer reads "64GB".
    pub nominal_bytes: u64,
    /// What a framework reports as total capacity, where a source states it.
    pub usable_bytes: Option<u64>,
    /// Where the figures are from.
    pub source: String,
    /// Other names.
    pub also: Vec<String>,
}

impl Device {
    /// The nominal memory as a train.yaml states it: `64GB`.
    pub fn memory_text(&self) -> String {
        self.capacity().to_string()
    }

    /// The nominal memory.
    pub fn capacity(&self) -> Capacity {
        Capacity { size: Bytes::new(self.nominal_bytes as f64).gib(), unit: CapacityUnit::Gb }
    }
}

/// Every accelerator, by vendor and size.
///
/// # Panics
/// Never: a test reads the table.
pub fn all() -> &'static [Device] {
    static DEVICES: OnceLock<Vec<Device>> = OnceLock::new();
    DEVICES.get_or_init(|| {
        let table = parse_json(TEXT).unwrap_or_else(|_| unreachable!("the device table is read by a test"));
        let rows = table.value.root.value.as_mapping().and_then(|root| root.get("devices")?.value.as_sequence());
        rows.unwrap_or_default().iter().map(device).collect()
    })
}

fn device(row: &Node) -> Device {
    let value = |key| row.value.as_mapping().and_then(|row| row.get(key)).map(|node| &node.value);
    let text = |key| value(key).and_then(Value::as_text).unwrap_or_default().to_owned();
    let bytes = |key| value(key).and_then(Value::to_integer).and_then(|bytes| u64::try_from(bytes).ok());
    let also = value("also").and_then(Value::as_sequence).unwrap_or_default();
    Device {
        id: text("id"),
        vendor: text("vendor"),
        name: text("name"),
        nominal_bytes: bytes("nominal_bytes").unwrap_or_default(),
        usable_bytes: bytes("usable_bytes"),
        source: text("source"),
        also: also.iter().filter_map(|name| name.value.as_text()).map(str::to_owned).collect(),
    }
}

/// The accelerator of an id or of another of its names, in any case.
pub fn find(name: &str) -> Option<&'static Device> {
    let named = |device: &&Device| {
        device.id.eq_ignore_ascii_case(name) || device.also.iter().any(|also| also.eq_ignore_ascii_case(name))
    };
    all().iter().find(named)
}

/// The first accelerator whose nominal memory is this; a memory alone names no vendor.
pub fn of_capacity(capacity: Capacity) -> Option<&'static Device> {
    all().iter().find(|device| device.capacity().bytes() == capacity.bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_reads_and_names_its_sources() {
        assert!(all().len() >= 15);
        for device in all() {
            assert!(device.source.contains("https://"), "{}", device.id);
            assert!(device.usable_bytes.is_none_or(|usable| usable < device.nominal_bytes), "{}", device.id);
            assert_eq!(find(&device.id), Some(device));
        }
        assert_eq!(find("a3").map(|device| &*device.id), Some("ascend-910c-die-64gb"));
        assert_eq!(find("H100").map(Device::memory_text).as_deref(), Some("80GB"));
        assert_eq!(find("H200").map(Device::memory_text).as_deref(), Some("141GB"));
    }
}
