"""Export: ``python -m models.export RUN...`` writes the graphs that serve, and their manifest."""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import warnings
from math import prod
from pathlib import Path
from typing import Any

from models import machine  # isort: skip  # before torch

import numpy as np
import onnx
import torch
from torch import nn
from ultralytics.nn.modules.head import Detect, Pose
from ultralytics.utils.tal import make_anchors

from engine.cards import KINDS
from models.runs import read_run
from models.train_detector import new_detector
from models.train_reader import Reader
from models.weights import CHECKPOINTS, read_weights, sha256, transfer
from vision.crops import CROP_COLUMNS, CROP_ROWS

FOLDER = Path(__file__).parent
OPSET = 17
STRIDE = 32
"""Height and width of the detector's input are multiples of this."""
FLOOR = 0.05
"""Least confidence of what the detector's graph tells of."""
SMALL = 256
"""Tensors of so few numbers are not worth a cast."""
THRESHOLDS = {"least": 0.15, "there": 0.8, "keep": 0.3, "unread": 0.2, "present": 0.985, "sure": 0.985}
"""What ``vision`` goes by: least confidence of an index; then least chances for a card to be shown, first that it is
there, then of its reading; to be asked about where it is not shown; to count without a doubt that it is there, and
without a doubt which it is."""
BETTER = {"detector": ("average_precision", 1), "reader": ("loss", -1)}
"""The figure that decides between two checkpoints, and whether more or less of it is better."""


def export_detector(model: nn.Module, path: Path) -> None:
    """Write a detector's graph, from ``images`` to ``found``.

    ``images`` is (1, 3, H, W) RGB from 0 to 1, both sides multiples of 32; ``found`` is (1, 9, K): centre x,
    centre y, width, height, confidence, rank x, rank y, suit x, suit y in pixels, of all with a confidence of at least
    ``FLOOR``, but of one at least in each of the head's maps.
    """
    model = model.eval().fuse(verbose=False)
    head = model.model[-1]
    head.export, head.format = True, "onnx"
    if type(head) is Pose:
        for tower in (*head.cv2, *head.cv4):
            for layer in tower[:2]:
                layer.conv.padding = (0, 0)  # they are given patches that reach as far as they look
        head.forward = lambda maps: _found(head, maps)
    else:
        head._inference = lambda raw: _likely(head, raw)
    axes = {"images": {2: "height", 3: "width"}, "found": {2: "likely"}}
    _export(model, torch.zeros(1, 3, 3 * STRIDE, 4 * STRIDE), path, "images", "found", axes)


def _found(head: Pose, maps: list[torch.Tensor]) -> torch.Tensor:
    """Compute boxes and points only where an index is likely: everywhere, they would take a fifth of the time."""
    found = []
    for level, (features, stride) in enumerate(zip(maps, head.stride, strict=True)):
        width = features.shape[3]
        confidence = head.cv3[level](features).sigmoid().flatten()
        # The likeliest always counts: not every runtime computes none.
        likely = (confidence >= confidence.max().clamp(max=FLOOR)).nonzero()[:, 0]
        row, column = likely // width, likely % width
        patches, inside = _patches(features, row, column)
        # Beyond the picture's edge the second layer sees nothing, as the first.
        within = inside[..., 1:4, 1:4]
        boxes, points = (
            tower[2](tower[1](tower[0](patches) * within)).flatten(1).T[None]
            for tower in (head.cv2[level], head.cv4[level])
        )
        head.anchors, head.strides = torch.stack([column, row]) + 0.5, stride
        boxes = head.decode_bboxes(head.dfl(boxes), head.anchors[None]) * stride
        found.append(torch.cat([boxes, confidence[likely][None, None], head.kpts_decode(points)], 1))
    return torch.cat(found, 2)


def _patches(features: torch.Tensor, row: torch.Tensor, column: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return (K, C, 5, 5), what features (1, C, H, W) are around K places, and (K, 1, 5, 5), what of it is inside."""
    height, width = features.shape[2:]
    steps = torch.arange(-2, 3)
    rows, columns = row[:, None, None] + steps[:, None], column[:, None, None] + steps[None]
    inside = ((rows >= 0) & (rows < height) & (columns >= 0) & (columns < width))[:, None]
    places = rows.clamp(0, height - 1) * width + columns.clamp(0, width - 1)
    chosen = features[0].flatten(1).index_select(1, places.flatten())
    return chosen.view(len(chosen), -1, 5, 5).transpose(0, 1) * inside, inside


def _likely(head: Detect, raw: dict[str, torch.Tensor]) -> torch.Tensor:
    """Decode only what may be an index: to decode a box for each of thousands of places takes a tenth of the time."""
    scores = raw["scores"].sigmoid()
    # The likeliest always counts: not every runtime decodes none.
    likely = (scores[0, 0] >= scores.max().clamp(max=FLOOR)).nonzero()[:, 0]
    # Computed in the graph, from whatever size comes in; the head decodes keypoints by them too.
    anchors, strides = make_anchors(raw["feats"], head.stride, 0.5)
    head.anchors, head.strides = anchors[likely].T, strides[likely].T
    boxes = head.decode_bboxes(head.dfl(raw["boxes"][..., likely]), head.anchors[None]) * head.strides
    return torch.cat([boxes, scores[..., likely], head.kpts_decode(raw["kpts"][..., likely])], 1)


def export_reader(model: nn.Module, path: Path) -> None:
    """Write a reader's graph: ``crops`` (N, 6, 64, 48) from 0 to 1 to ``logits`` (N, 54)."""
    axes = {"crops": {0: "crop"}, "logits": {0: "crop"}}
    _export(model.eval(), torch.zeros(2, 6, CROP_ROWS, CROP_COLUMNS), path, "crops", "logits", axes)


def _export(
    model: nn.Module,
    example: torch.Tensor,
    path: Path,
    source: str,
    target: str,
    axes: dict[str, dict[int, str]],
) -> None:
    with warnings.catch_warnings():
        # The older exporter needs no further package and takes both graphs whole.
        warnings.simplefilter("ignore", DeprecationWarning)
        warnings.simplefilter("ignore", torch.jit.TracerWarning)
        torch.onnx.export(
            model,
            (example,),
            path,
            opset_version=OPSET,
            input_names=[source],
            output_names=[target],
            dynamic_axes=axes,
            dynamo=False,
        )
    halve(path)


def halve(path: Path) -> None:
    """Store a graph's weights in half precision, as the checkpoints do; computed is in single precision as before.

    The runtime casts them back once, when it loads the graph.
    """
    model = onnx.load(path)
    casts = []
    for tensor in model.graph.initializer:
        if tensor.data_type == onnx.TensorProto.FLOAT and prod(tensor.dims) > SMALL:
            name, values = tensor.name, onnx.numpy_helper.to_array(tensor)
            tensor.CopyFrom(onnx.numpy_helper.from_array(values.astype(np.float16), f"{name}.half"))
            casts.append(onnx.helper.make_node("Cast", [tensor.name], [name], to=onnx.TensorProto.FLOAT))
    nodes = [*casts, *model.graph.node]
    del model.graph.node[:]
    model.graph.node.extend(nodes)
    onnx.checker.check_model(model)
    onnx.save(model, path)


def export(run: Path, folder: Path, checkpoints: Path) -> dict[str, Any]:
    """Write the graph and the checkpoint of a finished run and return its part of the manifest."""
    made, figures = read_run(run)
    part = made["part"]
    weights = run / "best.safetensors"
    path = folder / f"{part}.onnx"
    if part == "detector":
        detector = new_detector(made["settings"]["family"])
        transfer(read_weights(weights), detector)
        export_detector(detector, path)
        form = {
            "input": {"shape": [1, 3, "H", "W"], "multiples_of": STRIDE, "colours": "RGB, 0 to 1"},
            "classes": ["index"],
            "keypoints": ["rank", "suit"],
        }
    else:
        reader = Reader()
        transfer(read_weights(weights), reader)
        export_reader(reader, path)
        form = {
            "input": {"shape": ["N", 6, CROP_ROWS, CROP_COLUMNS], "colours": "RGB of the index, RGB around it, 0 to 1"},
            "classes": [*(card.code for card in KINDS), "none"],
            "temperature": figures["temperature"],
        }
    checkpoints.mkdir(exist_ok=True)
    shutil.copyfile(weights, checkpoints / f"{part}.safetensors")
    return {
        "sha256": sha256(path),
        **form,
        "settings": made["settings"],
        "data": made["data"],
        "commit": made["commit"],
        "figures": figures,
    }


def main() -> None:
    """Parse the command line, export every run named and write the manifest."""
    parser = argparse.ArgumentParser(prog="python -m models.export", description=__doc__)
    parser.add_argument("runs", type=Path, nargs="+", help="folders of finished runs")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where the graphs go")
    parser.add_argument("--worse", action="store_true", help="replace weights even by worse ones")
    arguments = parser.parse_args()
    machine.prepare()
    manifest_path = arguments.folder / "manifest.json"
    manifest: dict[str, Any] = {}
    if manifest_path.exists():
        manifest = json.loads(manifest_path.read_text(encoding="utf-8"))
    checkpoints = CHECKPOINTS if arguments.folder == FOLDER else arguments.folder / CHECKPOINTS.name
    for run in arguments.runs:
        made, figures = read_run(run)
        part = made["part"]
        figure, sign = BETTER[part]
        before = manifest.get(part, {}).get("figures", {}).get(figure)
        if before is not None and sign * figures[figure] <= sign * before and not arguments.worse:
            sys.exit(f"{run}: {figure} {figures[figure]} is no better than {before}; see --worse.")
        manifest[part] = export(run, arguments.folder, checkpoints)
    manifest["thresholds"] = THRESHOLDS
    manifest_path.write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
