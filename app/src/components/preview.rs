//! What becomes of the run at another value, in a line beside the control.

use crate::messages::Messages;
use crate::messages::ahead::{self, Words};
use crate::state::{label, text};
use shardmem::facts::controls::{Control, Moved, Setting};
use shardmem::report::messages::message;
use shardmem::report::number::{Decimals, MemoryUnit, amount_with_unit, change};
use shardmem::whatif::{Candidate, Figure, Outcome, Reason, Strip};

/// Choices listed beside a control, at most.
const MOST_CHOICES: usize = 5;

/// What a preview is written with.
#[derive(Debug, Clone, Copy)]
pub struct Preview {
    /// What the run needs as it stands.
    pub present: Option<Figure>,
    /// The unit of amounts.
    pub unit: MemoryUnit,
    /// The page's words.
    pub say: &'static Messages,
}

/// A value for people.
pub fn spoken(control: Control, setting: &Setting, words: &Words) -> String {
    match setting {
        Setting::Number(_) => text(setting),
        Setting::Switch(on) => if *on { words.on } else { words.off }.to_owned(),
        Setting::Name(_) => label(control, setting),
    }
}

/// Degrees that move along: `replicate 8 → 4`.
pub fn moves(moved: &[Moved], say: &Messages) -> String {
    let words = ahead::of(say.spoken);
    let moves = moved.iter().map(|moved| {
        [ahead::short(moved.control, say), " ", &moved.from.to_string(), " → ", &moved.to.to_string()].concat()
    });
    moves.collect::<Vec<_>>().join(words.between)
}

impl Preview {
    fn words(&self) -> &'static Words {
        ahead::of(self.say.spoken)
    }

    fn amount(&self, figure: Figure) -> String {
        amount_with_unit(figure.peak, self.unit, Decimals::One)
    }

    /// One value: `EP 16: fits, peak 39.0 GiB (−26.8)`, and what moves along; or why there is no going there.
    pub fn value(&self, control: Control, candidate: &Candidate) -> String {
        let words = self.words();
        let name = [ahead::short(control, self.say), " ", &spoken(control, &candidate.setting, words)].concat();
        let mut line = [&name, words.colon].concat();
        match &candidate.outcome {
            Outcome::Runs(figure) => {
                line.push_str(&self.figure(*figure));
                if !candidate.moved.is_empty() {
                    line.push_str(" · ");
                    line.push_str(&moves(&candidate.moved, self.say));
                }
            }
            Outcome::PricedOnly(figure, reason) => {
                let reason = message(reason, self.say.spoken);
                let parts = [&*self.figure(*figure), words.between, words.would_not_run, words.colon, &reason];
                line.push_str(&parts.concat());
            }
            Outcome::Refused(reason) => {
                let reason = match reason {
                    Reason::Control(refusal) => (self.say.refusal)(refusal),
                    Reason::Run(diagnostic) => message(diagnostic, self.say.spoken),
                };
                line.push_str(&[words.refused, words.colon, &reason].concat());
            }
        }
        line
    }

    /// `fits, peak 39.0 GiB (−26.8)`.
    fn figure(&self, figure: Figure) -> String {
        let words = self.words();
        let change = self.present.filter(|present| present.peak != figure.peak).map(|present| {
            let change = change(figure.peak - present.peak, self.unit, Decimals::One);
            [" (", &change, ")"].concat()
        });
        let parts = [(words.fits)(figure.fits), words.between, words.peak, " ", &self.amount(figure)];
        [&*parts.concat(), change.as_deref().unwrap_or_default()].concat()
    }

    /// The values that can be reached by one key: `← 4 exceeds, 119.2 GiB · → 16 fits, 39.0 GiB`; of a choice or a switch
    /// all others.
    pub fn neighbours(&self, strip: &Strip) -> Option<String> {
        let candidates = &strip.candidates;
        let here = candidates.iter().position(|candidate| candidate.setting == strip.present)?;
        let is_open = |candidate: &&Candidate| candidate.outcome.figure().is_some();
        let told = |sign: &str, candidate: &Candidate| {
            let words = self.words();
            let figure = candidate.outcome.figure().map_or_else(String::new, |figure| {
                [(words.fits)(figure.fits), words.between, &self.amount(figure)].concat()
            });
            [sign, &spoken(strip.control, &candidate.setting, words), " ", &figure].concat()
        };
        let parts: Vec<String> = match strip.present {
            Setting::Number(_) => {
                let before = candidates[..here].iter().rev().find(is_open).map(|candidate| told("← ", candidate));
                let behind = candidates[here + 1..].iter().find(is_open).map(|candidate| told("→ ", candidate));
                before.into_iter().chain(behind).collect()
            }
            Setting::Switch(_) | Setting::Name(_) if candidates.len() <= MOST_CHOICES => {
                let others = candidates.iter().enumerate().filter(|(at, _)| *at != here);
                others.map(|(_, candidate)| candidate).filter(is_open).map(|candidate| told("", candidate)).collect()
            }
            Setting::Switch(_) | Setting::Name(_) => Vec::new(),
        };
        (!parts.is_empty()).then(|| parts.join(" · "))
    }

    /// The value under the pointer; nothing for the value that the control has.
    pub fn at(&self, strip: &Strip, values: &[i64], at: usize) -> Option<String> {
        let setting = Setting::Number(*values.get(at)?);
        let candidate = strip.candidates.iter().find(|candidate| candidate.setting == setting)?;
        (setting != strip.present).then(|| self.value(strip.control, candidate))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::messages;
    use shardmem::facts::controls::Refusal;
    use shardmem::report::Fits;
    use shardmem::report::messages::Language;
    use shardmem::units::{Bytes, GIB};

    fn figure(gib: f64) -> Figure {
        let (peak, fits) = (Bytes::new(gib * GIB), if gib <= 64.0 { Fits::Yes } else { Fits::No });
        Figure { peak, stage: 1, fits, headroom: Bytes::new((64.0 - gib) * GIB) }
    }

    fn candidate(value: i64, outcome: Outcome) -> Candidate {
        Candidate { setting: Setting::Number(value), outcome, moved: Vec::new() }
    }

    fn preview(language: Language) -> Preview {
        Preview { present: Some(figure(65.84)), unit: MemoryUnit::Gib, say: messages::of(language) }
    }

    #[test]
    fn a_value_says_verdict_peak_change_and_what_moves() {
        let english = preview(Language::English);
        let mut sixteen = candidate(16, Outcome::Runs(figure(39.0)));
        assert_eq!(english.value(Control::Ep, &sixteen), "EP 16: fits, peak 39.0\u{a0}GiB (−26.8)");
        sixteen.moved = vec![Moved { control: Control::DpReplicate, from: 8, to: 4 }];
        assert!(english.value(Control::Ep, &sixteen).ends_with("(−26.8) · DP replicate 8 → 4"));
        assert_eq!(
            preview(Language::Chinese).value(Control::Ep, &candidate(16, Outcome::Runs(figure(39.0)))),
            "EP 16：放得下，峰值 39.0\u{a0}GiB（−26.8）".replace('（', " (").replace('）', ")")
        );
    }

    #[test]
    fn what_cannot_be_says_why() {
        let refused = Outcome::Refused(Reason::Control(Refusal::DevicesNotDivided { devices: 512, product: 61 }));
        let line = preview(Language::English).value(Control::Pp, &candidate(61, refused));
        assert_eq!(line, "PP 61: not possible: TP·PP·CP = 61 does not divide 512 devices");
    }

    #[test]
    fn neighbours_are_the_values_one_key_away() {
        let refused = Outcome::Refused(Reason::Control(Refusal::NotPositive));
        let candidates = vec![
            candidate(4, Outcome::Runs(figure(119.2))),
            candidate(8, Outcome::Runs(figure(65.84))),
            candidate(12, refused),
            candidate(16, Outcome::Runs(figure(39.0))),
        ];
        let strip = Strip { control: Control::Ep, present: Setting::Number(8), candidates };
        let english = preview(Language::English);
        let told = english.neighbours(&strip);
        assert_eq!(told.as_deref(), Some("← 4 exceeds, 119.2\u{a0}GiB · → 16 fits, 39.0\u{a0}GiB"));
        assert_eq!(english.at(&strip, &[4, 8, 12, 16], 1), None);
        assert!(english.at(&strip, &[4, 8, 12, 16], 3).is_some_and(|line| line.starts_with("EP 16: fits")));
        assert_eq!(english.at(&strip, &[4, 8], 3), None);
    }
}
