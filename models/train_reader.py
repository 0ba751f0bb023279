"""The reader: a small residual network that names upright crops of corner indices."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from models import machine  # isort: skip  # before torch

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from timm.models.resnet import BasicBlock, ResNet
from torch import Tensor, nn
from torch.nn import functional
from torch.utils.data import DataLoader, IterableDataset
from tqdm import tqdm

from datasets.assets import default_cache
from datasets.build import workshop
from datasets.crops import SceneIndices
from datasets.drawn import DrawnDeck
from datasets.grounds import Grounds
from engine.cards import JOKER, KINDS
from models.learner import Course, Learner, pixels, stack_images
from models.upright import REJECT, Patch, Tabletop, Upright, deck_patches, scene_crops, stream_upright
from vision.crops import CROP_COLUMNS, CROP_ROWS

CLASSES = len(KINDS) + 1
EPOCH_CROPS = 51_200
VALIDATION_CROPS = 8000
SMOOTHING = 0.02
"""Share of the target spread over the other classes, so that no reading is certain."""


@dataclass(frozen=True)
class ReaderFigures:
    """What validation crops show of a reader."""

    accuracy: float
    """Of crops that show an index: the card is right."""
    ranks: float
    suits: float
    """The same for rank and suit alone, jokers left out."""
    jokers: float
    """The same for jokers."""
    rejected: float
    """Of crops that show no index: they are known as such."""
    missed: float
    """Of crops that show an index: they are taken for none."""
    loss: float
    """Mean negative logarithm of the chance given to the right answer, after calibration."""
    temperature: float
    """What logits are divided by so that chances are calibrated."""
    crops: int

    def __str__(self) -> str:
        return (
            f"accuracy {self.accuracy:.4f} (ranks {self.ranks:.4f}, suits {self.suits:.4f}, "
            f"jokers {self.jokers:.4f}), rejected {self.rejected:.3f}, missed {self.missed:.4f}, "
            f"loss {self.loss:.4f}"
        )


class Reader(nn.Module):
    """(N, 6, 64, 48) from 0 to 1 in, as ``vision.crops.reader_crops`` cuts it; (N, 54) logits out: ``KINDS`` in order,
    then "no index".
    """

    def __init__(self) -> None:
        super().__init__()
        self.body = _tower((2, 2, 2, 1), (24, 48, 96, 192))
        self.around = _tower((2, 2, 2, 1), (16, 32, 64, 128))
        # Where a glyph is counts: the rank stands above the suit. So nothing is averaged over places.
        places = (CROP_ROWS // 16) * (CROP_COLUMNS // 16)
        self.head = nn.Sequential(nn.Flatten(), nn.Dropout(0.2), nn.Linear(192 * places, CLASSES))
        # What lies around adds to what the index says, at first nothing.
        self.hint = nn.Sequential(nn.Flatten(), nn.Dropout(0.2), nn.Linear(128 * places, CLASSES))
        nn.init.zeros_(self.hint[-1].weight)
        nn.init.zeros_(self.hint[-1].bias)

    def forward(self, crops: Tensor) -> Tensor:
        """See the class."""
        return self.head(self.body(_levelled(crops[:, :3]))) + self.hint(self.around(_levelled(crops[:, 3:])))


def _tower(layers: tuple[int, int, int, int], channels: tuple[int, int, int, int]) -> ResNet:
    """Residual layers that make maps of a sixteenth of a picture's height and width."""
    tower = ResNet(
        BasicBlock,
        layers,
        num_classes=0,
        global_pool="",
        stem_type="deep",
        stem_width=channels[0] // 2,
        channels=channels,
    )
    tower.maxpool = nn.Identity()
    return tower


def _levelled(pictures: Tensor) -> Tensor:
    """Each picture in its own light and contrast, all colours alike."""
    centred = pictures - pictures.mean((1, 2, 3), keepdim=True)
    return centred / (centred.square().mean((1, 2, 3), keepdim=True).sqrt() + 0.03)


class _Crops(IterableDataset[Upright]):
    def __init__(self, scenes: Sequence[SceneIndices], patches: Sequence[Sequence[Patch]], seed: int) -> None:
        self.scenes, self.patches, self.seed = scenes, patches, seed

    def __iter__(self) -> Iterator[Upright]:
        cv2.setNumThreads(1)
        tabletop = None
        if self.patches:
            grounds = Grounds(default_cache())
            tabletop = Tabletop(self.patches, grounds, np.random.default_rng(self.seed))
        return stream_upright(self.scenes, tabletop, self.seed)


def collate(crops: Sequence[Upright]) -> tuple[Tensor, Tensor]:
    """Return crops as (N, 6, 64, 48) uint8 and their classes (N,)."""
    return stack_images([crop.image for crop in crops]), torch.tensor([crop.kind for crop in crops])


def draw_patches(drawn: int, seed: int) -> list[list[Patch]]:
    """Return the patches of the packaged training decks and of a number of drawn ones."""
    with multiprocessing.get_context("spawn").Pool(machine.THREADS) as pool:
        art = pool.imap(deck_patches, workshop("train", default_cache()).art)
        made = pool.imap(_drawn_patches, range(seed * 100_000, seed * 100_000 + drawn))
        decks = [*art, *tqdm(made, total=drawn, unit="deck", desc="drawn decks", mininterval=5)]
    return decks


def _drawn_patches(seed: int) -> list[Patch]:
    shop = workshop("train", default_cache())
    return deck_patches(DrawnDeck(seed, shop.fonts, shop.courts, shop.held_out, shop.joker_art))


def train_reader(course: Course, patches: Sequence[Sequence[Patch]]) -> ReaderFigures:
    """Train a reader until the budget is spent and return the figures of the best epoch.

    Args:
        course: the run.
        patches: corners of faces to learn from besides the scenes, by deck.

    Raises:
        ValueError: if the budget leaves no time for one epoch.
    """
    learner = Learner(Reader(), course, decay=0.02)
    crops, kinds = collate(list(_some_crops(course.validation)))
    # One loader for all epochs: what waits to be mixed in is not thrown away between them.
    loader = DataLoader(
        _Crops(course.scenes, patches, course.seed + 1000 * course.budget.epoch),
        batch_size=course.batch,
        collate_fn=collate,
        num_workers=1,
        prefetch_factor=8,
    )
    batches = iter(loader)
    best = learner.learn(
        lambda: _epoch(learner, batches, max(1, EPOCH_CROPS // course.batch)),
        lambda average: judge_reader(average, crops, kinds),
        "loss",
        -1,
    )
    return ReaderFigures(**best)


def _epoch(learner: Learner, batches: Iterator[tuple[Tensor, Tensor]], steps: int) -> None:
    budget = learner.budget
    bar = tqdm(range(steps), unit="step", desc=f"epoch {budget.epoch + 1}", mininterval=5)
    for step in bar:
        progress = budget.progress(step / steps)
        if progress >= 1:
            break
        images, kinds = next(batches)
        with machine.mixed_precision():
            logits = learner.model(pixels(images))
        loss = functional.cross_entropy(logits.float(), kinds.to(machine.DEVICE), label_smoothing=SMOOTHING)
        learner.step(loss, progress)
        if step % 20 == 0:
            bar.set_postfix_str(f"loss {loss.item():.3f}", False)


def _some_crops(scenes: Sequence[SceneIndices]) -> Iterator[Upright]:
    rng = np.random.default_rng(0)
    count = 0
    for scene in scenes:
        for crop in scene_crops(scene, scene.read_image(), rng):
            if count == VALIDATION_CROPS:
                return
            count += 1
            yield crop


def reader_logits(model: nn.Module, crops: Tensor) -> Tensor:
    """Return the logits (N, 54) of crops (N, 6, 64, 48) uint8."""
    model.eval()
    with torch.inference_mode():
        return torch.cat([model(pixels(part)).float().cpu() for part in crops.split(256)])


def judge_reader(model: nn.Module, crops: Tensor, kinds: Tensor) -> ReaderFigures:
    """Return the figures of a reader on labelled crops."""
    logits = reader_logits(model, crops)
    temperature, loss = calibrate(logits, kinds)
    told, kinds_seen = logits.argmax(1).numpy(), kinds.numpy()
    index = kinds_seen != REJECT
    joker = kinds_seen == JOKER.index
    card = index & ~joker
    named = told < JOKER.index
    return ReaderFigures(
        accuracy=_share(told == kinds_seen, index),
        ranks=_share(named & (told % 13 == kinds_seen % 13), card),
        suits=_share(named & (told // 13 == kinds_seen // 13), card),
        jokers=_share(told == kinds_seen, joker),
        rejected=_share(told == REJECT, ~index),
        missed=_share(told == REJECT, index),
        loss=round(loss, 5),
        temperature=round(temperature, 4),
        crops=len(crops),
    )


def _share(right: NDArray[np.bool_], among: NDArray[np.bool_]) -> float:
    return round(float(right[among].mean()), 5) if among.any() else 1.0


def calibrate(logits: Tensor, kinds: Tensor) -> tuple[float, float]:
    """Return the temperature under which the chances fit best, and the loss then.

    Guo et al., On Calibration of Modern Neural Networks, 2017: one number, found on crops not trained on.

    >>> temperature, _ = calibrate(torch.tensor([[4.0, 0.0], [4.0, 0.0]]), torch.tensor([0, 0]))
    >>> temperature
    0.25
    """
    tried = torch.logspace(-2, 2, 161, base=2)
    losses = torch.stack([functional.cross_entropy(logits / value, kinds) for value in tried])
    best = int(losses.argmin())
    return float(tried[best]), float(losses[best])
