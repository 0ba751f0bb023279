"""The networks' graphs: pictures in, arrays out, wherever they are computed."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Protocol

import cv2
import numpy as np
import onnxruntime as ort
from numpy.typing import NDArray


class Graph(Protocol):
    """One trained network; safe to call from several threads."""

    def run(self, pictures: NDArray[np.uint8]) -> list[NDArray[np.float32]]:
        """Return the network's outputs.

        Args:
            pictures: (N, H, W, C), as many channels as the network takes.
        """


class OnnxGraph:
    """A graph run in this process by ONNX Runtime, with settings that suit a machine with other work to do.

    Args:
        path: the ONNX file; its one input takes (N, C, H, W) from 0 to 1.
        providers: what ONNX Runtime may compute on, the first that is there.
    """

    def __init__(self, path: Path, providers: tuple[str, ...] = ("CPUExecutionProvider",)) -> None:
        options = ort.SessionOptions()
        options.intra_op_num_threads = min(4, os.cpu_count() or 1)
        options.inter_op_num_threads = 1
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        there = [name for name in providers if name in ort.get_available_providers()]
        self._session = ort.InferenceSession(str(path), options, providers=there)
        self._input = self._session.get_inputs()[0].name

    def run(self, pictures: NDArray[np.uint8]) -> list[NDArray[np.float32]]:
        """See ``Graph.run``."""
        if pictures.shape[3] == 3:
            blob = cv2.dnn.blobFromImages(list(pictures), 1 / 255)
        else:
            blob = np.ascontiguousarray(pictures.transpose(0, 3, 1, 2), np.float32) / np.float32(255)
        return [np.asarray(output) for output in self._session.run(None, {self._input: blob})]
