//! A formula set in type: each symbol above its value, so that one line reads as the formula and the other as the sum.

use super::{Pane, amount, symbol};
use crate::view::{Element, html};
use shardmem::report::why::{ExplainedStep, Piece, Sign};

impl Pane<'_> {
    /// The formula, for the eye in two lines, for screen readers as two sentences.
    pub(super) fn formula(&self, step: &ExplainedStep) -> Element {
        let mut lines = Lines { done: Vec::new(), open: Vec::new(), is_full: false };
        lines.add(column("explain-sign", html("i").text("="), html("b").text("=")), Bind::Next);
        for piece in &step.pieces {
            let (column, bind) = self.column(step, piece);
            lines.add(column, bind);
        }
        let spoken = [self.words.formula.replace("{}", &step.formula), self.words.values.replace("{}", &step.values)];
        let is_plain = step.children.is_empty();
        html("div")
            .class(if is_plain { "explain-formula plain" } else { "explain-formula" })
            .child(html("p").class("hidden-text").text(spoken.join("; ")))
            .child(html("div").class("explain-set").attribute("aria-hidden", "true").children(lines.finish()))
    }

    fn column(&self, step: &ExplainedStep, piece: &Piece) -> (Element, Bind) {
        let both = |class: &'static str, text: &str| {
            column(class, html("i").text(text.to_owned()), html("b").text(text.to_owned()))
        };
        match piece {
            Piece::Child { at, is_tight } => {
                let Some(child) = step.children.get(*at) else { return (both("", ""), Bind::Last) };
                let name = symbol::set(child.id, &child.symbol, self.asked.language);
                let value = amount::in_words(child.id, child.value, self.asked.unit);
                let value = if *is_tight && child.value < 0.0 { format!("({value})") } else { value };
                (column("explain-term", html("i").child(name), html("b").text(value)), Bind::Last)
            }
            Piece::Number(number) => (both("explain-number", &readable(number)), Bind::Last),
            Piece::Name(name) => (both("explain-name", name), Bind::Next),
            Piece::Further(count) => (
                both("explain-number", &["… ", &self.words.more.replace("{}", &count.to_string())].concat()),
                Bind::Last,
            ),
            Piece::Sign(sign) => {
                let (class, text, bind) = set(*sign);
                (both(class, text), bind)
            }
        }
    }
}

/// How a sign is set, and what it may not be parted from.
const fn set(sign: Sign) -> (&'static str, &'static str, Bind) {
    match sign {
        Sign::Plus => ("explain-sign", "+", Bind::Next),
        Sign::Minus => ("explain-sign", "−", Bind::Next),
        Sign::Negative => ("explain-bracket", "−", Bind::Next),
        Sign::Times => ("explain-sign", "×", Bind::Next),
        Sign::Over => ("explain-sign", "/", Bind::Next),
        Sign::Open => ("explain-bracket", "(", Bind::Next),
        Sign::Close => ("explain-bracket", ")", Bind::Before),
        Sign::Comma => ("explain-comma", ",", Bind::Before),
    }
}

/// A constant with its digits in groups where it is whole.
fn readable(number: &str) -> String {
    match number.parse::<i64>() {
        Ok(whole) => amount::plain(whole as f64),
        Err(_) => number.to_owned(),
    }
}

fn column(class: &'static str, above: Element, below: Element) -> Element {
    html("span").class(class).child(above).child(below)
}

/// Where a line may not be broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Bind {
    /// Before the next piece.
    Next,
    /// The piece ends what cannot be broken, unless one follows that is bound to it.
    Last,
    /// Between this piece and the one before it.
    Before,
}

/// Pieces put together to what stays on one line.
struct Lines {
    done: Vec<Element>,
    open: Vec<Element>,
    is_full: bool,
}

impl Lines {
    fn add(&mut self, column: Element, bind: Bind) {
        if self.is_full && bind != Bind::Before {
            self.close();
        }
        self.open.push(column);
        self.is_full |= bind != Bind::Next;
    }

    fn close(&mut self) {
        let columns = std::mem::take(&mut self.open);
        if !columns.is_empty() {
            self.done.push(html("span").class("explain-piece").children(columns));
        }
        self.is_full = false;
    }

    fn finish(mut self) -> Vec<Element> {
        self.close();
        self.done
    }
}
