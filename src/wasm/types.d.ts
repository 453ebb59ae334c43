/** What may be said beside the train.yaml; the command line's options under the same names. */
export interface Options {
  /** Take the model's dimensions from the catalogue: an id that `models()` lists. */
  model?: string;
  /** Take the model's dimensions from this config.json (its text). Not together with `model`. */
  config?: string;
  /** Lay this execution spec (its text) over what the file states. */
  exec?: string;
  /** How many devices the run has, where the file does not say. A whole number from 1. */
  devices?: number;
  /** Values laid over the file, by dotted key: `{"accelerator.tp_size": 4}`. */
  overrides?: Record<string, unknown>;
  /** Keep the device count while an override moves a degree: data parallel gives way. */
  pin_devices?: boolean;
  /** Which memory model answers; the reference, `sapp_nd`, where unstated. */
  memory_model?: "sapp_nd" | "fsdp2";
  /** Named policies of either memory model: `{"norm": "fused", "loss": "chunked:2048"}`. */
  policies?: Record<string, string>;
  /** What the run was seen to need: bytes, or a text such as `"65.2GiB"` or the line that docs/measure.py prints. */
  measured?: number | string;
}

/** Bytes by instant id: `warmup-end` and `backward-end` of `sapp_nd`, `loss`, `layer-backward`, … of `fsdp2`. */
export type BytesByInstant = Record<string, number>;

export interface Estimate {
  schema: 1;
  version: string;
  input_kind: "automodels" | "legacy" | "search" | "mindformers" | "fragment" | null;
  memory_model: string;
  /** The policies in force of that memory model. */
  policies: Record<string, string>;
  model: Model | null;
  device: { id: string | null; capacity: number } | null;
  overrides: Record<string, unknown>;
  /** Every primary and derived field under the reference's names. */
  derived: Record<string, unknown> | null;
  /** One per pipeline stage; null where the input was refused. */
  stages: Stage[] | null;
  peak: { stage: number; bytes: number } | null;
  /** What a device may show at the peak, allocator included; null under `sapp_nd`. */
  band: Band | null;
  /** Bytes a device holds. */
  capacity: number | null;
  /** Null where the file was not understood well enough to say. */
  fits: boolean | null;
  /** Whether only the expected figure of the band fits, not its high end; null under `sapp_nd`. */
  tight: boolean | null;
  /** The other memory model's figure of the same run; null where it has none. */
  other: Other | null;
  measured: Measured | null;
  diagnostics: Diagnostic[];
}

/** Bytes. */
export interface Band {
  low: number;
  expected: number;
  high: number;
}

export interface Other {
  memory_model: string;
  peak: { stage: number; bytes: number };
  band: Band | null;
  fits: boolean | null;
  /** The peak of each stage, bytes. */
  stages: number[];
  /** Where the two differ most, each at its own peak: the other's bytes less those of the one in force. */
  difference: { category: Item["category"]; bytes: number } | null;
}

/** A measured peak beside its prediction, bytes. */
export interface Measured {
  bytes: number;
  figure: "allocated" | "reserved";
  predicted: number;
  /** Prediction less measurement, as a share of the measurement. */
  error: number;
}

export interface Model {
  id: string;
  source: string;
  parameters: { total: number | null; active: number | null };
}

export interface Stage {
  stage: number;
  /** E embedding, O output, and per layer N nothing recomputed, S some, F all. */
  layers: string;
  static: { params: number; optimizer: number; gradients: number; total: number } | null;
  dynamic: {
    activations: number;
    comm: number;
    bwd_overhead: number;
    warmup_peak: number;
    backward_end: { kept: number; held_grads: number; working: number; root_grad: number; total: number };
    safety_buffer: number;
    total: number;
    peak_point: string;
  } | null;
  total: number;
  peak_instant: string;
  /** The layer of the model, from 0, that the instant is of; null where it is not one of a layer. */
  peak_layer: number | null;
  items: Item[];
  printed_mib: Record<string, number> | null;
}

export interface Item {
  id: string;
  category:
    | "parameters"
    | "optimizer-states"
    | "gradients"
    | "activations"
    | "buffers"
    | "backward-working-set"
    | "gradients-in-flight"
    | "reserve";
  provenance: "exact" | "policy" | "estimated";
  bytes: BytesByInstant;
}

export interface Diagnostic {
  severity: "error" | "warning" | "note";
  code: string;
  message: string;
  key: string | null;
  /** In the train.yaml, from 1; null where it lies elsewhere. */
  line: number | null;
  column: number | null;
  help: string | null;
}

/**
 * The memory each pipeline stage needs. A refused file is an answer too: `stages` is null and `diagnostics` say why.
 * Throws a `TypeError` for arguments of the wrong type, and for nothing else.
 */
export function estimate(yaml: string, options?: Options): Estimate;

/** How a figure comes about. */
export interface Explained {
  schema: 1;
  version: string;
  memory_model: string;
  stage: number;
  item: string;
  /** The instant it is of; null where it is not told. */
  instant: string | null;
  /** The figure. */
  bytes: number | null;
  /** The answer's step first, each before those that it reads; null where the file was refused, or has no such figure. */
  steps: Step[] | null;
  diagnostics: Diagnostic[];
}

/** One formula with its numbers. */
export interface Step {
  /** Of the formula; of an item, its id. */
  id: string;
  /** How other formulas write it. */
  symbol: string;
  /** What it is; empty for an item. */
  meaning: string;
  /** The section of the specification that it follows. */
  reference: string;
  /** With symbols. */
  formula: string;
  /** With values. */
  values: string;
  result: number;
  /** Which cases applied. */
  cases: string[];
  children: Child[];
}

/** A number that a formula reads. */
export interface Child {
  symbol: string;
  value: number;
  meaning: string;
  /** The step that explains it, by its index in `steps`. */
  step: number | null;
  /** The nodes of the stage that it stands for, where it is one of a sum over them. */
  groups: Group[];
  /** Where a stated number comes from. */
  origin: Origin | null;
}

/** Equal nodes of a stage. */
export interface Group {
  /** The kind of layer, or `embedding` or `output`. */
  kind: string;
  letter: "E" | "N" | "S" | "F" | "O";
  chunk: number;
  count: number;
}

/** Where a number comes from. */
export interface Origin {
  kind:
    | "key"
    | "override"
    | "trainer-default"
    | "family-default"
    | "chosen-model"
    | "rule"
    | "constant"
    | "caller";
  /** What a default, a rule or a constant follows; the family; the chosen model. */
  text: string | null;
  /** Which text states it. */
  source: "train.yaml" | "config.json" | "execution spec" | null;
  key: string | null;
  /** In that text, from 1. */
  line: number | null;
  column: number | null;
}

/**
 * How a figure comes about: an item of a stage, a category of items, or a sum by its place in the JSON of a stage
 * (`"total"`, `"static.params"`). `stage` is the one that needs most where unstated, `instant` that of its peak.
 * Throws a `TypeError` for arguments of the wrong type, and for nothing else.
 */
export function explain(
  yaml: string,
  options: Options | undefined,
  stage: number | undefined,
  item: string,
  instant?: string,
): Explained;

/** The model catalogue. */
export function models(): Model[];

/** The version of ShardMem. */
export function version(): string;
