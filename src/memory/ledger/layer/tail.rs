//! What stands before and behind the layers: embedding, final norm, head and loss (ledger 4, 5).

use super::norm::Shape;
use super::{GradientFate, Held, Layer, Recompute, Rules};
use crate::memory::ledger::live::{Bench, Dim, Observer, Segment, Silent, Size, Tensor};
use crate::memory::ledger::slots::Slot;
use crate::memory::ledger::widths::Widths;

/// How the loss is made (policy `loss`).
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum LossKind {
    /// All logits in fp32, sharded over the vocabulary or not.
    Full {
        /// Logits stay sharded over tensor parallelism.
        parallel: bool,
        /// The whole logits, gathered: bytes of 2V·T, where tensor parallelism gathers them.
        gathers: bool,
    },
    /// So many tokens at a time, with logits computed again in backward.
    Chunked(f64),
    /// Megatron's fused loss over sharded logits.
    Megatron,
    /// nanotron's loss over sharded logits.
    Nanotron,
}

/// Sizes of the tables.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Tables {
    /// V/t: rows of the head on the rank.
    pub rows: Dim,
    /// V: rows of the whole table.
    pub all_rows: Dim,
    /// Elements of the head on the rank, its bias included.
    pub head: Dim,
    /// h·V: elements of the whole embedding.
    pub embedding: Dim,
    /// Elements of the final norm.
    pub norm: Dim,
    /// Elements of a learned position table.
    pub positions: Dim,
    /// Elements of everything else behind the layers.
    pub other: Dim,
}

/// What the head does, piece by piece.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Tail {
    /// Final norm and head: from the last layer's output to the logits.
    pub forward: Segment,
    /// The loss.
    pub loss: Segment,
    /// The loss's own backward.
    pub start: Segment,
    /// The head's and the final norm's: to the gradient of the last layer's output.
    pub backward: Segment,
    /// What is left when the micro-batch is over.
    pub end: Segment,
}

/// Walks final norm, head and loss.
pub(crate) fn tail(
    widths: &Widths,
    rules: Rules,
    tables: &Tables,
    loss: LossKind,
    logits_kept: bool,
    fate: GradientFate,
    pipeline: bool,
) -> Tail {
    let mut bench = Bench::new(Silent);
    let stream = Size::new(2.0, widths.hidden, widths.shard);
    let last = bench.born(Slot::Forward, "layer-output", stream);
    bench.cut();
    let mut layer = Layer::new(&mut bench, widths, rules, Recompute::Nothing, fate);
    layer.gradient_slot = Slot::TableGradients;
    layer.outside = pipeline;
    let chunked = matches!(loss, LossKind::Chunked(_));
    let (input, norm) = layer.final_norm(tables, last, chunked);
    let mut head = Head { input, norm, loss, logits_kept, logits: Tensor::NONE, softmax: Tensor::NONE };
    layer.logits(tables, &mut head);
    if pipeline && !rules.fused_norm {
        layer.bench.dies(last);
    }
    let forward = layer.bench.cut();
    layer.loss(tables, &mut head);
    let loss = layer.bench.cut();
    let gradient = layer.loss_backward(tables, &mut head);
    let start = layer.bench.cut();
    let hidden = layer.head_backward(tables, &head, gradient);
    let backward = layer.bench.cut();
    if head.logits_kept {
        layer.bench.dies(head.logits);
    }
    layer.bench.dies(hidden);
    let end = layer.bench.cut();
    Tail { forward, loss, start, backward, end }
}

/// What the head holds on the way.
struct Head {
    /// What the head's matmul reads.
    input: Tensor,
    norm: super::norm::Kept,
    loss: LossKind,
    logits_kept: bool,
    logits: Tensor,
    softmax: Tensor,
}

impl<O: Observer> Layer<'_, O> {
    const fn final_shape(&self, tables: &Tables) -> Shape {
        Shape { width: self.widths.hidden, means: Dim::ONE, tokens: self.widths.shard, weight: tables.norm }
    }

    const fn logits_size(&self, bytes: f64, tables: &Tables) -> Size {
        Size::new(bytes, tables.rows, self.widths.tokens)
    }

    /// The final norm; the last layer's output dies with it unless a kernel keeps it. Gives what the head reads.
    fn final_norm(&mut self, tables: &Tables, last: Tensor, chunked: bool) -> (Tensor, super::norm::Kept) {
        let shape = self.final_shape(tables);
        // Chunks are gathered one by one, later.
        let kept_shard = chunked || self.shard_is_kept();
        let last = if self.rules.fused_norm { self.bench.rebook(last, Slot::Output) } else { last };
        let (shard, mut norm) = self.norm(Slot::Output, shape, kept_shard);
        if self.rules.fused_norm {
            norm.input = last;
        } else if !self.outside {
            // A pipeline's stage holds it until the logits exist.
            self.bench.dies(last);
        }
        if chunked {
            return (shard.tensor, norm);
        }
        let (input, beside) = self.column_input(Slot::Output, shard);
        self.saved.attention_input = if beside.stays { beside.tensor } else { Self::found(input) };
        self.passing_input = if input.stays { beside } else { input };
        (self.saved.attention_input, norm)
    }

    fn logits(&mut self, tables: &Tables, head: &mut Head) {
        if let LossKind::Chunked(_) = head.loss {
            return;
        }
        head.logits = self.bench.born(Slot::Output, "logits", self.logits_size(2.0, tables));
        self.passing_input_dies();
    }

    fn passing_input_dies(&mut self) {
        let passing = std::mem::replace(&mut self.passing_input, Held::NONE);
        if !passing.stays {
            self.bench.dies(passing.tensor);
        }
    }

    fn loss(&mut self, tables: &Tables, head: &mut Head) {
        match head.loss {
            LossKind::Full { parallel, gathers } => self.full_loss(tables, head, parallel, gathers),
            LossKind::Chunked(_) => {}
            LossKind::Megatron => {
                let fp32 = self.bench.born(Slot::Output, "logits-fp32", self.logits_size(4.0, tables));
                head.softmax = fp32;
                self.bench.dies(std::mem::replace(&mut head.logits, Tensor::NONE));
            }
            LossKind::Nanotron => {
                let fp32 = self.bench.born(Slot::Output, "logits-fp32", self.logits_size(4.0, tables));
                head.softmax = self.bench.born(Slot::Output, "softmax", self.logits_size(4.0, tables));
                self.bench.dies(fp32);
                head.logits_kept = true;
            }
        }
    }

    fn full_loss(&mut self, tables: &Tables, head: &mut Head, parallel: bool, gathers: bool) {
        let wide = Tables { rows: if gathers { tables.all_rows } else { tables.rows }, ..*tables };
        if gathers {
            let whole = self.bench.born(Slot::Output, "gathered-logits", self.logits_size(2.0, &wide));
            self.bench.dies(head.logits);
            head.logits = whole;
        }
        let fp32 = self.bench.born(Slot::Output, "logits-fp32", self.logits_size(4.0, &wide));
        if !head.logits_kept {
            self.bench.dies(head.logits);
        }
        if parallel {
            let shifted = self.bench.born(Slot::Output, "shifted-logits", self.logits_size(4.0, &wide));
            head.softmax = self.bench.born(Slot::Output, "log-softmax", self.logits_size(4.0, &wide));
            self.bench.all_die(&[fp32, shifted]);
        } else {
            head.softmax = self.bench.born(Slot::Output, "log-softmax", self.logits_size(4.0, &wide));
            self.bench.dies(fp32);
        }
    }

    /// Gives the bf16 gradient of the logits.
    fn loss_backward(&mut self, tables: &Tables, head: &mut Head) -> Tensor {
        match head.loss {
            LossKind::Full { parallel, gathers } => {
                let wide = Tables { rows: if gathers { tables.all_rows } else { tables.rows }, ..*tables };
                let first = self.bench.born(Slot::Loss, "loss-gradient", self.logits_size(4.0, &wide));
                let second = if parallel {
                    self.bench.born(Slot::Loss, "loss-gradient", self.logits_size(4.0, &wide))
                } else {
                    Tensor::NONE
                };
                let last = self.bench.born(Slot::Loss, "log-softmax-gradient", self.logits_size(4.0, &wide));
                self.bench.all_die(&[first, second, head.softmax]);
                let cast = self.bench.born(Slot::Loss, "logits-gradient", self.logits_size(2.0, &wide));
                self.bench.dies(last);
                if !gathers {
                    return cast;
                }
                let own = self.bench.born(Slot::Loss, "own-logits-gradient", self.logits_size(2.0, tables));
                self.bench.dies(cast);
                own
            }
            LossKind::Chunked(_) => Tensor::NONE,
            LossKind::Megatron => {
                let cast = self.bench.born(Slot::Loss, "logits-gradient", self.logits_size(2.0, tables));
                self.bench.dies(head.softmax);
                cast
            }
            LossKind::Nanotron => {
                let gradient = self.bench.born(Slot::Loss, "softmax-gradient", self.logits_size(4.0, tables));
                self.bench.dies(head.softmax);
                let cast = self.bench.born(Slot::Loss, "logits-gradient", self.logits_size(2.0, tables));
                self.bench.dies(gradient);
                cast
            }
        }
    }

    /// To the gradient of the last layer's output; gives what of it a chunked loss holds to the end of the micro-batch.
    fn head_backward(&mut self, tables: &Tables, head: &Head, gradient: Tensor) -> Tensor {
        let shape = self.final_shape(tables);
        let mut held = Tensor::NONE;
        let own = if let LossKind::Chunked(tokens) = head.loss {
            held = self.chunked_backward(tables, tokens);
            self.bench.dies(head.input);
            Tensor::NONE
        } else {
            let again = self.gathered_again();
            let whole = self.column_backward(tables.head, gradient, Tensor::NONE);
            self.bench.all_die(&[again, head.input]);
            self.column_input_gradient(whole)
        };
        self.norm_backward(shape, head.norm, own);
        self.further_weight(tables.other);
        held
    }

    /// The gradient of a weight that no operator of the walk has.
    fn further_weight(&mut self, weight: Dim) {
        if weight.value > 0.0 {
            let gradient = self.weight_gradient(weight);
            self.weight_done(gradient, weight);
        }
    }

    /// Chunk by chunk: logits, loss and both backwards. The head's gradient accumulates, and so do the hidden ones, which
    /// the loss holds.
    fn chunked_backward(&mut self, tables: &Tables, tokens: f64) -> Tensor {
        let chunk = Dim::new("n", tokens.min(self.widths.tokens.value));
        let logits = |bytes: f64| Size::new(bytes, tables.rows, chunk);
        let parallel = self.rules.tensor_parallel;
        let sum = self.weight_gradient(tables.head);
        let hidden = self.gradient("hidden-gradients", self.sharded(self.widths.hidden));
        let gathered = self.exchanged("chunk-input", Size::new(2.0, self.widths.hidden, chunk));
        let softmax = self.bench.born(Slot::Loss, "chunk-log-softmax", logits(4.0));
        let gradients = self.bench.born(Slot::Loss, "chunk-loss-gradients", logits(if parallel { 12.0 } else { 8.0 }));
        self.bench.all_die(&[softmax, gradients]);
        let cast = self.bench.born(Slot::Loss, "chunk-logits-gradient", logits(2.0));
        let own = self.weight_gradient(tables.head);
        let input = self.gradient("chunk-input-gradient", Size::new(2.0, self.widths.hidden, chunk));
        self.bench.all_die(&[own, cast, input, gathered]);
        self.weight_done(sum, tables.head);
        hidden
    }
}

/// The embedding's backward: the whole table's gradient, whatever tensor parallelism splits.
pub(crate) fn embedding_backward(widths: &Widths, rules: Rules, tables: &Tables, fate: GradientFate) -> Segment {
    let mut bench = Bench::new(Silent);
    let incoming = bench.born(Slot::Backward, "layer-gradient", Size::new(2.0, widths.hidden, widths.shard));
    bench.cut();
    let mut layer = Layer::new(&mut bench, widths, rules, Recompute::Nothing, fate);
    layer.gradient_slot = Slot::TableGradients;
    let (_, gathered) = layer.row_gradient(incoming);
    let gradient = layer.weight_gradient(tables.embedding);
    layer.bench.all_die(&[gathered, incoming]);
    layer.weight_done(gradient, tables.embedding);
    layer.further_weight(tables.positions);
    layer.bench.cut()
}
