//! What the first view does not need. It stays one crate; only the build (`cargo xtask build`, feature `cut`) cuts it off and
//! brings it when it is first asked for.
//!
//! Everything reachable from [`PART`] alone comes late: so what is late is called through it, never by its name.

#[cfg(feature = "cut")]
mod coming;

use crate::browser::focus;
use crate::components::accuracy;
use crate::components::breakdown_copy::{self, TableCopy};
use crate::components::explanation::{self, Asked, Explained};
use crate::components::limit_answer;
use crate::components::link_told;
use crate::components::pictures::{self, Looks};
use crate::components::{new_run_form, pending_keys, policy_list, take_menu};
use crate::messages::ledger_items;
use crate::panes::taking::{self, Replaced, Taken, Wish};
use crate::state::ahead::Pairs;
use crate::state::asked;
use crate::state::compare::{self, Baseline, KeyChange};
use crate::state::futures::{Answer, Question};
use crate::state::link::{self, Opened};
use crate::state::links::{Handed, Told};
use crate::state::memory::MemoryChoice;
use crate::state::new_run::{Start, Wrong};
use crate::state::parameters;
use crate::state::{EstimateMemos, Sample, Session, Workspace};
use crate::view::Element;
use shardmem::accounting::Accountant;
use shardmem::config::Config;
use shardmem::document;
use shardmem::estimate;
use shardmem::facts::execution::ExecutionSpec;
use shardmem::facts::{Facts, RecomputeRange};
use shardmem::link::Broken;
use shardmem::memory::{Chosen, ledger};
use shardmem::placement::Placement;
use shardmem::provenance::KeyPath;
use shardmem::report::messages::Language;
use shardmem::report::number::MemoryUnit;
use shardmem::report::{Other, Report};
use shardmem::whatif::Run;

/// The late part, as what it does.
#[derive(Debug, Clone, Copy)]
pub struct Late {
    /// The parameters of a run's model beside those that the reference counts, in words.
    pub parameter_note: fn(&Facts, Language) -> Option<String>,
    /// How many parameters a catalogue model has, for reading.
    pub parameters_of: fn(&str) -> String,
    /// What would be written into the text.
    pub pending: fn(&Workspace, Language) -> Element,
    /// The run with what is set in its text; or why not, in words.
    pub write: fn(&Workspace, Language) -> Result<Replaced, String>,
    /// Everything that can be taken away.
    pub take_menu: fn(&Workspace, Language) -> Element,
    /// Takes something away, and tells what became of it.
    pub take: fn(Wish, Box<dyn FnOnce(Taken)>),
    /// What a new run begins with.
    pub start: fn(&Workspace) -> Start,
    /// The form of a new run.
    pub new_run_form: fn(&Start, bool, Option<Wrong>, Language) -> Element,
    /// A new run in the place of the present one, or what means nothing.
    pub begin: fn(&Workspace, &Start, Language) -> Result<Replaced, Wrong>,
    /// The present run written plainly.
    pub plainly: fn(&Workspace, Language) -> Option<Replaced>,
    /// The pane that explains a figure.
    pub explain: fn(&Asked<'_>) -> Explained,
    /// An explanation as text, whole; none where there is none.
    pub explain_text: fn(&Asked<'_>) -> Option<String>,
    /// The fragment of a run, with the unit it is read in; nothing where it is too large for any.
    pub write_link: fn(&Workspace, MemoryUnit) -> Option<String>,
    /// The same as a file.
    pub write_file: fn(&Workspace, MemoryUnit) -> String,
    /// A name for that file.
    pub file_name: fn(&Workspace) -> String,
    /// What a fragment says.
    pub open_link: fn(&str) -> Result<Opened, Broken>,
    /// What such a file says.
    pub open_file: fn(&str) -> Result<Opened, Broken>,
    /// What is told of links, with what can be done about it.
    pub link_notice: fn(&Told, Language) -> Element,
    /// A link to be copied by hand, or the file in its place.
    pub link_popover: fn(&Handed, Language) -> Element,
    /// A train.yaml without some of its keys; none where they cannot be taken out.
    pub leave_out: fn(&str, &[KeyPath]) -> Option<String>,
    /// Layers on stages.
    pub layer_map: fn(&Placement, Looks) -> Element,
    /// Stages at every instant.
    pub heat_map: fn(&Report, Looks) -> Element,
    /// All stages in figures.
    pub stage_table: fn(&Report, Looks) -> Element,
    /// How near both memory models come to what was measured.
    pub accuracy: fn(accuracy::Asked, MemoryUnit, Language) -> Element,
    /// Copies the table of a stage, and tells whether the browser did.
    pub copy_table: fn(&TableCopy<'_>, breakdown_copy::Told),
    /// A baseline, read.
    pub baseline: fn(&Workspace) -> Baseline,
    /// What differs from it, followed; nothing while a text is broken.
    pub changes: fn(&Baseline, Session, EstimateMemos) -> Option<Vec<KeyChange>>,
    /// A sample, by its name.
    pub sample: fn(&str) -> Option<Sample>,
    /// The execution spec of recompute ranges.
    pub spec: fn(&[RecomputeRange]) -> Option<ExecutionSpec>,
    /// What an item of the ledger's own is called.
    pub item: fn(&str, Language) -> Option<&'static str>,
    /// The ledger, ready to account.
    pub ledger: fn(ledger::Policies) -> Accountant,
    /// The two memory models under choices by name; the default of what is unknown.
    pub choose: fn(&str, &[(String, String)]) -> Chosen,
    /// What the other memory model says.
    pub other: fn(Accountant, &Facts, &Config, &estimate::Answer) -> Option<Other>,
    /// The other's figure in words, beside this report's.
    pub comparison: fn(&Report, &Other, MemoryUnit, Language) -> String,
    /// A measured peak beside this report's, in words; or that it cannot be read.
    pub measured: fn(&str, &Report, MemoryUnit, Language) -> Result<String, String>,
    /// The policies of a memory model, to be chosen.
    pub policies: fn(&MemoryChoice, Language) -> Element,
    /// How far one can go.
    pub limit: fn(Run<'_>, Question, MemoryUnit, Language) -> Answer,
    /// What two steps together do, from a pair of controls on; and which pair is next.
    pub pairs: fn(Run<'_>, usize, &dyn Fn() -> bool) -> Pairs,
}

static PART: Late = Late {
    parameter_note: parameters::note,
    parameters_of: parameters::of_model,
    pending: pending_keys::pending_keys,
    write: taking::write,
    take_menu: take_menu::take_menu,
    take: taking::take,
    start: Start::of,
    new_run_form: new_run_form::new_run_form,
    begin: taking::begin,
    plainly: taking::plainly,
    explain: explanation::explain,
    explain_text: explanation::explain_text,
    write_link: link::fragment,
    write_file: link::file,
    file_name: link::file_name,
    open_link: link::open,
    open_file: link::open_file,
    link_notice: link_told::notice,
    link_popover: link_told::popover,
    leave_out: document::without,
    layer_map: pictures::layer_map,
    heat_map: pictures::heat_map,
    stage_table: pictures::stage_table,
    accuracy: accuracy::accuracy,
    copy_table: breakdown_copy::copy_table,
    baseline: compare::read,
    changes: compare::changed,
    sample: Sample::by_id,
    spec: asked::spec,
    item: ledger_items::item,
    ledger: Accountant::ledger,
    choose: policy_list::choose,
    other: estimate::other,
    comparison: policy_list::beside,
    measured: policy_list::measured,
    policies: policy_list::policy_list,
    limit: limit_answer::answer,
    pairs: limit_answer::pairs,
};

/// Something to do with the late part.
type Act = Box<dyn FnOnce(&'static Late)>;

/// Does something with the late part: at once where it is here, else when it has arrived.
///
/// In what follows its values (an effect, a view) nothing waits: there the late part is followed too, and asks again when it
/// is here. What was asked for while a view was made goes with the view. Where the late part does not come, nothing is
/// done, [`when_missing`] is told, and the next call asks for it again.
pub fn with_late(act: impl FnOnce(&'static Late) + 'static) {
    ask(Box::new(act), true);
}

/// The same for what the page does by itself: where the late part does not come, nobody is told.
pub fn with_late_quietly(act: impl FnOnce(&'static Late) + 'static) {
    ask(Box::new(act), false);
}

/// The same for what opens and takes the focus: where the reader went on to something else until the late part came, it does
/// not get in their way.
pub fn open_late(act: impl FnOnce(&'static Late) + 'static) {
    let before = focus::holder();
    with_late(move |late| {
        if focus::holder() == before {
            act(late);
        }
    });
}

/// The late part, if it is here, and followed; nobody asks for it.
pub fn here() -> Option<&'static Late> {
    #[cfg(feature = "cut")]
    return coming::here();
    #[cfg(not(feature = "cut"))]
    Some(&PART)
}

#[cfg(feature = "cut")]
fn ask(act: Act, asks: bool) {
    coming::ask(act, asks);
}

#[cfg(not(feature = "cut"))]
fn ask(act: Act, _: bool) {
    act(&PART);
}

/// What is done, from now on, whenever the late part was asked for and did not come.
pub fn when_missing(tell: impl Fn() + 'static) {
    #[cfg(feature = "cut")]
    coming::when_missing(tell);
    #[cfg(not(feature = "cut"))]
    drop(tell);
}
