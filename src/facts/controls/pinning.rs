//! What moves with a degree so that the device count stays (DESIGN 3.3).

use super::values::divisors_to;
use super::{Change, Control, Moved, Refusal, Setting, path_of};
use crate::document::Value;
use crate::facts::dialect::Fact;
use crate::facts::{ExpertMesh, Facts};
use crate::provenance::KeyPath;
use crate::units::integers::floor_div;

impl Facts {
    /// TP·PP·CP.
    pub(super) fn product(&self) -> i64 {
        let run = &self.run;
        run.tensor_parallel.value.saturating_mul(run.pipeline_parallel.value).saturating_mul(run.context_parallel.value)
    }

    /// The device count: stated, else TP·PP·CP·DP.
    pub fn devices(&self) -> i64 {
        let stated = self.run.devices.as_ref().map(|devices| devices.value);
        stated.unwrap_or_else(|| self.product().saturating_mul(self.run.data_parallel.value))
    }

    /// The replicate degree: stated, or what a stated device count leaves.
    pub(super) fn replicate(&self) -> i64 {
        match self.run.devices {
            Some(_) => floor_div(self.run.data_parallel.value, self.run.dp_shard.value).max(1),
            None => self.run.dp_replicate.value,
        }
    }

    fn replicate_is_stated(&self) -> bool {
        path_of(&self.run.dp_replicate.origin).is_some()
    }

    /// Ranks that hold the same experts.
    pub(super) fn expert_group(&self) -> i64 {
        let run = &self.run;
        let mesh = ExpertMesh {
            data_parallel: run.data_parallel.value,
            tensor_parallel: run.tensor_parallel.value,
            context_parallel: run.context_parallel.value,
            expert_parallel: run.expert_parallel.value,
            expert_tensor_parallel: run.expert_tensor_parallel.value,
        };
        mesh.group().max(1)
    }

    /// TP, PP or CP moved: DP becomes what the devices leave, the shard the largest divisor of it not above the old one,
    /// and replicate takes the rest.
    pub(super) fn follow_degree(
        &self,
        control: Control,
        to: i64,
        pinned: bool,
        change: &mut Change,
    ) -> Result<(), Refusal> {
        if !pinned && self.run.devices.is_none() {
            return Ok(());
        }
        let devices = self.devices();
        let Setting::Number(from) = control.setting(self) else { return Ok(()) };
        let product = floor_div(self.product(), from).saturating_mul(to);
        if devices.checked_rem(product) != Some(0) {
            return Err(Refusal::DevicesNotDivided { devices, product });
        }
        if !pinned {
            return Ok(());
        }
        let data_parallel = floor_div(devices, product).max(1);
        let old = self.run.dp_shard.value.max(1);
        let shard = divisors_to(data_parallel, old).into_iter().max().unwrap_or(1);
        if shard != self.run.dp_shard.value {
            let key = self.key_of(Fact::DpShard, Some(&self.run.dp_shard.origin));
            change.overrides.set(key, Value::Integer(shard));
            change.moved.push(Moved { control: Control::DpShard, from: self.run.dp_shard.value, to: shard });
        }
        self.replicate_takes(floor_div(data_parallel, shard).max(1), change);
        Ok(())
    }

    pub(super) fn follow_shard(&self, shard: i64, pinned: bool, change: &mut Change) -> Result<(), Refusal> {
        if !pinned {
            return Ok(());
        }
        let data_parallel = self.run.data_parallel.value;
        if data_parallel.checked_rem(shard) != Some(0) {
            // A stated count stays whatever the shard; the reference prices such a run.
            return match self.run.devices {
                Some(_) => Ok(()),
                None => Err(Refusal::ShardNotDividing { data_parallel }),
            };
        }
        self.replicate_takes(floor_div(data_parallel, shard).max(1), change);
        Ok(())
    }

    /// Replicate takes what shard leaves of DP: written where the file states it or nothing else fixes the count.
    fn replicate_takes(&self, replicate: i64, change: &mut Change) {
        let from = self.replicate();
        let written = self.replicate_is_stated() || self.run.devices.is_none();
        if written && self.run.dp_replicate.value != replicate {
            let key = self.key_of(Fact::DpReplicate, Some(&self.run.dp_replicate.origin));
            change.overrides.set(key, Value::Integer(replicate));
        }
        if from != replicate {
            change.moved.push(Moved { control: Control::DpReplicate, from, to: replicate });
        }
    }

    /// With a stated device count the replicate degree follows from it, so moving the degree moves the count.
    pub(super) fn set_replicate(&self, replicate: i64, key: KeyPath, change: &mut Change) {
        let Some(devices) = &self.run.devices else {
            change.overrides.set(key, Value::Integer(replicate));
            return;
        };
        let data_parallel = self.run.dp_shard.value.max(1).saturating_mul(replicate);
        let to = self.product().saturating_mul(data_parallel);
        change.overrides.set(self.key_of(Fact::Devices, Some(&devices.origin)), Value::Integer(to));
        if self.replicate_is_stated() {
            change.overrides.set(key, Value::Integer(replicate));
        }
        if to != devices.value {
            change.moved.push(Moved { control: Control::Devices, from: devices.value, to });
        }
    }
}
