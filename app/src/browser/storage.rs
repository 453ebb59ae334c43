//! The reader's own storage. It may be blocked, full or corrupt: then there is none.

use web_sys::Storage;

const PREFIX: &str = "shardmem.";

/// What is stored under a name.
pub fn read(name: &str) -> Option<String> {
    local()?.get_item(&format!("{PREFIX}{name}")).ok().flatten()
}

/// Stores a value, or removes it where it is the default, so that defaults may change later.
pub fn write(name: &str, value: &str, default: &str) {
    let Some(storage) = local() else { return };
    let key = format!("{PREFIX}{name}");
    // A full or read-only storage loses this value, nothing else; what it held before would be taken for it later.
    if value == default || storage.set_item(&key, value).is_err() {
        let _ = storage.remove_item(&key);
    }
}

fn local() -> Option<Storage> {
    web_sys::window()?.local_storage().ok().flatten()
}
