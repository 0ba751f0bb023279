"""Weights on disk: starting checkpoints, loaded only when their hash is known, and safetensors."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from datasets.assets import STARTING_WEIGHTS_SHA256

CHECKPOINTS = Path(__file__).parent / "checkpoints"
"""The best weights so far, kept for further training."""
LARGEST_CHECKPOINT = 7_000_000
"""Most bytes of a kept checkpoint."""


class WeightsError(RuntimeError):
    """Weights that are missing, unknown or do not fit."""


def read_weights(path: Path) -> Mapping[str, Tensor]:
    """Return the tensors of a checkpoint by name, in single precision.

    A ``.pt`` file is a pickle, which may run any code: only the pinned starting checkpoint is opened.

    Raises:
        WeightsError: if there is no such file, or it is a pickle that is not known.
    """
    if not path.is_file():
        raise WeightsError(f"{path} does not exist.")
    if path.suffix == ".safetensors":
        tensors = load_file(path)
    else:
        found = sha256(path)
        if found != STARTING_WEIGHTS_SHA256:
            raise WeightsError(f"{path} is not opened: it is a pickle and its SHA-256 {found} is not known.")
        tensors = torch.load(path, map_location="cpu", weights_only=False)["model"].state_dict()
    return {name: tensor.float() if tensor.is_floating_point() else tensor for name, tensor in tensors.items()}


def transfer(weights: Mapping[str, Tensor], model: nn.Module) -> tuple[int, int]:
    """Copy the tensors whose name and shape fit into a model; return how many did, and how many it has."""
    own = model.state_dict()
    fitting = {name: tensor for name, tensor in weights.items() if name in own and own[name].shape == tensor.shape}
    model.load_state_dict(fitting, strict=False)
    return len(fitting), len(own)


def save_weights(model: nn.Module, path: Path) -> None:
    """Write a model's tensors in half precision.

    Raises:
        WeightsError: if the file would be larger than a kept checkpoint may be.
    """
    tensors = {
        name: (tensor.half() if tensor.is_floating_point() else tensor).contiguous().clone()
        for name, tensor in model.state_dict().items()
    }
    size = sum(tensor.numel() * tensor.element_size() for tensor in tensors.values())
    if size > LARGEST_CHECKPOINT:
        raise WeightsError(f"{size} bytes of weights are more than the {LARGEST_CHECKPOINT} that are kept.")
    save_file(tensors, path)


def sha256(path: Path) -> str:
    """Return the SHA-256 of a file in hexadecimal."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
