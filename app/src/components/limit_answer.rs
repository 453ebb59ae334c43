//! How far one can go, asked of the core and said in a line. Late.

use crate::messages::limits::{self, Words};
use crate::messages::{self, Language, ahead};
use crate::state::ahead::Pairs;
use crate::state::futures::{Answer, Question, Take};
use crate::state::ranges;
use crate::view::{Element, html};
use shardmem::config::RecomputeOption;
use shardmem::facts::controls::{Control, Setting};
use shardmem::report::number::{Decimals, MemoryUnit, amount_with_unit};
use shardmem::whatif::{Fewest, Figure, Limit, Run, WhatIf, control_pairs};

/// The nearest pairs of the controls from one pair on, while there is time, of one at least; and which is next.
pub fn pairs(run: Run<'_>, from: usize, has_time: &dyn Fn() -> bool) -> Pairs {
    let mut found = Vec::new();
    let Ok(what_if) = WhatIf::new(run) else { return Pairs { found, next: None } };
    for (at, pair) in control_pairs().into_iter().enumerate().skip(from) {
        found.extend(what_if.nearest_pair(pair).0);
        if !has_time() {
            return Pairs { found, next: Some(at + 1) };
        }
    }
    Pairs { found, next: None }
}

/// The answer to a question about a run.
pub fn answer(run: Run<'_>, question: Question, unit: MemoryUnit, language: Language) -> Answer {
    let say = limits::of(language);
    let spoken = Spoken { unit, say };
    let (text, take) = match WhatIf::new(run) {
        // Nothing is asked of a run that cannot be read.
        Err(_) => (messages::of(language).no_estimate.to_owned(), None),
        Ok(what_if) => match question {
            Question::Sequence => spoken.limit(
                what_if.longest_sequence(),
                &what_if,
                Control::SequenceLength,
                say.sequence,
                say.no_sequence,
            ),
            Question::MicroBatch => spoken.limit(
                what_if.largest_micro_batch(),
                &what_if,
                Control::MicroBatch,
                say.micro_batch,
                say.no_micro_batch,
            ),
            Question::Recompute => spoken.fewest(&what_if),
        },
    };
    Answer { question, said: line(text, take.is_some(), language), take }
}

fn line(text: String, is_taken: bool, language: Language) -> Element {
    let take = html("button")
        .attribute("type", "button")
        .class("action")
        .attribute("data-testid", "limit-take")
        .text(ahead::of(language).take);
    html("p").child(html("span").text(text)).children(is_taken.then_some(take))
}

struct Spoken {
    unit: MemoryUnit,
    say: &'static Words,
}

impl Spoken {
    fn peak(&self, figure: Figure) -> String {
        amount_with_unit(figure.peak, self.unit, Decimals::One)
    }

    fn limit(
        &self,
        limit: Option<Limit>,
        what_if: &WhatIf<'_>,
        control: Control,
        name: fn(i64) -> String,
        none: &'static str,
    ) -> (String, Option<Take>) {
        let Some(Limit { value, figure, next, .. }) = limit else { return (none.to_owned(), None) };
        let mut text = (self.say.fits_with)(&name(value), &self.peak(figure));
        match next {
            Some((next, figure)) => text.push_str(&(self.say.next_needs)(&name(next), &self.peak(figure))),
            None => text.push_str(self.say.largest_tried),
        }
        if control.setting(what_if.facts()) == Setting::Number(value) {
            text.push_str(self.say.as_it_stands);
            return (text, None);
        }
        (text, Some(Take::Value(control, value)))
    }

    /// The fewest layers recomputed as the run recomputes now; where that is not enough, recomputed in full.
    fn fewest(&self, what_if: &WhatIf<'_>) -> (String, Option<Take>) {
        let is_selective = Control::Recompute.setting(what_if.facts()) == Setting::Name("selective".into());
        let options: &[RecomputeOption] =
            if is_selective { &[RecomputeOption::Selective, RecomputeOption::Full] } else { &[RecomputeOption::Full] };
        let Some(fewest) = options.iter().find_map(|option| what_if.fewest_recomputed(*option)) else {
            let full = what_if.value(Control::Recompute, Setting::Name("full".into())).outcome.figure();
            let is_enough = full.is_some_and(|figure| figure.is_fitting());
            return (if is_enough { self.say.several_parts } else { self.say.no_layers }.to_owned(), None);
        };
        let Fewest { option, layers, ranges, figure, .. } = fewest;
        let (name, behind) = match layers {
            0 => (self.say.no_layer.to_owned(), ""),
            _ => ((self.say.layers)(layers, option == RecomputeOption::Full), self.say.one_less),
        };
        let mut text = (self.say.fits_with)(&name, &self.peak(figure));
        text.push_str(behind);
        if ranges.is_none() {
            text.push_str(self.say.not_ranges);
        }
        (text, ranges.map(|found| Take::Ranges(ranges::of_ranges(&found))))
    }
}
