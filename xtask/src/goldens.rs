//! Packs `tests/goldens/*.json` into one small file for the browser tests, which have no file system.
//!
//! The pack is one raw deflate stream. Inflated, it is a row of files, by name: the name's length (u32, little
//! endian), the name in UTF-8, the content's length (u32, little endian), the content.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::{env, fs};

use crate::Outcome;

const FOLDER: &str = "tests/goldens";
const LEVEL: u8 = 9;

/// Writes the pack where `.cargo/config.toml` says, if it would change.
pub(crate) fn pack() -> Outcome {
    let place =
        env::var_os("SHARDMEM_GOLDEN_PACK").ok_or("SHARDMEM_GOLDEN_PACK is not set; start with `cargo xtask`")?;
    let place = PathBuf::from(place);
    let packed = miniz_oxide::deflate::compress_to_vec(&row(Path::new(FOLDER))?, LEVEL);
    // An untouched file keeps the browser tests from being compiled again.
    if fs::read(&place).is_ok_and(|old| old == packed) {
        return Ok(());
    }
    let told = |error| format!("cannot write {}: {error}", place.display());
    fs::create_dir_all(place.parent().unwrap_or(Path::new("."))).map_err(told)?;
    fs::write(&place, packed).map_err(told)
}

fn row(folder: &Path) -> Outcome<Vec<u8>> {
    let mut row = Vec::new();
    for file in json_files(folder)? {
        let content = fs::read(&file).map_err(|error| format!("cannot read {}: {error}", file.display()))?;
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        for part in [name.as_bytes(), &content] {
            let length = u32::try_from(part.len()).map_err(|_| format!("{} is over 4 GiB", file.display()))?;
            row.extend(length.to_le_bytes());
            row.extend(part);
        }
    }
    Ok(row)
}

/// The goldens by name; none where there is no such folder.
fn json_files(folder: &Path) -> Outcome<Vec<PathBuf>> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let entries = fs::read_dir(folder).map_err(|error| format!("cannot list {}: {error}", folder.display()))?;
    let mut files: Vec<PathBuf> = entries.filter_map(Result::ok).map(|entry| entry.path()).collect();
    files.retain(|file| file.extension() == Some(OsStr::new("json")));
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_row_holds_names_and_contents_by_name() {
        let folder = env::temp_dir().join(format!("shardmem-goldens-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("b.json"), "[2]").unwrap();
        fs::write(folder.join("a.json"), "{}").unwrap();
        fs::write(folder.join("notes.txt"), "not a golden").unwrap();
        let row = row(&folder).unwrap();
        fs::remove_dir_all(&folder).unwrap();
        assert_eq!(row, b"\x06\0\0\0a.json\x02\0\0\0{}\x06\0\0\0b.json\x03\0\0\0[2]");
    }
}
