"""How much memory a PyTorch run needs, in a form that `shardmem estimate --measured` and the page read.

A whole run, measured from its second optimizer step on (optimizer states exist by then):

    torchrun --nproc-per-node 8 measure.py train.py --config train.yaml

A few steps of a program of your own:

    from measure import measured
    with measured():
        train_step()

What FSDP's memory tracker saw, without a device:

    from torch.distributed._tools.fsdp2_mem_tracker import FSDPMemTracker
    from measure import tracked
    tracker = FSDPMemTracker(model, optimizer)
    with tracker:
        train_step()            # twice: the first makes the optimizer states
        tracker.reset_mod_stats()
        train_step()
    tracked(tracker)

Each rank prints one line. Hand over one, or the whole log: the largest counts.
"""

import argparse
import contextlib
import os
import runpy
import sys

MARK = "shardmem-measured:"


def memory():
    """The module that counts the device's memory: torch.npu on Ascend, else torch.cuda."""
    import torch

    npu = getattr(torch, "npu", None)
    return npu if npu is not None and npu.is_available() else torch.cuda


def rank_of_world():
    """This rank and how many there are, as the launcher says."""
    return int(os.environ.get("RANK", "0")), int(os.environ.get("WORLD_SIZE", "1"))


def tell(allocated, reserved=None):
    """Prints the line of this rank."""
    rank, world = rank_of_world()
    parts = [f"{int(allocated)} allocated"]
    if reserved is not None:
        parts.append(f"{int(reserved)} reserved")
    print(MARK, ", ".join([*parts, f"rank {rank} of {world}"]), flush=True)


def tell_peak():
    """Prints what the allocator's peak was since it was last reset."""
    device = memory()
    tell(device.max_memory_allocated(), device.max_memory_reserved())


@contextlib.contextmanager
def measured():
    """Measures what is done inside, from a peak of now."""
    memory().reset_peak_memory_stats()
    yield
    tell_peak()


def tracked(tracker):
    """Prints the peak that a memory tracker of PyTorch saw on the device that holds most."""
    peaks = tracker.get_tracker_snapshot("peak").values()
    tell(max(peak["Total"] for peak in peaks))


def run(script, arguments, skip):
    """Runs a script, and measures it from the optimizer call after the first `skip` ones."""
    from torch.optim.optimizer import register_optimizer_step_post_hook

    calls = 0

    def after_step(*_):
        nonlocal calls
        calls += 1
        if calls <= skip:
            memory().reset_peak_memory_stats()

    register_optimizer_step_post_hook(after_step)
    sys.argv = [script, *arguments]
    sys.path[0] = os.path.dirname(os.path.abspath(script))
    try:
        runpy.run_path(script, run_name="__main__")
    finally:
        if calls > skip:
            tell_peak()
        else:
            print(f"measure.py: {calls} optimizer calls, at least {skip + 1} are needed", file=sys.stderr)


def main():
    parser = argparse.ArgumentParser(description="Measures the memory of a training script.")
    parser.add_argument("--skip", type=int, default=1, help="optimizer calls before the measured part (default 1)")
    parser.add_argument("script")
    parser.add_argument("arguments", nargs=argparse.REMAINDER)
    asked = parser.parse_args()
    run(asked.script, asked.arguments, asked.skip)


if __name__ == "__main__":
    main()
