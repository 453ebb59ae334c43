//! What is done when something is written or taken away, with the words for it. Late, all of it.

use crate::browser::{clipboard, files};
use crate::components::take_menu::by_hand;
use crate::messages;
use crate::messages::takeaway::{Words, words};
use crate::state::exports::{Entry, Export, Missing, Piece, Way};
use crate::state::new_run::{self, Start, Wrong};
use crate::state::written::{pending, written};
use crate::state::{ModelSource, Workspace};
use crate::view::{Element, Text};
use shardmem::report::messages::Language;
use shardmem::report::number::MemoryUnit;

/// What shall be taken away of which run.
#[derive(Debug, Clone)]
pub struct Wish {
    /// What, and how.
    pub entry: Entry,
    /// Of which run.
    pub run: Workspace,
    /// In which unit amounts are written.
    pub unit: MemoryUnit,
    /// In whose words.
    pub language: Language,
}

/// What became of a wish.
#[derive(Debug)]
pub enum Taken {
    /// It is done, or cannot be: in words.
    Told(String),
    /// The browser keeps its clipboard: the text, to be copied by hand.
    ByHand(Element),
}

/// A run to put in the place of the present one.
#[derive(Debug, Clone, PartialEq)]
pub struct Replaced {
    /// The run.
    pub run: Workspace,
    /// What is said of it.
    pub words: Text,
}

/// Takes something away.
pub fn take(wish: Wish, done: Box<dyn FnOnce(Taken)>) {
    let Wish { entry, run, unit, language } = wish;
    let say = words(language);
    let piece = Export::of(&run).piece(entry.piece, unit, say.stage, messages::of(language));
    let text = match piece {
        Ok(text) => text,
        Err(Missing::Need(need)) => return done(Taken::Told((say.need)(need).to_owned())),
        Err(Missing::Unwritten(why)) => return done(Taken::Told((say.unwritten)(&why))),
    };
    let left = left_out(&run, entry, say);
    match entry.way {
        Way::Copy => copy(text, left, entry, language, done),
        Way::Save => {
            let told = saved(files::save(entry.file, entry.kind, &text), entry, say);
            done(Taken::Told(told + &left));
        }
        Way::SavePng => {
            let told = move |is_drawn| done(Taken::Told(saved(is_drawn, entry, say)));
            files::save_drawn(entry.file, &text, Box::new(told));
        }
    }
}

/// What belongs to the run and no train.yaml has a place for, to be said behind the rest.
fn left_out(run: &Workspace, entry: Entry, say: &Words) -> String {
    let is_yaml = entry.piece == Piece::Yaml;
    let ranges = (is_yaml && run.ranges.is_some()).then_some(say.without_ranges);
    let model = (is_yaml && run.model != ModelSource::File).then_some(say.without_model);
    [ranges, model].into_iter().flatten().flat_map(|words| [say.gap, words]).collect()
}

fn copy(text: String, left: String, entry: Entry, language: Language, done: Box<dyn FnOnce(Taken)>) {
    let copied = text.clone();
    let told = move |is_copied| {
        done(if is_copied {
            Taken::Told((words(language).copied)(entry.piece) + &left)
        } else {
            Taken::ByHand(by_hand(text, language))
        });
    };
    clipboard::copy(&copied, Box::new(told));
}

fn saved(is_saved: bool, entry: Entry, say: &Words) -> String {
    match (is_saved, entry.way) {
        (true, _) => (say.saved)(entry.file),
        (false, Way::SavePng) => say.undrawn.to_owned(),
        (false, Way::Copy | Way::Save) => say.unsaved.to_owned(),
    }
}

/// The run with what is set written into its text; or why it cannot be, in words.
pub fn write(run: &Workspace, language: Language) -> Result<Replaced, String> {
    let say = words(language);
    let text = written(run).map_err(|why| (say.unwritten)(&why))?;
    let mut told = match pending(run).len() {
        0 => say.pending_none.to_owned(),
        keys => (say.applied)(keys),
    };
    if run.ranges.is_some() {
        told.push_str(say.gap);
        told.push_str(say.ranges_stay);
    }
    let mut run = run.clone();
    run.take_written(text);
    Ok(Replaced { run, words: told.into() })
}

/// A new run in the place of the present one, or what means nothing.
pub fn begin(run: &Workspace, start: &Start, language: Language) -> Result<Replaced, Wrong> {
    let mut run = run.clone();
    run.start_over(&start.text()?);
    run.model = ModelSource::File;
    Ok(Replaced { run, words: words(language).made.into() })
}

/// The present run written plainly; nothing where its text cannot be read.
pub fn plainly(run: &Workspace, language: Language) -> Option<Replaced> {
    let run = new_run::plainly(run)?;
    Some(Replaced { run, words: words(language).made_plainly.into() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::Sample;
    use shardmem::document::Unapplied;
    use shardmem::facts::Unwritten;
    use shardmem::facts::controls::Control;
    use shardmem::provenance::KeyPath;
    use std::sync::Arc;

    #[test]
    fn what_is_written_is_counted_in_words() {
        let mut run = Workspace::of(Sample::OPENING.text);
        run.set(Control::Ep, "16");
        let Replaced { run: new, words } = write(&run, Language::English).expect("it can be written");
        assert_eq!((new.changed(), &*words), (0, "1 key was written into train.yaml."));
        assert!(new.text.contains("ep_size: 16"));
    }

    #[test]
    fn what_is_not_written_is_told_by_its_key() {
        let text = Sample::OPENING.text.replace("  tp_size: 1\n", "  ? tp_size\n");
        assert_ne!(text, Sample::OPENING.text);
        let mut run = Workspace::of(&text);
        run.set(Control::Tp, "2");
        for language in Language::ALL {
            let told = write(&run, language).expect_err("a form that is not edited");
            assert!(told.contains("accelerator.tp_size"), "{told}");
        }
        let key = || KeyPath::parse("a.b");
        for why in [Unapplied::NotASection(key()), Unapplied::NoSuchItem(key()), Unapplied::Contradicted(key())] {
            let why = Unwritten::Text(why);
            assert!(Language::ALL.into_iter().all(|language| (words(language).unwritten)(&why).contains("a.b")));
        }
    }

    #[test]
    fn a_text_says_what_it_leaves_out() {
        let mut run = Workspace::of(Sample::OPENING.text);
        let [yaml, json] = ["save-yaml", "json"].map(|name| Entry::by_name(name).expect("an entry"));
        let say = words(Language::English);
        assert_eq!(left_out(&run, yaml, say), "");
        run.ranges = Some(Arc::default());
        run.model = ModelSource::Catalogue("a/b".into());
        let both = [say.without_ranges, say.without_model].map(|words| format!(" {words}")).concat();
        assert_eq!((left_out(&run, yaml, say), left_out(&run, json, say)), (both, String::new()));
    }

    #[test]
    fn a_new_run_leaves_nothing_of_the_last_one_but_the_baseline() {
        let mut run = Workspace::of(Sample::OPENING.text);
        run.pin_baseline();
        run.set(Control::Tp, "2");
        run.paste_config("{}");
        let start = Start::of(&Workspace::of(""));
        let Replaced { run: new, .. } = begin(&run, &start, Language::Chinese).expect("a run");
        assert_eq!((new.changed(), &new.model, &new.baseline), (0, &ModelSource::File, &run.baseline));
        assert_eq!(plainly(&Workspace::of("- a"), Language::English), None);
    }
}
