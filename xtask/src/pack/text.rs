//! Style sheets and scripts of our own making or wasm-bindgen's, made shorter without reading their grammar.

/// Without block comments, indentation, comment lines and empty lines. None of these files has a text of several lines or
/// one with a comment's beginning.
pub(super) fn without_comments(text: &str) -> String {
    let mut pieces = text.split("/*");
    let mut kept = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        kept.push_str(piece.split_once("*/").map_or("", |(_, behind)| behind));
    }
    let lines = kept.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//"));
    lines.flat_map(|line| [line, "\n"]).collect()
}

/// A style sheet without what only its readers need: a declaration's blanks, the ends of lines, a block's last semicolon. A
/// colon with a blank behind it stands in declarations and queries alone.
pub(super) fn style(text: &str) -> String {
    let lines = without_comments(text).replace(": ", ":").replace(" {\n", "{").replace(";\n", ";");
    lines.replace(";}", "}").replace(",\n", ",").replace("}\n", "}")
}

/// The value of an attribute in a line of HTML.
pub(super) fn attribute<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    line.split_once(&format!(" {name}=\""))?.1.split('"').next()
}

/// Every word (letters, digits, `_`, `$`) and what stands between two of them, in order.
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(|letter: char| !is_of_word(letter)).flat_map(|piece| {
        let end =
            piece.char_indices().next_back().filter(|(_, last)| !is_of_word(*last)).map_or(piece.len(), |(at, _)| at);
        let (word, behind) = piece.split_at(end);
        [word, behind]
    })
}

fn is_of_word(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '_' | '$')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_indentation_go() {
        let text = "/* a\n b */\nf {\n  x: 1; /* y */\n  // z\n\n  y: \"http://\";\n}\n";
        assert_eq!(without_comments(text), "f {\nx: 1;\ny: \"http://\";\n}\n");
    }

    #[test]
    fn styles_take_no_blank_that_nobody_reads() {
        let text = "/* a */\na:is(b, c) > d,\ne {\n  x: 1 2;\n  y: \"a b\";\n}\n\n@media (w: 2rem) {\n  f {\n    z: 3;\n  }\n}\n";
        assert_eq!(style(text), "a:is(b, c) > d,e{x:1 2;y:\"a b\"}@media (w:2rem){f{z:3}}");
    }

    #[test]
    fn words_and_the_rest_make_the_text() {
        let text = "wasm.__wbg_x(a,b$1)é ";
        assert_eq!(words(text).collect::<String>(), text);
        assert!(["wasm", "__wbg_x", "a", "b$1", "é"].iter().all(|word| words(text).any(|found| found == *word)));
    }

    #[test]
    fn attributes_are_found() {
        assert_eq!(attribute(r#"<link rel="a" href="./b.css" />"#, "href"), Some("./b.css"));
        assert_eq!(attribute("<link>", "href"), None);
    }
}
