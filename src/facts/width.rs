//! Bytes of an element by its dtype's name (config-spec 4.6).

/// The first run of digits over 8, at least 1; 4 where there are no digits (`half` too).
pub fn of_dtype(name: &str) -> i64 {
    let digits: String =
        name.chars().skip_while(|letter| !letter.is_ascii_digit()).take_while(char::is_ascii_digit).collect();
    if digits.is_empty() {
        return 4;
    }
    (digits.parse::<i64>().unwrap_or(i64::MAX) / 8).clamp(1, 1 << 20)
}

#[cfg(test)]
mod tests {
    use super::of_dtype;

    #[test]
    fn bytes_of_names() {
        let expected =
            [("bfloat16", 2), ("float8_e4m3fn", 1), ("bf16", 2), ("half", 4), ("int4", 1), ("float32", 4), ("0", 1)];
        for (name, bytes) in expected {
            assert_eq!(of_dtype(name), bytes, "{name}");
        }
    }
}
