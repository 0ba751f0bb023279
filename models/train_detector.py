"""The detector: a YOLO nano pose model with one class and two keypoints, trained on crops of scenes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from models import machine  # isort: skip  # before torch

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.utils.data import DataLoader, IterableDataset
from tqdm import tqdm
from ultralytics.cfg import get_cfg
from ultralytics.nn.tasks import PoseModel
from ultralytics.utils.metrics import ap_per_class
from ultralytics.utils.nms import non_max_suppression

from datasets.crops import CROP_SIZE, Crop, SceneIndices, stream_crops
from models.learner import Course, Learner, pixels, stack_images

FAMILIES = ("yolov8n-pose", "yolo11n-pose", "yolo26n-pose")
KEYPOINTS = [2, 2]
"""Rank centre and suit centre, each x and y. Whether they are in sight is not asked: a labelled index is."""
SIGMA = 0.2
"""Tolerance of the keypoint loss, as in COCO's object keypoint similarity: tight, for exact points."""
PER_SCENE = 4
"""Crops of a scene in an epoch."""
VALIDATION_CROPS = 320
CONFIDENCE = 0.25
"""Where recall and precision are taken."""
NEAR = 0.3
"""A found index is right when its points are on average this near to the true ones, in index heights."""


@dataclass(frozen=True)
class DetectorFigures:
    """What validation crops show of a detector."""

    average_precision: float
    """Of indices whose two points are right (``NEAR``)."""
    recall: float
    precision: float
    """At ``CONFIDENCE``."""
    point_error: float
    """Median distance of the points of right indices, in index heights."""
    crops: int

    def __str__(self) -> str:
        return (
            f"AP {self.average_precision:.3f}, recall {self.recall:.3f}, precision {self.precision:.3f} "
            f"at {CONFIDENCE}, points off by {self.point_error:.3f}"
        )


@dataclass(frozen=True)
class Batch:
    """B crops with N labelled indices in all."""

    images: Tensor
    """(B, 3, S, S) uint8 RGB."""
    labels: Tensor
    """(N, 8) as ``datasets.crops`` has them."""
    places: Tensor
    """(N,) which crop of the batch each label is of."""


class _Crops(IterableDataset[Crop]):
    def __init__(self, scenes: Sequence[SceneIndices], seed: int) -> None:
        self.scenes, self.seed = scenes, seed

    def __iter__(self) -> Iterator[Crop]:
        cv2.setNumThreads(1)
        return stream_crops(self.scenes, PER_SCENE, self.seed)


def collate(crops: Sequence[Crop]) -> Batch:
    """Return crops as one batch."""
    places = np.repeat(np.arange(len(crops)), [len(crop.labels) for crop in crops])
    return Batch(
        stack_images([crop.image for crop in crops]),
        torch.from_numpy(np.concatenate([crop.labels for crop in crops])),
        torch.from_numpy(places).float(),
    )


def new_detector(family: str) -> PoseModel:
    """Return a detector of a family with random weights."""
    model = PoseModel(f"{family}.yaml", ch=3, nc=1, data_kpt_shape=KEYPOINTS, verbose=False)
    model.names = {0: "index"}
    model.args = get_cfg(overrides={"pose": 12.0, "task": "pose"})
    # Families with two heads are read through the one that wants suppression: the code that serves has that.
    model.model[-1].end2end = False
    model.kpt_oks_sigmas = [SIGMA] * KEYPOINTS[0]
    return model


def train_detector(course: Course, family: str) -> DetectorFigures:
    """Train a detector until the budget is spent and return the figures of the best epoch.

    Args:
        course: the run.
        family: one of ``FAMILIES``.

    Raises:
        ValueError: if the budget leaves no time for one epoch.
    """
    model = new_detector(family)
    learner = Learner(model, course, decay=5e-4)
    model.criterion = model.init_criterion()
    crops = list(_some_crops(course.validation))
    best = learner.learn(
        lambda: _epoch(learner, course), lambda average: judge_detector(average, crops), "average_precision", 1
    )
    return DetectorFigures(**best)


def _epoch(learner: Learner, course: Course) -> None:
    budget, scenes, batch = course.budget, course.scenes, course.batch
    steps = len(scenes) * PER_SCENE // batch
    loader = DataLoader(
        _Crops(scenes, course.seed + 1000 * budget.epoch),
        batch_size=batch,
        drop_last=True,
        collate_fn=collate,
        num_workers=1,
        prefetch_factor=4,
    )
    bar = tqdm(loader, total=steps, unit="step", desc=f"epoch {budget.epoch + 1}", mininterval=5)
    for step, crops in enumerate(bar):
        progress = budget.progress(step / steps)
        if progress >= 1:
            break
        losses = _loss(learner.model, crops)
        learner.step(losses.sum(), progress)
        if step % 10 == 0:
            bar.set_postfix_str(" ".join(f"{part / batch:.2f}" for part in losses.tolist()), False)


def _loss(model: PoseModel, crops: Batch) -> Tensor:
    """Losses of box, keypoints, visibility, class and box distribution, added up over the batch."""
    images = pixels(crops.images)
    with machine.mixed_precision():
        output = model(images)
    truth = {
        "img": images,
        "cls": torch.zeros(len(crops.labels), 1, device=machine.DEVICE),
        "bboxes": crops.labels[:, :4].to(machine.DEVICE),
        "keypoints": crops.labels[:, 4:].reshape(-1, *KEYPOINTS).to(machine.DEVICE),
        "batch_idx": crops.places.to(machine.DEVICE),
    }
    losses, _ = model.criterion(_single(output), truth)
    return losses


def _single(output: Any) -> Any:
    """Network output in single precision, in which the losses are computed."""
    if isinstance(output, Tensor):
        return output.float()
    if isinstance(output, dict):
        return {key: _single(value) for key, value in output.items()}
    return type(output)(_single(value) for value in output)


def _some_crops(scenes: Sequence[SceneIndices]) -> Iterator[Crop]:
    per_scene = -(-VALIDATION_CROPS // len(scenes))
    for number, crop in enumerate(stream_crops(scenes, per_scene, seed=0)):
        if number == VALIDATION_CROPS:
            break
        yield crop


def judge_detector(model: PoseModel, crops: Sequence[Crop]) -> DetectorFigures:
    """Return the figures of a detector on labelled crops."""
    model.eval()
    confidences, hits, errors, truths = [], [], [], 0
    for first in range(0, len(crops), 16):
        batch = collate(crops[first : first + 16])
        with torch.inference_mode(), machine.mixed_precision():
            output = model(pixels(batch.images))[0].float()
        found = non_max_suppression(output, 0.01, 0.6, nc=1, max_time_img=10.0)
        for crop, rows in zip(crops[first : first + 16], found, strict=True):
            order = rows[:, 4].argsort(descending=True)
            rows = rows[order].cpu().numpy()
            truth = crop.labels[:, 4:].reshape(-1, 2, 2) * CROP_SIZE
            hit, error = match_points(rows[:, 6:].reshape(-1, 2, 2), truth)
            confidences.append(rows[:, 4])
            hits.append(hit)
            errors.append(error)
            truths += len(truth)
    confidence, hit = np.concatenate(confidences), np.concatenate(hits)
    sure = confidence >= CONFIDENCE
    ap = ap_per_class(hit[:, None], confidence, np.zeros(len(hit)), np.zeros(truths))[5]
    return DetectorFigures(
        average_precision=round(float(ap[0, 0]), 4) if len(ap) and hit.any() else 0.0,
        recall=round(float((hit & sure).sum() / max(truths, 1)), 4),
        precision=round(float((hit & sure).sum() / max(sure.sum(), 1)), 4),
        point_error=round(float(np.median(np.concatenate(errors))), 4) if hit.any() else 1.0,
        crops=len(crops),
    )


def match_points(
    found: NDArray[np.float32], truth: NDArray[np.float32]
) -> tuple[NDArray[np.bool_], NDArray[np.float32]]:
    """Match found indices, best first, each to the nearest true one that is still free.

    Args:
        found: (N, 2, 2) rank and suit centres as x, y.
        truth: (M, 2, 2) in the same form.

    Returns:
        (N,) whether each is right, and (R,) the errors of those that are, in index heights.
    """
    hit = np.zeros(len(found), bool)
    errors = []
    free = np.ones(len(truth), bool)
    heights = 2 * np.linalg.norm(truth[:, 1] - truth[:, 0], axis=1)
    for place, points in enumerate(found):
        if not free.any():
            break
        off = np.linalg.norm(truth - points, axis=2).mean(axis=1) / np.maximum(heights, 1e-6)
        nearest = int(np.where(free, off, np.inf).argmin())
        if off[nearest] < NEAR:
            hit[place], free[nearest] = True, False
            errors.append(off[nearest])
    return hit, np.array(errors, np.float32)
