//! Presentational parts: they show what they are given and say what was done to them. They read no state.

pub mod breakdown_copy;
pub mod breakdown_order;
pub mod breakdown_table;
pub mod chart;
pub mod code_editor;
pub mod compare_bar;
pub mod control_row;
pub mod diagnostic_list;
pub mod explanation;
pub mod figure;
pub mod fix_panel;
pub mod layer_strip;
pub mod legend;
pub mod limit_answer;
pub mod link_told;
pub mod model_picker;
pub mod new_run_form;
pub mod pending_keys;
pub mod pictures;
pub mod preview;
pub mod range_list;
pub mod segmented;
pub mod sorting;
pub mod take_menu;
pub mod verdict;
