"""A network while it learns: its course, its optimizer, its averaged weights, and the checkpoint it goes on from."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from models import machine  # isort: skip  # before torch

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from ultralytics.utils.torch_utils import ModelEMA

from datasets.crops import SceneIndices
from models.budget import Budget, learning_rate
from models.runs import note_figures
from models.weights import read_weights, save_weights, transfer

WARM_UP = 150
"""Steps in which the learning rate rises."""


@dataclass(frozen=True)
class Course:
    """One training run: what is learnt from, for how long and how fast, and where it is kept."""

    scenes: Sequence[SceneIndices]
    """Rendered scenes to learn from."""
    validation: Sequence[SceneIndices]
    """Rendered scenes of other designs."""
    run: Path
    """Folder of the run; what it holds of an earlier sitting is taken up."""
    budget: Budget
    """How long to train."""
    start: Path | None
    """Checkpoint to start from, or none for random weights."""
    batch: int
    """Crops a step."""
    peak: float
    """Highest learning rate of AdamW."""
    seed: int = 0
    """Source of chance."""


class Learner:
    """Steps a network with AdamW, averages its weights, and writes both into a run's folder.

    Every epoch ends with a checkpoint, ``last.pt``, from which the same course goes on; ``best.safetensors`` holds
    the averaged weights of the best epoch.

    Args:
        model: the network, moved to the machine's device.
        course: the run.
        decay: weight decay of all but biases and normalisations.
    """

    def __init__(self, model: nn.Module, course: Course, decay: float) -> None:
        machine.prepare()
        torch.manual_seed(course.seed)
        if course.start is not None:
            fitting, total = transfer(read_weights(course.start), model)
            print(f"{fitting} of {total} tensors start from {course.start.name}", file=sys.stderr)
        self.model = model.to(machine.DEVICE, memory_format=torch.channels_last)
        self.run, self.budget, self.peak = course.run, course.budget, course.peak
        parameters = list(self.model.parameters())
        self.optimizer = torch.optim.AdamW(
            [
                {"params": [each for each in parameters if each.ndim > 1], "weight_decay": decay},
                {"params": [each for each in parameters if each.ndim <= 1], "weight_decay": 0.0},
            ],
            lr=course.peak,
        )
        self._average = ModelEMA(self.model, decay=0.999, tau=300)
        self.best: dict[str, Any] | None = None
        """Figures of the best epoch so far."""
        if self._last.exists():
            self._resume()

    @property
    def average(self) -> nn.Module:
        """The network with its averaged weights."""
        return self._average.ema

    @property
    def steps(self) -> int:
        """Steps done in all sittings."""
        return self._average.updates

    @property
    def _last(self) -> Path:
        return self.run / "last.pt"

    def learn(self, epoch: Callable[[], None], judge: Callable[[nn.Module], Any], quality: str, sign: int) -> Any:
        """Train until the budget is spent and return the figures of the best epoch.

        Args:
            epoch: steps through one epoch.
            judge: returns the figures, a dataclass, of the averaged network.
            quality: the figure that tells which epoch is best.
            sign: 1 where more of it is better, -1 where less is.

        Raises:
            ValueError: if the budget leaves no time for one epoch.
        """
        while self.budget.progress() < 1:
            self.model.train()
            epoch()
            figures = judge(self.average)
            kept, values = self.best, asdict(figures)
            self.end_epoch(values, kept is None or sign * values[quality] >= sign * kept[quality])
            print(f"epoch {self.budget.epoch}, {self.budget.spent / 60:.0f} minutes: {figures}", file=sys.stderr)
        if self.best is None:
            raise ValueError("the budget leaves no time for one epoch.")
        return self.best

    def step(self, loss: Tensor, progress: float) -> None:
        """Learn from one batch's loss, the run being ``progress`` (0 to 1) done."""
        rate = learning_rate(self.peak, progress, self.steps, WARM_UP)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        loss.backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), 10.0)
        self.optimizer.step()
        self.optimizer.zero_grad()
        self._average.update(self.model)

    def end_epoch(self, figures: dict[str, Any], is_best: bool) -> None:
        """Count the epoch, keep its weights if they are the best, and write the checkpoint."""
        self.budget.epoch += 1
        if is_best:
            self.best = figures
            save_weights(self.average, self.run / "best.safetensors")
            note_figures(self.run, figures)
        state = {
            "model": self.model.state_dict(),
            "average": self.average.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "steps": self.steps,
            "epoch": self.budget.epoch,
            "seconds": self.budget.spent,
            "best": self.best,
        }
        # Written beside and then renamed: a stop while writing loses nothing.
        unfinished = self.run / "unfinished.pt"
        torch.save(state, unfinished)
        unfinished.replace(self._last)

    def _resume(self) -> None:
        state: Mapping[str, Any] = torch.load(self._last, map_location=machine.DEVICE, weights_only=True)
        self.model.load_state_dict(state["model"])
        self.average.load_state_dict(state["average"])
        self.optimizer.load_state_dict(state["optimizer"])
        self._average.updates = state["steps"]
        self.budget.epoch, self.budget.seconds = state["epoch"], state["seconds"]
        self.best = state["best"]


def pixels(images: Tensor) -> Tensor:
    """Return pictures (N, C, H, W) uint8 as the networks take them: 0 to 1, on the machine's device."""
    return images.to(machine.DEVICE, memory_format=torch.channels_last).float() / 255


def stack_images(images: Sequence[NDArray[np.uint8]]) -> Tensor:
    """Return pictures (H, W, C) uint8 as one batch (N, C, H, W)."""
    return torch.from_numpy(np.stack(images).transpose(0, 3, 1, 2))
