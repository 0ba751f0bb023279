"""Corner indices as arrays: decoding, suppression, mapping."""

from __future__ import annotations

import numpy as np
import pytest

from vision.corners import Corners, decode, suppress


def corners(*rows: tuple[float, float, float, float]) -> Corners:
    """Indices from (x, y, height, confidence): upright, half as wide as high."""
    table = np.array(rows, np.float32).reshape(-1, 4)
    x, y, height, confidence = table.T
    boxes = np.stack([x - height / 4, y - height / 2, x + height / 4, y + height / 2], axis=1)
    rank, suit = np.stack([x, y - height / 4], axis=1), np.stack([x, y + height / 4], axis=1)
    return Corners(boxes, confidence, rank, suit)


def test_decode_reads_a_pose_heads_output() -> None:
    output = np.zeros((1, 9, 3), np.float32)
    output[0, :, 0] = [100, 50, 20, 40, 0.4, 100, 40, 100, 60]
    output[0, :, 1] = [300, 50, 20, 40, 0.9, 300, 60, 300, 40]
    output[0, :, 2] = [500, 50, 20, 40, 0.1, 500, 40, 500, 60]
    found = decode(output, least=0.25)
    assert found.confidence.tolist() == pytest.approx([0.9, 0.4])
    assert found.xyxy.tolist() == [[290, 30, 310, 70], [90, 30, 110, 70]]
    assert found.down.tolist() == [[0, -1], [0, 1]]
    assert found.height.tolist() == [40, 40]


def test_decode_of_keypoints_with_visibility() -> None:
    output = np.zeros((1, 11, 1), np.float32)
    output[0, :, 0] = [100, 50, 20, 40, 0.4, 100, 40, 0.7, 100, 60, 0.8]
    assert decode(output, 0.25).suit.tolist() == [[100, 60]]


def test_decode_of_nothing() -> None:
    assert len(decode(np.zeros((1, 9, 5), np.float32), 0.25)) == 0


@pytest.mark.parametrize(
    ("rows", "kept"),
    [
        ((), []),
        (((100, 100, 40, 0.5),), [0.5]),
        # one index found twice, at two sizes: their boxes hardly overlap, their centres agree
        (((100, 100, 40, 0.5), (102, 103, 90, 0.9)), [0.9]),
        # neighbours in a tight fan: boxes overlap, centres lie half an index apart
        (((100, 100, 40, 0.8), (121, 100, 40, 0.7)), [0.8, 0.7]),
        # the tightest fans: a sure one a third of its height beside a surer one is an index of its own
        (((100, 100, 40, 0.8), (113, 100, 40, 0.7)), [0.8, 0.7]),
        (((100, 100, 40, 0.8), (113, 100, 40, 0.3)), [0.8]),
        (((100, 100, 40, 0.8), (121, 100, 40, 0.1)), [0.8, 0.1]),
        (((100, 100, 40, 0.8), (108, 100, 40, 0.8)), [0.8]),
        # the next but one is held against each of the better ones
        (((100, 100, 40, 0.8), (113, 100, 40, 0.7), (126, 100, 40, 0.65)), [0.8, 0.7, 0.65]),
        (((100, 100, 40, 0.3), (300, 100, 40, 0.7), (301, 100, 40, 0.6)), [0.7, 0.3]),
    ],
)
def test_suppress_leaves_one_detection_an_index(
    rows: tuple[tuple[float, float, float, float], ...], kept: list[float]
) -> None:
    assert suppress(corners(*rows)).confidence.tolist() == pytest.approx(kept)


def test_mapped_scales_then_shifts() -> None:
    moved = corners((100, 100, 40, 0.5)).mapped(2.0, (10, 20))
    assert moved.centre.tolist() == [[210, 220]]
    assert moved.height.tolist() == [80]


def test_joined_and_selected() -> None:
    both = corners((100, 100, 40, 0.5)).joined(corners((200, 100, 40, 0.6)))
    assert len(both) == 2
    assert both[both.confidence > 0.55].centre.tolist() == [[200, 100]]
    assert len(both.joined(Corners.none())) == 2
