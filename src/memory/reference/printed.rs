//! The figures the reference prints, whole MiB truncated each (memory-core 12).

use super::cases::ContextAlgorithm;
use super::fields::Layer;
use super::sums::Counters;

/// Static, dynamic and the categories, by the reference's names and in its order.
pub(super) fn figures(held: f64, dynamic: f64, counters: &Counters<f64>) -> Vec<(&'static str, f64)> {
    let [parameters, optimizer, gradients] = counters.held;
    [
        ("Static", held),
        ("Dynamic", dynamic),
        ("ModelParameters", parameters),
        ("OptimizerStates", optimizer),
        ("AccumulGradients", gradients),
        ("Attn", counters.attention),
        ("FFn", counters.feed_forward),
        ("Norm", counters.norm),
        ("AllGather Comm", counters.gathered),
        ("All2All Comm", counters.expert),
    ]
    .map(|(name, bytes)| (name, mib(bytes)))
    .to_vec()
}

/// What the reference prints about one layer under context parallelism; informational, in no total.
pub(super) fn context_parallel(layer: &Layer<f64>, devices_per_node: f64) -> [(&'static str, f64); 5] {
    let n = &layer.n;
    let (s, b, cp) = (n.sequence, n.batch, n.context);
    let kv_width = kv_width(layer);
    let heads = n.heads / n.tensor;
    let away = (cp - 1.0) / cp;
    let (kv, scores, saved) = match layer.cases.context_algorithm {
        ContextAlgorithm::Ring => {
            (4.0 * (s / cp) * b * kv_width, 4.0 * (s / cp) * s * b * heads, 9.0 * s * s * b * heads * away)
        }
        ContextAlgorithm::Ulysses => (
            4.0 * s * b * kv_width / cp,
            4.0 * s * s * b * (heads / cp),
            9.0 * s * s * b * heads - 9.0 * s * s * b * (heads / cp),
        ),
        ContextAlgorithm::Unknown => (0.0, 0.0, 0.0),
    };
    let buffer = buffer(kv, cp, devices_per_node);
    let reduction = saved + 4.0 * s * b * kv_width * away - buffer;
    [
        ("CP KV Cache", kv),
        ("CP Attn Scores", scores),
        ("CP Softmax", scores),
        ("CP Comm Buffer", buffer),
        ("CP Reduction", reduction),
    ]
    .map(|(name, bytes)| (name, mib(bytes)))
}

/// Chunks of keys and values on their way; beyond a node twice as many.
fn buffer(chunk: f64, cp: f64, devices_per_node: f64) -> f64 {
    let near = cp.min(devices_per_node);
    let chunks = if cp <= devices_per_node { near - 1.0 } else { 2.0 * near - 1.0 };
    chunks * chunk
}

fn kv_width(layer: &Layer<f64>) -> f64 {
    let n = &layer.n;
    if layer.cases.latent {
        n.kv_heads * (2.0 * n.head_width + n.rotary) / 2.0 / n.tensor
    } else if n.kv_heads < n.heads {
        let heads = if n.kv_heads == 0.0 { n.heads } else { n.kv_heads };
        heads.min(n.heads) * n.head_width / n.tensor
    } else {
        n.hidden / n.tensor
    }
}

/// Whole MiB, truncated toward zero (memory-core 2, item 7); never a negative zero.
pub(super) fn mib(bytes: f64) -> f64 {
    (bytes / 1024.0 / 1024.0).trunc() + 0.0
}
