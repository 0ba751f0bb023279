"""Bad uploads and malformed requests: each gets a sentence in time, and nothing brings the service down.

    python -m benchmarks.hostile

Photos that are none, or are meant to hurt, go through the whole service with its workers: the answer must be the one
that people are promised, within two seconds, and in bounded memory. Then Schemathesis asks everything that the OpenAPI
allows, and much that it does not: no answer may be a server error. Exits with 1 if anything is not so.
"""

from __future__ import annotations

import argparse
import io
import os
import struct
import subprocess
import sys
import tempfile
import time
import zlib
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from fastapi.testclient import TestClient
from PIL import Image

from api.app import app_with, create_app
from api.scans import Workers
from api.settings import Settings
from benchmarks.serving import NoScanner, Phone, Service

LIMIT_S = 2.0
MEMORY_MB = 1500
"""Most memory that the worker may ever have used."""


@dataclass(frozen=True)
class Upload:
    """A body, and the statuses that it may get."""

    name: str
    data: bytes
    statuses: frozenset[int]
    size_wh: tuple[int, int] | None = None
    """The upright picture's size, where it matters."""


def picture(kind: str, mode: str = "RGB", size: tuple[int, int] = (320, 200), **how: Any) -> bytes:
    """Return a file of noise: nothing in it is a card."""
    noise = np.random.default_rng(3).integers(0, 255, (size[1], size[0], 3), np.uint8)
    target = io.BytesIO()
    Image.fromarray(noise).convert(mode).save(target, kind, **how)
    return target.getvalue()


def png(width: int, height: int, idat: bytes = b"", extra: bytes = b"", depth: int = 8, colour: int = 2) -> bytes:
    """Return a PNG file whose header says what it is told to say."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + header + extra + chunk(b"IDAT", idat) + chunk(b"IEND", b"")


def text_bomb() -> bytes:
    """Return a text chunk of a kilobyte that unpacks to a gigabyte, or would."""
    packer = zlib.compressobj(9)
    packed = b"".join(packer.compress(bytes(1 << 20)) for _ in range(64)) + packer.flush()
    data = b"Comment\0\0" + packed
    return struct.pack(">I", len(data)) + b"zTXt" + data + struct.pack(">I", zlib.crc32(b"zTXt" + data))


def taller(jpeg: bytes, size: int) -> bytes:
    """Return a JPEG whose frame header claims another size."""
    at = jpeg.index(b"\xff\xc0")
    return jpeg[: at + 5] + struct.pack(">HH", size, size) + jpeg[at + 9 :]


def uploads() -> list[Upload]:
    """Return the corpus."""
    jpeg, lossless, webp, heic = picture("JPEG"), picture("PNG"), picture("WEBP"), _heic()
    readable, none, other, huge = (frozenset(each) for each in ({200}, {415, 422}, {415}, {413}))
    either = readable | none
    found = [
        Upload("nothing", b"", none),
        Upload("a word", b"dear sir", none),
        Upload("zeros", bytes(4096), none),
        Upload("a page", b"<!doctype html><script>alert(1)</script>", none),
        Upload("a drawing", b'<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>', none),
        Upload("an archive", b"PK\3\4" + bytes(200), none),
        Upload("a program", b"\x7fELF" + bytes(200), none),
        Upload("a document", b"%PDF-1.7\n" + bytes(200), none),
        Upload("a GIF", picture("GIF", "P"), other),
        Upload("a BMP", picture("BMP"), other),
        Upload("a TIFF", picture("TIFF"), other),
        Upload("a Photoshop file", b"8BPS\0\1" + bytes(200), other),
        Upload("a film", b"\0\0\0\x18ftypisom" + bytes(200), none),
        Upload("an AVIF", b"\0\0\0\x18ftypavif" + bytes(200), none),
        Upload("a GIF that goes on as a JPEG", b"GIF89a" + jpeg, other),
        Upload("a JPEG that goes on as an archive", jpeg + b"PK\3\4" + bytes(500), either),
        Upload("a JPEG with a page inside", jpeg[:2] + b"\xff\xfe\0\x12<script>alert(1)" + jpeg[2:], either),
        Upload("only the start of a JPEG", b"\xff\xd8\xff", none),
        *(Upload(f"a JPEG cut at {part} %", jpeg[: len(jpeg) * part // 100], none) for part in (5, 25, 50, 90)),
        *(Upload(f"a PNG cut at {part} %", lossless[: len(lossless) * part // 100], none) for part in (5, 50)),
        Upload("a WebP cut in half", webp[: len(webp) // 2], none),
        Upload("a PNG of no size", png(0, 0), none),
        Upload("a PNG of no rows", png(10, 0), none),
        Upload("a PNG without pixels", png(10, 10), none),
        Upload("a PNG with a wrong sum", lossless.replace(b"IDAT", b"IDAX", 1), none),
        Upload("a PNG with a bomb for a comment", png(64, 64, zlib.compress(bytes(64 * 193)), text_bomb()), either),
        Upload("a bomb of 13000 × 13000", png(13000, 13000, zlib.compress(bytes(1 << 20))), huge),
        Upload("a header of 40000 × 40000", png(40000, 40000), huge),
        Upload("a header of 2^31", png(2**31 - 1, 2**31 - 1), huge | none),
        Upload("a strip of 12001 × 1", png(12001, 1, zlib.compress(bytes(36004))), huge),
        Upload("51 million pixels", png(7200, 7200, zlib.compress(bytes(1 << 20))), huge),
        Upload("a JPEG that claims 65500 × 65500", taller(jpeg, 65500), huge),
        Upload("16 MB", b"\xff\xd8\xff" + bytes(16_000_000), huge),
        Upload("CMYK", picture("JPEG", "CMYK"), readable),
        Upload("grey", picture("JPEG", "L"), readable),
        Upload("black and white", picture("PNG", "1"), readable),
        Upload("a palette", picture("PNG", "P"), readable),
        Upload("grey with transparency", picture("PNG", "LA"), readable),
        Upload("transparency", picture("PNG", "RGBA"), readable),
        Upload("16 bits", png(20, 20, zlib.compress(bytes(20 * 41)), depth=16, colour=0), readable),
        Upload("16 bits in colour", png(20, 20, zlib.compress(bytes(20 * 121)), depth=16), readable),
        Upload("progressive", picture("JPEG", progressive=True), readable),
        Upload("an animated WebP", _animated("WEBP"), readable),
        Upload("an animated PNG", _animated("PNG"), readable),
        Upload("one pixel", picture("PNG", size=(1, 1)), readable),
        Upload("a broken colour profile", picture("JPEG", icc_profile=b"nonsense" * 20), readable),
        Upload("broken EXIF", picture("JPEG", exif=b"Exif\0\0MM\0*\xff\xff\xff\xff"), readable),
        Upload("the largest photo", _plain(8600, 5800), readable),
    ]
    for orientation in range(1, 9):
        exif = Image.Exif()
        exif[0x0112] = orientation
        size = (320, 200) if orientation < 5 else (200, 320)
        found.append(Upload(f"EXIF orientation {orientation}", picture("JPEG", exif=exif), readable, size))
    if heic:
        found += [Upload("HEIC", heic, readable), Upload("HEIC cut in half", heic[: len(heic) // 2], none)]
    return found


def _plain(width: int, height: int) -> bytes:
    """A picture as large as is read, with nothing on it that takes time to look at."""
    target = io.BytesIO()
    Image.new("RGB", (width, height), (90, 120, 90)).save(target, "JPEG")
    return target.getvalue()


def _animated(kind: str) -> bytes:
    frames = [Image.new("RGB", (64, 48), colour) for colour in ("red", "green", "blue")]
    target = io.BytesIO()
    frames[0].save(target, kind, save_all=True, append_images=frames[1:], duration=40)
    return target.getvalue()


def _heic() -> bytes:
    try:
        from pillow_heif import register_heif_opener
    except ImportError:
        return b""
    register_heif_opener()
    return picture("HEIF")


def try_uploads() -> list[str]:
    """Send the corpus; return what was wrong."""
    faults = []
    slowest = 0.0
    corpus = uploads()
    with tempfile.TemporaryDirectory() as folder:
        workers = Workers(1)
        workers.wait()
        pid = workers.pids[0]
        with TestClient(app_with(Settings(data=Path(folder)), workers), "http://127.0.0.1") as phone:
            phone.post("/api/join", json={})
            phone.post("/api/scan", content=picture("JPEG"))  # the first scan warms the worker up
            for upload in corpus:
                start = time.monotonic()
                answer = phone.post("/api/scan", content=upload.data)
                took = time.monotonic() - start
                if answer.status_code == 200:
                    told = answer.json()
                    if told["settled"] or told["score"]["points"] is not None:
                        faults.append(f"{upload.name}: scored as {told['score']}.")
                    if upload.size_wh and tuple(told["scene"]["size"]) != upload.size_wh:
                        faults.append(f"{upload.name}: read as {told['scene']['size']}.")
                else:
                    # What is refused is refused at once; a readable photo takes as long as reading takes.
                    slowest = max(slowest, took)
                    if took > LIMIT_S:
                        faults.append(f"{upload.name}: refused after {took:.1f} s.")
                if answer.status_code not in upload.statuses:
                    faults.append(f"{upload.name}: {answer.status_code} {answer.text[:200]}")
        replaced = workers.pids[0] != pid
        memory = _memory_mb(workers.pids[0])
        workers.stop()
    print(f"{len(corpus)} uploads, the slowest refusal after {slowest:.2f} s, worker at most {memory} MB")
    if replaced:
        faults.append("An upload brought the worker down.")
    if memory > MEMORY_MB:
        faults.append(f"The worker took {memory} MB; the bar is {MEMORY_MB} MB.")
    return faults


def _memory_mb(pid: int) -> int:
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    return int(status.split("VmHWM:")[1].split()[0]) // 1024


def try_without_heic() -> list[str]:
    """Send a HEIC photo to a service without the extra that reads it; return what was wrong."""
    heic = _heic()
    if not heic:
        return ["The extra 'heic' is not installed: its photos were not tried."]
    with tempfile.TemporaryDirectory() as folder, patch.dict(sys.modules, {"pillow_heif": None}):
        app = create_app(Settings(data=Path(folder), canary_minutes=0), NoScanner())
        with TestClient(app, "http://127.0.0.1") as phone:
            phone.post("/api/join", json={})
            start = time.monotonic()
            answer = phone.post("/api/scan", content=heic)
            took = time.monotonic() - start
    print(f"HEIC without its extra: {answer.status_code} after {took:.2f} s: {answer.json().get('detail')}")
    if (
        answer.status_code != HTTPStatus.UNSUPPORTED_MEDIA_TYPE
        or "meldsight[heic]" not in answer.text
        or took > LIMIT_S
    ):
        return [f"HEIC without its extra: {answer.status_code} {answer.text[:200]} after {took:.1f} s."]
    return []


def try_schema(examples: int) -> list[str]:
    """Let Schemathesis ask; return what was wrong."""
    with tempfile.TemporaryDirectory() as folder:
        service = Service(f"sqlite:///{folder}/games.sqlite", Path(folder))
        service.start(is_patient=True)
        phone = Phone(service.port, "Schemathesis")
        body = {"rules": "shanghai", "players": ["Ana", "Ben", "Cy"]}
        _, game = phone.ask("POST", "/api/games", body, Idempotency_Key="start-the-game")
        config = Path(folder) / "schemathesis.toml"
        config.write_text(
            f'[parameters]\n"path.game" = "{game["id"]}"\n'
            # These end the device's own token or its game, and with it the test; and one answer has no end.
            + "".join(
                f'[[operations]]\ninclude-name = "{name}"\nenabled = false\n'
                for name in ("DELETE /api/me", "DELETE /api/games/{game}", "GET /api/games/{game}/live")
            ),
            encoding="utf-8",
        )
        command = [
            *(str(Path(sys.executable).with_name("schemathesis")), "--config-file", str(config)),
            *("run", f"http://127.0.0.1:{service.port}/openapi.json", "--header", f"Cookie: {phone.cookie}"),
            *("--checks", "not_a_server_error", "--max-examples", str(examples), "--seed", "7"),
            *("--phases", "examples,coverage,fuzzing", "--workers", "1", "--no-color"),
            # How fast requests are made up says nothing of how they are answered.
            *("--suppress-health-check", "all"),
        ]
        run = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder, env={**os.environ})
        print("\n".join(run.stdout.splitlines()[-25:]), run.stderr[-500:])
        status, _ = phone.insist("GET", f"/api/games/{game['id']}")
        service.kill()
    faults = [] if run.returncode == 0 else ["Schemathesis has found faults: see above."]
    if status != 200:
        faults.append(f"Afterwards the game is answered with {status}.")
    return faults


def main() -> int:
    """Try both, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--examples", type=int, default=25, help="requests that Schemathesis makes up for each route")
    faults = try_uploads() + try_without_heic() + try_schema(parser.parse_args().examples)
    for fault in faults:
        print(f"FAULT: {fault}")
    print("Everything was answered as it should be." if not faults else f"{len(faults)} faults.")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
