//! What a report is taken away as: Markdown, CSV, a command line, a picture.

use shardmem::document::{Value, parse_value};
use shardmem::estimate::{Input, Outcome, Ready, estimate};
use shardmem::facts::Overrides;
use shardmem::memory::Category;
use shardmem::provenance::KeyPath;
use shardmem::report::Segment;
use shardmem::report::exports::{CommandLine, ModelArgument, Words, csv, markdown, picture};
use shardmem::report::number::{MemoryUnit, shortest};
use shardmem::units::Bytes;

const OPENING: &str = include_str!("../data/samples/deepseek-v3-512.yaml");
const WORDS: Words<'_> = Words {
    heading: "stage 1 exceeds | 64 GiB <by> 1.8 & *more*",
    category: Category::id,
    capacity: "device",
    stage: "stage",
    unit: MemoryUnit::Gib,
};

fn ready(overrides: &[(&str, i64)]) -> Box<Ready> {
    let overrides: Overrides =
        overrides.iter().map(|(path, value)| (KeyPath::parse(path), Value::Integer(*value))).collect();
    match estimate(&Input { overrides, ..Input::of(OPENING) }) {
        Outcome::Ready(ready) => ready,
        Outcome::Rejected(rejected) => panic!("{:?}", rejected.findings),
    }
}

#[test]
fn markdown_has_the_verdict_a_row_a_stage_and_a_row_an_item() {
    let report = ready(&[]).report;
    let text = markdown(&report, 1, WORDS);
    let tables: Vec<&str> = text.split("\n\n").collect();
    assert_eq!(tables[0], "**stage 1 exceeds \\| 64 GiB \\<by> 1.8 \\& \\*more\\***");
    assert_eq!(tables[1].lines().count(), 2 + 16);
    let items: usize = report.stages[1].rows.iter().map(|row| row.items.len()).sum();
    assert_eq!(tables[2].lines().count(), 2 + items + 1);
    for table in &tables[1..] {
        let columns = |line: &str| line.replace("\\|", "").matches('|').count();
        assert!(table.lines().all(|line| columns(line) == columns(table.lines().next().expect("a header"))), "{table}");
    }
    assert!(
        tables[1].lines().nth(3).is_some_and(|line| line.contains("65.81") || line.contains("65.84")),
        "{}",
        tables[1]
    );
    assert!(tables[2].starts_with("| stage 1 | item | GiB | % | certainty |\n| :-- | :-- | --: | --: | :-- |\n"));
    assert!(tables[2].contains("\n| total |  | "));
    // No stage selected, no second table.
    assert_eq!(markdown(&report, 99, WORDS).split("\n\n").count(), 2);
}

#[test]
fn csv_lines_sum_to_the_peaks() {
    let report = ready(&[]).report;
    let text = csv(&report);
    assert!(text.starts_with("stage,layers,instant,category,item,certainty,bytes\r\n"));
    assert!(text.ends_with("\r\n") && !text.replace("\r\n", "").contains(['\r', '\n']));
    for stage in &report.stages {
        let own = |line: &&str| line.split(',').next() == Some(&stage.stage.to_string());
        let bytes = text.lines().filter(own).map(|line| line.rsplit(',').next().expect("a cell"));
        let sum: f64 = bytes.map(|bytes| bytes.parse::<f64>().expect("a number")).sum();
        assert!((sum - stage.peak.value()).abs() < 1.0, "{sum} and {}", shortest(stage.peak.value()));
    }
}

fn overrides() -> Overrides {
    let settings = [
        ("accelerator.tp_size", "2"),
        ("activation_checkpoint.mode", "'off'"),
        ("context.max_device_memory", "64GB"),
        ("model.config_overrides.offset", "[[1, 0], [0, -1]]"),
        ("model.name", "'it''s $HOME `x` \"y\" \\ !'"),
        ("model.pretrained_model_name_or_path", "\"路径\\nb\""),
    ];
    settings.iter().map(|(path, text)| (KeyPath::parse(path), parse_value(text).expect("a value").value)).collect()
}

#[test]
fn the_command_line_says_everything() {
    let none = Overrides::none();
    let plain = CommandLine {
        file: "train.yaml",
        model: ModelArgument::Named,
        execution: None,
        devices: None,
        overrides: &none,
        memory_model: None,
        policies: &[],
        measured: None,
    };
    assert_eq!(plain.line(), "shardmem estimate train.yaml");
    let policies = [("allocator".to_owned(), "a b".to_owned())];
    let full = CommandLine {
        file: "-my run.yaml",
        model: ModelArgument::Catalogue("Qwen/Qwen3-8B"),
        execution: Some("spec.yaml"),
        devices: Some(64),
        overrides: &overrides(),
        memory_model: Some("fsdp2"),
        policies: &policies,
        measured: Some("65.2 GiB"),
    };
    let line = full.line();
    assert!(line.starts_with(
        "shardmem estimate './-my run.yaml' --model Qwen/Qwen3-8B --exec spec.yaml --devices 64 --set accelerator.tp_size=2 \
         --set 'activation_checkpoint.mode='\\''off'\\''' --set context.max_device_memory=64GB "
    ), "{line}");
    assert!(line.ends_with(" --memory-model fsdp2 --policy 'allocator=a b' --measured '65.2 GiB'"), "{line}");
    let config = CommandLine { model: ModelArgument::Config("config.json"), ..plain };
    assert_eq!(config.line(), "shardmem estimate train.yaml --config config.json");
}

/// A real shell hands the command the very words, and what it sets reads back.
#[cfg(unix)]
#[test]
fn a_shell_reads_the_line_as_it_is_meant() {
    let overrides = overrides();
    let command = CommandLine {
        file: "a;b&c.yaml",
        model: ModelArgument::Named,
        execution: None,
        devices: None,
        overrides: &overrides,
        memory_model: None,
        policies: &[],
        measured: None,
    };
    let script = format!("shardmem() {{ printf '%s\\0' \"$@\"; }}\n{}", command.line());
    let output = std::process::Command::new("sh").arg("-c").arg(script).output().expect("a shell");
    let words = String::from_utf8(output.stdout).expect("text");
    let words: Vec<&str> = words.split_terminator('\0').collect();
    assert_eq!(words, command.words()[1..]);
    let mut read = Overrides::none();
    for word in words.iter().filter(|word| word.contains('=')) {
        let (path, value) = word.split_once('=').expect("a setting");
        read.set_text(path, value).expect("a value");
    }
    assert_eq!(
        read.iter().map(|(path, value)| (path.to_string(), value.to_text())).collect::<Vec<_>>(),
        overrides.iter().map(|(path, value)| (path.to_string(), value.to_text())).collect::<Vec<_>>()
    );
}

#[test]
fn the_picture_is_well_formed_and_stands_alone() {
    let [few, many] = [1, 32].map(|stages| ready(&[("accelerator.pp_size", stages)]).report);
    let mut notched = ready(&[]).report;
    let bar = &mut notched.chart.bars[3];
    let (from, to) = (Bytes::new(bar.total.value() / 2.0), bar.total);
    bar.notches.push(Segment { category: Category::Buffers, from, to, bytes: from - to });
    for report in &[ready(&[]).report, notched, few, many] {
        let svg = picture(report, Words { heading: "内存 < 64 & \"x\"\u{1}", ..WORDS });
        assert!(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""));
        assert!(svg.contains("<title id=\"shardmem-title\">内存 &lt; 64 &amp; &quot;x&quot;</title>"));
        for foreign in ["<script", "href", "class=", "style=", "NaN", "inf", "var("] {
            assert!(!svg.contains(foreign), "{foreign}");
        }
        check_nesting(&svg);
        let pieces: usize = report.chart.bars.iter().map(|bar| bar.segments.len()).sum();
        assert!(svg.matches("fill=\"url(#shardmem-").count() > pieces);
        for reference in svg.split("url(#").skip(1) {
            let id = reference.split(')').next().expect("an id");
            assert!(svg.contains(&format!("id=\"{id}\"")), "{id}");
        }
        assert_eq!(svg.contains("url(#shardmem-notch)"), report.chart.bars.iter().any(|bar| !bar.notches.is_empty()));
    }
}

/// Every element that opens closes, in order, and no stray `<` or `&` stands between.
fn check_nesting(svg: &str) {
    let mut open: Vec<&str> = Vec::new();
    for part in svg.split('<').skip(1) {
        let (tag, text) = part.split_once('>').expect("a tag ends");
        assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
        assert!(!text.replace("&amp;", "").replace("&lt;", "").replace("&gt;", "").replace("&quot;", "").contains('&'));
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name));
        } else if !tag.ends_with('/') {
            open.push(tag.split(' ').next().expect("a name"));
        }
    }
    assert!(open.is_empty(), "{open:?}");
}
