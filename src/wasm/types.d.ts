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
  memory_model?: string;
  /** Named policies of the memory model. */
  policies?: Record<string, string>;
}

/** Bytes by instant id: `warmup-end`, `backward-end`. */
export type BytesByInstant = Record<string, number>;

export interface Estimate {
  schema: 1;
  version: string;
  input_kind: "automodels" | "legacy" | "search" | "mindformers" | "fragment" | null;
  memory_model: string;
  policies: Record<string, unknown>;
  model: Model | null;
  device: { id: string | null; capacity: number } | null;
  overrides: Record<string, unknown>;
  /** Every primary and derived field under the reference's names. */
  derived: Record<string, unknown> | null;
  /** One per pipeline stage; null where the input was refused. */
  stages: Stage[] | null;
  peak: { stage: number; bytes: number } | null;
  band: { low: number; expected: number; high: number } | null;
  /** Bytes a device holds. */
  capacity: number | null;
  /** Null where the file was not understood well enough to say. */
  fits: boolean | null;
  tight: boolean | null;
  diagnostics: Diagnostic[];
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

/** The model catalogue. */
export function models(): Model[];

/** The version of ShardMem. */
export function version(): string;
