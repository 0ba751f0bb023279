"""How torch uses the machine. Import this before torch and ultralytics: both read the environment then.

Measured on two cores: where the processor multiplies matrices in bfloat16 (AMX), a step of either network (16 crops of
448 px for a YOLOv8n-pose, 128 for the reader, forward and backward) takes half the time that it takes in single
precision; where it does not, seven times as much. Channels last saves a third, and threads that wait without spinning
lose far less when something else runs.
"""

from __future__ import annotations

import os

_CORES = str(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)
# ultralytics sets one thread unless told otherwise, and would install packages and fetch weights by itself.
os.environ.setdefault("OMP_NUM_THREADS", _CORES)
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
os.environ.setdefault("YOLO_OFFLINE", "true")
os.environ.setdefault("YOLO_AUTOINSTALL", "false")
os.environ.setdefault("YOLO_VERBOSE", "false")

import torch  # noqa: E402
import ultralytics.utils.torch_utils  # noqa: E402
from ultralytics.utils import SETTINGS  # noqa: E402

THREADS = int(os.environ["OMP_NUM_THREADS"])
DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def prepare() -> None:
    """Let torch use every core, and ultralytics report to nobody."""
    torch.set_num_threads(THREADS)
    ultralytics.utils.torch_utils.NUM_THREADS = THREADS
    if SETTINGS.get("sync"):
        SETTINGS.update({"sync": False})


def mixed_precision() -> torch.autocast:
    """Return the context in which a forward pass runs in bfloat16, where the machine gains by it."""
    gains = DEVICE.type == "cuda" or torch.cpu._is_amx_tile_supported()
    return torch.autocast(DEVICE.type, torch.bfloat16, enabled=gains)
