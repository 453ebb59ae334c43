//! Comparing JSON by value.

use serde_json::Value;

/// The tolerance of the goldens, relative.
pub const TOLERANCE: f64 = 1e-9;

/// Whether two values are the same: numbers within `tolerance` relative (0: equal), mappings by their keys. The error
/// names the first differing field.
pub fn same(expected: &Value, got: &Value, tolerance: f64) -> Result<(), String> {
    at("", expected, got, tolerance)
}

/// As [`same`], below a path.
pub fn at(path: &str, expected: &Value, got: &Value, tolerance: f64) -> Result<(), String> {
    let differs = || Err(format!("{}: expected {expected}, got {got}", if path.is_empty() { "root" } else { path }));
    match (expected, got) {
        (Value::Number(expected), Value::Number(got)) => {
            let (expected, got) = (expected.as_f64().unwrap_or(f64::NAN), got.as_f64().unwrap_or(f64::NAN));
            let close = expected == got || (expected - got).abs() <= tolerance * expected.abs();
            if close { Ok(()) } else { differs() }
        }
        (Value::Array(expected), Value::Array(got)) => {
            if expected.len() != got.len() {
                return differs();
            }
            expected
                .iter()
                .zip(got)
                .enumerate()
                .try_for_each(|(index, (expected, got))| at(&format!("{path}[{index}]"), expected, got, tolerance))
        }
        (Value::Object(expected), Value::Object(got)) => {
            for (key, expected) in expected {
                let path = join(path, key);
                let got = got.get(key).ok_or_else(|| format!("{path}: expected {expected}, got nothing"))?;
                at(&path, expected, got, tolerance)?;
            }
            match got.keys().find(|key| !expected.contains_key(*key)) {
                Some(key) => Err(format!("{}: expected nothing, got {}", join(path, key), got[key])),
                None => Ok(()),
            }
        }
        (expected, got) if expected == got => Ok(()),
        _ => differs(),
    }
}

fn join(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}
