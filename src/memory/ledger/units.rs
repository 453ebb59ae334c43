//! FSDP units: what is gathered, reduced and resharded together (ledger 2).

use crate::model::tensors::{Role, Split, Tensor};

/// How parameters are sharded.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Sharding {
    /// Tensor-parallel degree.
    pub tensor: u64,
    /// D: ranks over which dense parameters are sharded.
    pub data: u64,
    /// Expert-parallel degree.
    pub expert: u64,
    /// Ranks over which the experts of a rank are sharded.
    pub expert_data: u64,
    /// Whether replicas of dense shards exist (HSDP).
    pub replicas: bool,
    /// Whether replicas of the experts' shards exist.
    pub expert_replicas: bool,
    /// Stacked experts are always sharded on dimension 0.
    pub experts_on_rows: bool,
}

/// One tensor of a unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Part {
    /// What it does.
    pub role: Role,
    /// Elements on the rank before FSDP.
    pub elements: f64,
    /// The same with padding: what a gather makes.
    pub padded: f64,
    /// Whether dimension 1 is sharded.
    pub columns: bool,
    /// Whether every tensor-parallel rank holds it whole.
    pub replicated: bool,
    /// Whether it is trained.
    pub trained: bool,
}

/// Tensors that are gathered and reduced together.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Unit {
    /// Its tensors, in module order.
    pub parts: Vec<Part>,
    /// Over how many ranks.
    pub ranks: f64,
    /// Whether other ranks hold the same shards.
    pub replicas: bool,
    /// p: elements on the rank before FSDP.
    pub elements: f64,
    /// p̂: the same with padding.
    pub padded: f64,
    /// x̂: what of it is sharded on dimension 1.
    pub columns: f64,
    /// The largest tensor that is sharded on dimension 1, elements.
    pub largest_column: f64,
    /// Elements of replicated tensors, whose gradients tensor parallelism sums.
    pub replicated: f64,
}

impl Unit {
    /// A unit of tensors; an error where a dimension-1 shard does not divide: the dimension.
    pub(super) fn of<'a>(
        tensors: impl Iterator<Item = &'a Tensor>,
        sharding: Sharding,
        inner: bool,
    ) -> Result<Self, u64> {
        let ranks = if inner { sharding.expert_data } else { sharding.data };
        let replicas = if inner { sharding.expert_replicas } else { sharding.replicas };
        let mut unit = Self { ranks: ranks as f64, replicas, ..Self::default() };
        for tensor in tensors.filter(|tensor| tensor.role.is_parameter()) {
            unit.add(part(tensor, sharding, ranks)?);
        }
        Ok(unit)
    }

    fn add(&mut self, part: Part) {
        self.elements += part.elements;
        self.padded += part.padded;
        if part.columns {
            self.columns += part.padded;
            self.largest_column = self.largest_column.max(part.elements);
        }
        if part.replicated {
            self.replicated += part.elements;
        }
        self.parts.push(part);
    }

    /// Elements of the rank's shard.
    pub(super) fn shard(&self) -> f64 {
        self.padded / self.ranks
    }
}

/// A tensor on the first rank: tensor and expert parallelism cut it, then FSDP.
fn part(tensor: &Tensor, sharding: Sharding, ranks: u64) -> Result<Part, u64> {
    let mut shape = [1_u64; 3];
    for (own, size) in shape.iter_mut().zip(tensor.shape()) {
        *own = *size;
    }
    match tensor.split {
        Split::Rows => shape[0] = shape[0].div_ceil(sharding.tensor),
        Split::Columns => shape[1] = shape[1].div_ceil(sharding.tensor),
        Split::Whole => {}
    }
    let stacked = tensor.role.is_stacked();
    if stacked {
        shape[0] = shape[0].div_ceil(sharding.expert);
    }
    let columns = stacked && !sharding.experts_on_rows && shape[0] < ranks;
    if columns && !shape[1].is_multiple_of(ranks) {
        return Err(shape[1]);
    }
    let [rows, width, depth] = shape.map(|size| size as f64);
    let elements = rows * width * depth;
    let padded = if columns { elements } else { (shape[0].div_ceil(ranks) * ranks) as f64 * width * depth };
    let replicated = sharding.tensor > 1 && tensor.split == Split::Whole && !stacked;
    Ok(Part { role: tensor.role, elements, padded, columns, replicated, trained: true })
}
