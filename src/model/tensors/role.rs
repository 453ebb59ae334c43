//! What a tensor is for: the closed list of roles, and what a count of parameters sorts them by.

macro_rules! roles {
    ($($group:ident { $($role:ident $meaning:literal;)* })*) => {
        /// What a parameter tensor does in its module.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Role {
            $($(#[doc = $meaning] $role,)*)*
        }

        impl Role {
            /// Which part of the model the role belongs to.
            pub const fn group(self) -> Group {
                match self { $($(Self::$role)|* => Group::$group,)* }
            }
        }
    };
}

roles! {
    Attention {
        Query "Query projection; with a fused output gate its rows are doubled.";
        Key "Key projection.";
        Value "Value projection.";
        Output "Projection of the mixed values back to the residual stream.";
        OutputGate "Gate on the attention output.";
        Sink "A learned logit of each head that attends to nothing.";
        QueryDown "MLA: down-projection of queries to their latent.";
        QueryDownNorm "MLA: norm of the query latent.";
        QueryUp "MLA: queries of all heads, from the latent or, without one, from the residual stream.";
        KvDown "MLA: down-projection to the key/value latent and the shared rotary key.";
        KvDownNorm "MLA: norm of the key/value latent.";
        KvUp "MLA: keys and values of all heads from the latent.";
        OutputDown "Grouped down-projection of the attention output.";
        IndexQuery "Sparse attention: queries of the indexer.";
        IndexKey "Sparse attention: the indexer's shared key.";
        IndexNorm "Sparse attention: norm of the indexer's key.";
        IndexNormBias "Sparse attention: bias of that norm.";
        IndexWeight "Sparse attention: weights of the indexer's heads.";
        Compress "Compressed attention: projection of blocks of tokens.";
        CompressGate "Compressed attention: gate of the same width.";
        CompressPosition "Compressed attention: a bias for each place in a block.";
        CompressNorm "Compressed attention: norm of the compressed key.";
        Convolution "Linear attention and state spaces: depthwise convolution.";
        ConvolutionBias "Bias of that convolution.";
        Mix "Linear attention: queries, keys and values in one; state spaces: the whole input projection.";
        MixGate "Linear attention: gate of the output.";
        DecayDown "Linear attention: down-projection of a decay or gate.";
        DecayUp "Linear attention: up-projection of a decay or gate.";
        Decay "Linear attention: decay of each head, from the residual stream.";
        Strength "Linear attention: update strength of each head.";
        StepBias "Linear attention and state spaces: bias of the time step.";
        StateDecay "Linear attention and state spaces: logarithm of the state's decay.";
        Skip "State spaces: skip connection of each head.";
        MixNorm "Linear attention and state spaces: norm of the output.";
        Hyper "Hyper-connections: mixing of the residual streams, with its base and scale.";
        Scalar "A learned scalar gate.";
    }
    AttentionBias {
        QueryBias "Bias of the query projection.";
        KeyBias "Bias of the key projection.";
        ValueBias "Bias of the value projection.";
        OutputBias "Bias of the output projection; with tensor parallelism whole on every rank.";
        QueryDownBias "MLA: bias of the query down-projection.";
        KvDownBias "MLA: bias of the key/value down-projection.";
    }
    Norm {
        QueryNorm "Norm of queries, of one head or of all.";
        KeyNorm "Norm of keys, of one head or of all.";
        LayerNorm "A norm on the residual stream.";
        LayerNormBias "Its bias.";
        FinalNorm "The norm behind the last layer.";
        FinalNormBias "Its bias.";
    }
    FeedForward {
        Gate "Gate projection of a dense feed-forward.";
        Up "Up-projection of a dense feed-forward.";
        Down "Down-projection of a dense feed-forward.";
    }
    FeedForwardBias {
        GateBias "Bias of the gate projection.";
        UpBias "Bias of the up-projection.";
        DownBias "Bias of the down-projection; with tensor parallelism whole on every rank.";
    }
    Router {
        Router "Logits of the experts.";
        RouterBias "Bias of the router.";
        RouterScale "Scale of the router's input, or of each expert's output.";
        CorrectionBias "Load-balancing bias of the router, stored as a parameter.";
        CorrectionBuffer "Load-balancing bias of the router that is no parameter: held, never counted or trained.";
    }
    Experts {
        ExpertsUp "Gate and up-projections of all experts, stacked.";
        ExpertsUpBias "Their biases, stacked.";
        ExpertsDown "Down-projections of all experts, stacked.";
        ExpertsDownBias "Their biases, stacked.";
    }
    Shared {
        LatentDown "Down-projection to the latent that the experts work in.";
        LatentUp "Up-projection out of it.";
        SharedGate "Gate projection of the shared experts, as one feed-forward.";
        SharedUp "Up-projection of the shared experts.";
        SharedDown "Down-projection of the shared experts.";
        SharedMix "Gate that weighs the shared experts' output.";
    }
    Tables {
        Embedding "The embedding table.";
        Position "A learned position table.";
        Head "The output table; a tied model has none.";
    }
    HeadBias {
        HeadBias "Bias of the output table.";
    }
    Prediction {
        MtpProjection "Multi-token prediction: joins the embedding and the hidden state.";
        MtpNorm "Multi-token prediction: norms of embedding, hidden state and output.";
    }
    Tower {
        Patch "Vision: embedding of image patches.";
        PatchBias "Its bias.";
        ClassToken "Vision: the class token.";
        TowerNorm "Vision: a norm outside the layers.";
        TowerNormBias "Its bias.";
        Merger "Vision: joins patches and hands them to the language model.";
        MergerBias "Its bias.";
    }
}

/// The parts that a parameter count is sorted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Group {
    /// Attention without the biases of its projections.
    Attention,
    /// Biases of attention projections.
    AttentionBias,
    /// Norms, of queries and keys too.
    Norm,
    /// Dense feed-forwards without biases.
    FeedForward,
    /// Biases of dense feed-forwards.
    FeedForwardBias,
    /// Routers.
    Router,
    /// Routed experts.
    Experts,
    /// Shared experts, and what all experts share.
    Shared,
    /// Embedding, positions and output table.
    Tables,
    /// The output table's bias.
    HeadBias,
    /// What multi-token prediction adds to a layer.
    Prediction,
    /// What a vision tower has outside its layers.
    Tower,
}

impl Role {
    /// Whether the first dimension counts experts: such a tensor follows expert parallelism, and a token meets only
    /// the chosen ones.
    pub const fn is_stacked(self) -> bool {
        matches!(self.group(), Group::Experts)
    }

    /// Whether it is trained, so that gradients and optimizer states exist for it and a parameter count holds it.
    pub const fn is_parameter(self) -> bool {
        !matches!(self, Self::CorrectionBuffer)
    }
}
