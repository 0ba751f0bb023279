"""Training: each network learns for an epoch, goes on after a stop, and exports to an equal graph."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import onnxruntime as ort
import pytest

pytestmark = pytest.mark.torch
torch = pytest.importorskip("torch")
pytest.importorskip("ultralytics")
pytest.importorskip("timm")

from datasets.crops import SceneIndices, read_scenes  # noqa: E402
from engine.cards import KINDS  # noqa: E402
from models import runs, train_detector, train_reader  # noqa: E402
from models.budget import Budget  # noqa: E402
from models.export import FLOOR, FOLDER, THRESHOLDS, export, export_detector, export_reader  # noqa: E402
from models.learner import Course  # noqa: E402
from models.weights import WeightsError, read_weights, save_weights, sha256, transfer  # noqa: E402


@pytest.fixture(scope="module")
def scenes(tmp_path_factory: pytest.TempPathFactory) -> list[SceneIndices]:
    """Four tables with thirty cards each: a white card, its rank in text above a bar."""
    folder = tmp_path_factory.mktemp("scenes")
    rng = np.random.default_rng(0)
    lines = []
    for number in range(4):
        image = np.full((600, 720, 3), rng.integers(30, 120, 3), np.uint8)
        indices = []
        for x in range(20, 660, 110):
            for y in range(10, 560, 110):
                card = KINDS[rng.integers(len(KINDS))].code
                cv2.rectangle(image, (x, y), (x + 70, y + 100), (245, 245, 245), -1)
                cv2.putText(image, card[0], (x + 6, y + 26), cv2.FONT_HERSHEY_SIMPLEX, 0.8, (20, 20, 20), 2)
                cv2.rectangle(image, (x + 8, y + 32), (x + 20, y + 46), (200, 20, 20), -1)
                indices.append(
                    {
                        "card": card,
                        "box": [x + 6, y + 8, x + 24, y + 46],
                        "rank": [x + 14, y + 17],
                        "suit": [x + 14, y + 39],
                        "visible": 1.0,
                    }
                )
        cv2.imwrite(str(folder / f"{number}.jpg"), image[..., ::-1])
        lines.append(json.dumps({"photo": f"{number}.jpg", "indices": indices}))
    (folder / "labels.jsonl").write_text("\n".join(lines))
    return read_scenes(folder)


def made(run: Path, part: str, **settings: object) -> None:
    runs.begin(run, part, settings, ["four drawn tables"])


def test_the_detector(scenes: list[SceneIndices], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(train_detector, "VALIDATION_CROPS", 8)
    run = tmp_path / "run"
    made(run, "detector", family="yolov8n-pose")
    figures = train_detector.train_detector(
        Course(scenes, scenes, run, Budget(epochs=1), None, batch=8, peak=1e-3), "yolov8n-pose"
    )
    assert 0 <= figures.average_precision <= 1
    assert figures.crops == 8
    went_on = Budget(epochs=2)
    train_detector.train_detector(Course(scenes, scenes, run, went_on, None, batch=8, peak=1e-3), "yolov8n-pose")
    assert went_on.epoch == 2
    assert torch.load(run / "last.pt", weights_only=True)["steps"] == 4

    part = export(run, tmp_path, tmp_path / "checkpoints")
    assert part["sha256"] == sha256(tmp_path / "detector.onnx")
    model = train_detector.new_detector("yolov8n-pose")
    fitting, total = transfer(read_weights(tmp_path / "checkpoints" / "detector.safetensors"), model)
    assert fitting == total
    session = ort.InferenceSession(tmp_path / "detector.onnx")
    model.eval()
    for height, width in ((96, 128), (64, 320)):
        images = np.random.default_rng(1).random((1, 3, height, width), np.float32)
        (found,) = session.run(None, {"images": images})
        with torch.inference_mode():
            expected = model(torch.from_numpy(images))[0].numpy()
        assert expected.shape == (1, 9, height * width // 64 * 21 // 16)
        # Of places that are as likely but for rounding, either side may tell of one more.
        floor = min(FLOOR, expected[0, 4].max())
        # Of each of the head's maps the likeliest counts, however unlikely.
        maps = np.split(expected[0, 4], np.cumsum([height * width // 64, height * width // 256]))
        weak = found[0, 4][found[0, 4] < floor - 1e-5]
        assert all(min(abs(each.max() - one) for each in maps) < 1e-5 for one in weak)
        assert found.shape[2] >= (expected[0, 4] >= floor + 1e-5).sum()
        apart = np.abs(found[0].T[:, None] - expected[0].T[None]).max(axis=2)
        np.testing.assert_allclose(apart.min(axis=1), 0, atol=2e-3)


@pytest.mark.parametrize("family", ["yolo11n-pose", "yolo26n-pose"])
def test_other_families_have_the_same_output(family: str, tmp_path: Path) -> None:
    export_detector(train_detector.new_detector(family), tmp_path / "detector.onnx")
    session = ort.InferenceSession(tmp_path / "detector.onnx")
    (found,) = session.run(None, {"images": np.zeros((1, 3, 64, 96), np.float32)})
    assert found.shape[:2] == (1, 9)
    assert 1 <= found.shape[2] <= 126
    # Of each map the likeliest counts, however unlikely; on an even picture there are many of these.
    assert len(np.unique(found[0, 4][found[0, 4] < FLOOR])) <= 3


def test_the_reader(scenes: list[SceneIndices], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(train_reader, "EPOCH_CROPS", 64)
    monkeypatch.setattr(train_reader, "VALIDATION_CROPS", 60)
    run = tmp_path / "run"
    made(run, "reader")
    figures = train_reader.train_reader(Course(scenes, scenes, run, Budget(epochs=1), None, batch=32, peak=2e-3), [])
    assert figures.crops == 60
    assert 0 <= figures.accuracy <= 1
    went_on = Budget(epochs=2)
    train_reader.train_reader(Course(scenes, scenes, run, went_on, None, batch=32, peak=2e-3), [])
    assert went_on.epoch == 2

    part = export(run, tmp_path, tmp_path / "checkpoints")
    assert part["classes"][52:] == ["JK", "none"]
    assert part["temperature"] > 0
    model = train_reader.Reader()
    transfer(read_weights(tmp_path / "checkpoints" / "reader.safetensors"), model)
    session = ort.InferenceSession(tmp_path / "reader.onnx")
    model.eval()
    for count in (1, 7):
        crops = np.random.default_rng(2).random((count, 6, 64, 48), np.float32)
        (logits,) = session.run(None, {"crops": crops})
        with torch.inference_mode():
            np.testing.assert_allclose(logits, model(torch.from_numpy(crops)).numpy(), atol=1e-3)


def test_the_reader_sees_through_light(tmp_path: Path) -> None:
    export_reader(train_reader.Reader(), tmp_path / "reader.onnx")
    session = ort.InferenceSession(tmp_path / "reader.onnx")
    crop = np.random.default_rng(3).random((1, 6, 64, 48), np.float32)
    bright, dim = (session.run(None, {"crops": part})[0] for part in (crop, crop * np.float32(0.5) + np.float32(0.1)))
    assert np.abs(bright - dim).max() < 0.15 * np.abs(bright).max()


def test_the_losses_of_perfect_and_random_points_differ() -> None:
    truth = np.array([[[10, 10], [10, 20]], [[50, 50], [60, 50]]], np.float32)
    hit, error = train_detector.match_points(truth[::-1] + 0.5, truth)
    assert hit.all()
    assert error.max() < 0.1
    turned = truth[:, ::-1]
    assert not train_detector.match_points(turned, truth)[0].any()
    twice = np.concatenate([truth, truth[:1]])
    assert train_detector.match_points(twice, truth)[0].tolist() == [True, True, False]


def test_calibration_softens_what_is_too_sure() -> None:
    generator = torch.Generator().manual_seed(0)
    kinds = torch.randint(0, 5, (4000,), generator=generator)
    logits = torch.randn(4000, 5, generator=generator)
    told = torch.distributions.Categorical(logits=logits)
    kinds = told.sample()
    temperature, loss = train_reader.calibrate(3 * logits, kinds)
    assert temperature == pytest.approx(3, rel=0.1)
    assert loss == pytest.approx(float(told.entropy().mean()), rel=0.05)


def test_an_unknown_pickle_is_not_opened(tmp_path: Path) -> None:
    path = tmp_path / "weights.pt"
    torch.save({"model": torch.nn.Linear(1, 1)}, path)
    with pytest.raises(WeightsError, match="it is a pickle"):
        read_weights(path)
    with pytest.raises(WeightsError, match="does not exist"):
        read_weights(tmp_path / "none.safetensors")


def test_an_export_keeps_the_thresholds_that_serve() -> None:
    assert json.loads((FOLDER / "manifest.json").read_text(encoding="utf-8"))["thresholds"] == THRESHOLDS


def test_kept_checkpoints_stay_small(tmp_path: Path) -> None:
    with pytest.raises(WeightsError, match="more than"):
        save_weights(torch.nn.Linear(2000, 2000), tmp_path / "large.safetensors")
