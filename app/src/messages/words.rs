//! What the tables of all languages speak about.

/// How many layers of each kind a placement string holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LayerCounts {
    /// Layers whose activations are kept.
    pub kept: usize,
    /// Layers recomputed in part.
    pub selective: usize,
    /// Layers recomputed in full.
    pub full: usize,
    /// Whether the embedding is here.
    pub embedding: bool,
    /// Whether the output layer is here.
    pub output: bool,
}

impl LayerCounts {
    /// Counts the letters of a placement string.
    pub fn of(layers: &str) -> Self {
        let mut counts = Self::default();
        for letter in layers.chars() {
            match letter {
                'E' => counts.embedding = true,
                'O' => counts.output = true,
                'N' => counts.kept += 1,
                'S' => counts.selective += 1,
                'F' => counts.full += 1,
                _ => {}
            }
        }
        counts
    }

    /// Layers, embedding and output not counted.
    pub const fn layers(self) -> usize {
        self.kept + self.selective + self.full
    }
}
