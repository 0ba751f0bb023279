"""Times of a scan, stage by stage, and beside ultralytics: ``python -m benchmarks.scan [PHOTO]``.

Without a photo it takes the rendered sample, enlarged to 12 megapixels as a phone would send it. Every figure is a
median; those compared with each other come from the same run. The comparison needs the extra ``train``.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np

ROOT = Path(__file__).resolve().parent.parent
SAMPLE = ROOT / "tests" / "data" / "hand.jpg"
MEGAPIXELS = 12.0
SIZE = 960
"""Side of the square picture on which the two detectors are compared."""


def milliseconds(work: Callable[[], Any], times: int) -> float:
    """Return the median time of a piece of work, after one warm-up."""
    work()
    spans = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        spans.append(time.perf_counter() - start)
    return 1000 * statistics.median(spans)


def enlarged(data: bytes, megapixels: float) -> bytes:
    """Return a JPEG photo scaled to a number of megapixels, its sides even as a phone's are."""
    image = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    scale = (megapixels * 1e6 / (image.shape[0] * image.shape[1])) ** 0.5
    height, width = (2 * round(scale * side / 2) for side in image.shape[:2])
    large = cv2.resize(image, (width, height), interpolation=cv2.INTER_CUBIC)
    return bytes(cv2.imencode(".jpg", large, [cv2.IMWRITE_JPEG_QUALITY, 90])[1])


def stages(data: bytes, times: int) -> dict[str, float]:
    """Return the milliseconds of each stage of a scan."""
    from vision.detector import find_corners
    from vision.limits import Limits
    from vision.photo import read_photo
    from vision.scanner import Scanner, arrange

    scanner = Scanner.load()
    photo = read_photo(data)
    corners = find_corners(scanner.detector, photo, scanner.least)
    readings = scanner.reader.read(photo, corners)
    return {
        "decode": milliseconds(lambda: read_photo(data), times),
        "find corners (two looks)": milliseconds(lambda: find_corners(scanner.detector, photo, scanner.least), times),
        f"read {len(corners)} corners": milliseconds(lambda: scanner.reader.read(photo, corners), times),
        "cards, groups, doubts": milliseconds(
            lambda: arrange(photo.size_wh, corners, readings, scanner.presence, scanner.thresholds, Limits()), times
        ),
        "whole scan": milliseconds(lambda: scanner.scan(read_photo(data)), times),
    }


def network(times: int) -> float:
    """Return the milliseconds of the served detector on one square picture, scaling and suppression included."""
    from vision.scanner import Scanner

    detector = Scanner.load().detector
    return milliseconds(lambda: detector.detect(_square(), 0.25), times)


def ultralytics_network(times: int, threads: int | None) -> float:
    """Return the milliseconds of ``ultralytics`` predict on the same picture with the same weights.

    Args:
        times: repetitions.
        threads: threads of PyTorch; as ultralytics sets them by itself when absent.
    """
    if threads:
        os.environ["OMP_NUM_THREADS"] = str(threads)
    os.environ |= {"YOLO_OFFLINE": "true", "YOLO_AUTOINSTALL": "false", "YOLO_VERBOSE": "false"}
    import ultralytics.utils.torch_utils
    from ultralytics import YOLO

    if threads:
        ultralytics.utils.torch_utils.NUM_THREADS = threads
    import torch

    torch.set_num_threads(ultralytics.utils.torch_utils.NUM_THREADS)
    from models.train_detector import new_detector
    from models.weights import CHECKPOINTS, read_weights, transfer

    served = json.loads((ROOT / "models" / "manifest.json").read_text(encoding="utf-8"))["detector"]
    model = new_detector(served["settings"]["family"])
    transfer(read_weights(CHECKPOINTS / "detector.safetensors"), model)
    yolo = YOLO(f"{served['settings']['family']}.yaml", task="pose", verbose=False)
    yolo.model = model.float().eval()
    picture = np.ascontiguousarray(_square()[..., ::-1])
    return milliseconds(lambda: yolo.predict(picture, imgsz=SIZE, conf=0.25, verbose=False), times)


def _square() -> np.ndarray:
    image = cv2.imread(str(SAMPLE))[..., ::-1]
    return np.ascontiguousarray(cv2.resize(image, (SIZE, SIZE), interpolation=cv2.INTER_AREA))


def resident_megabytes() -> float:
    """Return the most memory that this process has had resident."""
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1024 * 1024 if sys.platform == "darwin" else 1024)


def _in_child(part: str, *arguments: str) -> Any:
    """Run a part of this benchmark in a process of its own, so that no library disturbs another."""
    command = [sys.executable, "-m", "benchmarks.scan", "--part", part, *arguments]
    clean = {key: value for key, value in os.environ.items() if key != "OMP_NUM_THREADS"}
    done = subprocess.run(command, cwd=ROOT, env=clean, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"the part {part} failed:\n{done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])


def _part(arguments: argparse.Namespace) -> Any:
    if arguments.part == "scan":
        return {"stages": stages(_photo(arguments), arguments.times), "resident": resident_megabytes()}
    if arguments.part == "network":
        return network(arguments.times)
    return ultralytics_network(arguments.times, arguments.threads)


def _photo(arguments: argparse.Namespace) -> bytes:
    if arguments.photo:
        return bytes(arguments.photo.read_bytes())
    return enlarged(SAMPLE.read_bytes(), MEGAPIXELS)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scan", description=__doc__.split("\n")[0])
    parser.add_argument("photo", type=Path, nargs="?")
    parser.add_argument("--times", type=int, default=9, help="repetitions of each measurement")
    parser.add_argument("--part", choices=("scan", "network", "ultralytics"), help=argparse.SUPPRESS)
    parser.add_argument("--threads", type=int, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.part:
        print(json.dumps(_part(arguments)))
        return
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    print(f"{platform.machine()}, {cores} cores, Python {platform.python_version()}; medians of {arguments.times}")
    times = ["--times", str(arguments.times)]
    scan = _in_child("scan", *([str(arguments.photo)] if arguments.photo else []), *times)
    print(f"\nOne photo{'' if arguments.photo else f' of {MEGAPIXELS:g} megapixels'}:")
    for stage, span in scan["stages"].items():
        print(f"  {stage:26}{span:9.1f} ms")
    print(f"  {'resident memory, peak':26}{scan['resident']:9.0f} MB")
    try:
        import ultralytics  # noqa: F401
    except ImportError:
        print("\nThe comparison with ultralytics needs the extra train: make train-setup.")
        return
    print(f"\nDetector alone on {SIZE} x {SIZE} pixels, same weights:")
    ours = [_in_child("network", *times)]
    default = _in_child("ultralytics", *times)
    equal = _in_child("ultralytics", *times, "--threads", str(min(4, cores or 1)))
    ours.append(_in_child("network", *times))  # before and after, so that a machine that slows down shows
    served = statistics.mean(ours)
    print(f"  {'served (ONNX Runtime)':34}{served:9.1f} ms   ({ours[0]:.1f} before, {ours[1]:.1f} after)")
    print(f"  {'ultralytics, its own threads':34}{default:9.1f} ms   {default / served:.2f}x the time")
    print(f"  {'ultralytics, as many threads':34}{equal:9.1f} ms   {equal / served:.2f}x the time")


if __name__ == "__main__":
    main()
