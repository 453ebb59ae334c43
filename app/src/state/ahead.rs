//! What would happen: every control at each of its values, what would make the run fit, and what a run that fits has room
//! for. Asked of the core piece by piece, so that nobody waits for it.

use super::what_if::GROUPS;
use shardmem::facts::controls::{Control, Setting};
use shardmem::report::Fits;
use shardmem::whatif::{Candidate, Figure, Fix, Outcome, Run, Step, Strip, WhatIf, remedies};

/// What is known of the values that the run does not have.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Ahead {
    /// What the run as it stands needs; nothing where it cannot be priced.
    pub present: Option<Figure>,
    strips: Vec<Strip>,
    /// The changes worth offering: what makes a run fit that does not, or what a run that fits has room for.
    pub ways: Ways,
}

/// Changes that are offered, each one step of the history.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Ways {
    /// Nobody can say: the run cannot be priced, or was read in part.
    #[default]
    Unknown,
    /// One step makes it fit: the nearest value of each control, cheapest first, then all others.
    Mending(Vec<Way>),
    /// No single step does, these two do; whether all pairs were tried.
    MendingTogether(Vec<Way>, Search),
    /// It fits, and has room for these.
    Room(Vec<Way>),
}

/// How far a search went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Search {
    /// Further pairs may do.
    Going,
    /// All were tried.
    Over,
}

/// A change that is offered.
#[derive(Debug, Clone, PartialEq)]
pub struct Way {
    /// What it costs the run; nothing for room that is left.
    pub cost: Option<shardmem::whatif::Cost>,
    /// Its steps, in the order of setting.
    pub steps: Vec<Step>,
    /// What the run then needs.
    pub figure: Figure,
}

impl From<Fix> for Way {
    fn from(Fix { cost, steps, figure }: Fix) -> Self {
        Self { cost: Some(cost), steps, figure }
    }
}

impl Ways {
    /// All of them, in the order they are offered.
    pub fn list(&self) -> &[Way] {
        match self {
            Self::Unknown => &[],
            Self::Mending(ways) | Self::MendingTogether(ways, _) | Self::Room(ways) => ways,
        }
    }
}

impl Ahead {
    /// A control at each of its values; nothing where it cannot be moved, or was not asked yet.
    pub fn strip(&self, control: Control) -> Option<&Strip> {
        self.strips.iter().find(|strip| strip.control == control)
    }

    /// A control at a value.
    pub fn candidate(&self, control: Control, setting: &Setting) -> Option<&Candidate> {
        self.strip(control)?.candidates.iter().find(|candidate| candidate.setting == *setting)
    }

    /// Whether a run with this value is refused, where the run as it stands is not: then there is no going there.
    pub fn refuses(&self, control: Control, setting: &Setting) -> bool {
        let is_refused = |candidate: &Candidate| matches!(candidate.outcome, Outcome::Refused(_));
        self.present.is_some() && self.candidate(control, setting).is_some_and(is_refused)
    }

    /// Of all single steps that could mend the run and do not, the one that comes nearest.
    pub fn nearest(&self) -> Option<(Control, &Setting, Figure)> {
        let strips = remedies().filter_map(|control| self.strip(control));
        let others = strips.flat_map(|strip| {
            let is_other = |candidate: &&Candidate| candidate.setting != strip.present;
            strip.candidates.iter().filter(is_other).map(|candidate| (strip.control, candidate))
        });
        let running = others.filter_map(|(control, candidate)| match candidate.outcome {
            Outcome::Runs(figure) => Some((control, &candidate.setting, figure)),
            Outcome::PricedOnly(..) | Outcome::Refused(_) => None,
        });
        let nearest = running.min_by(|one, other| one.2.peak.value().total_cmp(&other.2.peak.value()))?;
        self.present.filter(|present| nearest.2.peak < present.peak).map(|_| nearest)
    }
}

/// What was found of the pairs of controls, and which pair to ask about next.
#[derive(Debug, Clone, PartialEq)]
pub struct Pairs {
    /// Two steps each.
    pub found: Vec<Fix>,
    /// Counted from the first; none where all were asked about.
    pub next: Option<usize>,
}

/// A pass over all controls.
#[derive(Debug, Clone, Default)]
pub struct Pass {
    ahead: Ahead,
    asked: usize,
    /// The next pair of controls to ask about, where pairs are.
    next_pair: usize,
}

impl Pass {
    /// Asks about further controls while there is time, about one at least; whether all were asked. A run that cannot be
    /// read has no future: nothing.
    pub fn go_on(&mut self, run: Run<'_>, has_time: &dyn Fn() -> bool) -> Option<bool> {
        let what_if = WhatIf::new(run).ok()?;
        let mut controls = GROUPS.iter().flat_map(|group| group.controls).skip(self.asked);
        for control in controls.by_ref() {
            self.asked += 1;
            self.ahead.strips.extend(what_if.strip(*control));
            if !has_time() {
                break;
            }
        }
        let is_over = controls.next().is_none();
        if is_over {
            self.ahead.present = present(&self.ahead);
            self.ahead.ways = ways(&self.ahead, &what_if);
        }
        Some(is_over)
    }

    /// What is known so far.
    pub const fn ahead(&self) -> &Ahead {
        &self.ahead
    }

    /// The pair of controls to ask about next, where no single step mends the run.
    pub const fn next_pair(&self) -> Option<usize> {
        match self.ahead.ways {
            Ways::MendingTogether(_, Search::Going) => Some(self.next_pair),
            Ways::Unknown | Ways::Mending(_) | Ways::Room(_) | Ways::MendingTogether(_, Search::Over) => None,
        }
    }

    /// Takes what was found of the pairs; nothing more to ask about ends the search.
    pub fn take_pairs(&mut self, Pairs { found, next }: Pairs) {
        let Ways::MendingTogether(ways, search) = &mut self.ahead.ways else { return };
        ways.extend(found.into_iter().map(Way::from));
        match next {
            Some(next) => self.next_pair = next,
            None => *search = Search::Over,
        }
    }
}

/// What the run needs as it stands: any control at the value it has.
fn present(ahead: &Ahead) -> Option<Figure> {
    ahead.strips.iter().find_map(|strip| ahead.candidate(strip.control, &strip.present)?.outcome.figure())
}

fn ways(ahead: &Ahead, what_if: &WhatIf<'_>) -> Ways {
    match ahead.present.map(|present| present.fits) {
        None | Some(Fits::Unknown) => Ways::Unknown,
        Some(Fits::Yes | Fits::Tight) => Ways::Room(room(ahead, what_if)),
        Some(Fits::No) => {
            let strips = remedies().filter_map(|control| ahead.strip(control));
            let by_control: Vec<Vec<Fix>> = strips.map(|strip| what_if.fixes_in(strip)).collect();
            let first = by_control.iter().filter_map(|fixes| fixes.first());
            let further = by_control.iter().flat_map(|fixes| fixes.iter().skip(1));
            let ways: Vec<Way> = first.chain(further).cloned().map(Way::from).collect();
            if ways.is_empty() { Ways::MendingTogether(ways, Search::Going) } else { Ways::Mending(ways) }
        }
    }
}

/// Where a run that fits has room: the furthest value of each of these that still fits.
fn room(ahead: &Ahead, what_if: &WhatIf<'_>) -> Vec<Way> {
    let furthest = |control: Control| {
        let strip = ahead.strip(control)?;
        let here = strip.candidates.iter().position(|candidate| candidate.setting == strip.present)?;
        let (before, behind) = strip.candidates.split_at(here);
        let candidate = match control {
            // More of it is more to hold.
            Control::SequenceLength => behind.iter().skip(1).rev().find(|candidate| has_room(candidate))?,
            Control::MicroBatch => {
                let keeps = |candidate: &&Candidate| has_room(candidate) && what_if.keeps_batch(&candidate.setting);
                behind.iter().skip(1).rev().find(keeps)?
            }
            // Less of it is.
            _ => before.iter().find(|candidate| has_room(candidate))?,
        };
        // What changes nothing is no room: ranges decide in the place of the mode.
        let figure = candidate.outcome.figure().filter(|figure| Some(*figure) != ahead.present)?;
        let (from, to) = (strip.present.clone(), candidate.setting.clone());
        let step = Step { control, from, to, moved: candidate.moved.clone() };
        Some(Way { cost: None, steps: vec![step], figure })
    };
    [Control::Recompute, Control::SequenceLength, Control::MicroBatch, Control::Devices]
        .into_iter()
        .filter_map(furthest)
        .collect()
}

fn has_room(candidate: &Candidate) -> bool {
    match candidate.outcome {
        Outcome::Runs(figure) => figure.is_fitting(),
        Outcome::PricedOnly(..) | Outcome::Refused(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::Sample;
    use shardmem::accounting::Accountant;
    use shardmem::document;
    use shardmem::facts::{ModelChoice, Overrides};
    use shardmem::units::GIB;
    use shardmem::whatif::{Cost, Set, control_pairs};

    /// A pass over a text to its end, in as many slices as there can be.
    fn pass_over(text: &str, sets: &[Set]) -> Pass {
        let document = document::parse(text).expect("the text reads").value;
        let choice = ModelChoice::Named;
        let overrides = Overrides::none();
        let run = Run {
            document: &document,
            choice: &choice,
            devices: None,
            exec: None,
            accountant: Accountant::default(),
            overrides: &overrides,
            sets,
            pinned: true,
        };
        let mut pass = Pass::default();
        let mut slices = 1;
        while pass.go_on(run, &|| false) == Some(false) {
            assert!(pass.ahead().present.is_none(), "told before all is known");
            slices += 1;
        }
        assert!(slices <= Control::ALL.len());
        while let Some(pair) = pass.next_pair() {
            let what_if = WhatIf::new(run).expect("the run is read");
            let pairs = control_pairs();
            let found = what_if.nearest_pair(pairs[pair]).0;
            let next = (pair + 1 < pairs.len()).then_some(pair + 1);
            pass.take_pairs(Pairs { found: found.into_iter().collect(), next });
        }
        pass
    }

    fn told(way: &Way) -> (&'static str, String, f64) {
        let [step] = way.steps.as_slice() else { panic!("one step") };
        let gib = (way.figure.peak.value() / GIB * 10.0).round() / 10.0;
        (step.control.name(), super::super::control_view::text(&step.to), gib)
    }

    #[test]
    fn the_sample_is_mended_by_one_step_of_four_controls_first() {
        let pass = pass_over(Sample::OPENING.text, &[]);
        let Ways::Mending(ways) = &pass.ahead().ways else { panic!("{:?}", pass.ahead().ways) };
        let first: Vec<_> = ways.iter().take(4).map(told).collect();
        let is_told = |wanted: (&'static str, &str, f64)| first.contains(&(wanted.0, wanted.1.to_owned(), wanted.2));
        assert!(is_told(("ep", "16", 39.0)) && is_told(("dp-shard", "8", 63.9)) && is_told(("tp", "2", 58.6)));
        assert_eq!(ways[0].cost, Some(Cost::Sharding));
        let controls: Vec<Control> = first.iter().filter_map(|(name, ..)| Control::by_name(name)).collect();
        assert!(controls.iter().all(|control| first.iter().filter(|told| told.0 == control.name()).count() == 1));
        assert!(pass.next_pair().is_none());
    }

    #[test]
    fn a_run_that_fits_says_what_it_has_room_for() {
        let set = Set { control: Control::Ep, setting: Setting::Number(16) };
        let pass = pass_over(Sample::OPENING.text, &[set]);
        let Ways::Room(ways) = &pass.ahead().ways else { panic!("{:?}", pass.ahead().ways) };
        assert!(ways.len() >= 2);
        assert!(ways.iter().all(|way| way.figure.is_fitting() && way.cost.is_none()));
        for way in ways {
            let strip = pass.ahead().strip(way.steps[0].control).expect("it has one");
            let further = strip.candidates.iter().filter(|candidate| has_room(candidate)).count();
            assert!(further >= 2, "the present value and this one");
        }
    }

    #[test]
    fn where_no_single_step_does_two_may_and_else_the_nearest_is_told() {
        let pass = pass_over(&Sample::OPENING.text.replace("64GB", "30GB"), &[]);
        match &pass.ahead().ways {
            Ways::MendingTogether(ways, Search::Over) => {
                assert!(ways.iter().all(|way| way.steps.len() == 2 && way.figure.is_fitting()));
            }
            other => assert!(matches!(other, Ways::Mending(ways) if !ways.is_empty()), "{other:?}"),
        }
        let pass = pass_over(&Sample::OPENING.text.replace("64GB", "1GB"), &[]);
        assert_eq!(pass.ahead().ways, Ways::MendingTogether(Vec::new(), Search::Over));
        let (_, _, figure) = pass.ahead().nearest().expect("more sharding is less to hold");
        assert!(pass.ahead().present.is_some_and(|present| figure.peak < present.peak));
    }

    #[test]
    fn what_the_run_refuses_is_known_and_nothing_is_where_it_cannot_be_read() {
        let pass = pass_over(Sample::OPENING.text, &[]);
        let refuses = |control, value| pass.ahead().refuses(control, &Setting::Number(value));
        assert!(refuses(Control::Pp, 61));
        assert!(!refuses(Control::Pp, 8) && !refuses(Control::Tp, 2));
        let empty = pass_over("model: {name: unheard_of}", &[]);
        assert_eq!(empty.ahead().ways, Ways::Unknown);
    }
}
