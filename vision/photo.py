"""Photos: from the bytes of a picture file to upright pixels, with limits that hold before decoding."""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable
from functools import cache, partial

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageOps

MAX_BYTES = 15_000_000
MAX_PIXELS = 50_000_000
MAX_SIDE = 12_000
"""Longest side in pixels."""
MANY_PIXELS = 4_000_000
"""A JPEG picture of so many is decoded at half its sides, in less than half the time, and whole only where a small
index asks for it."""
HALF = cv2.IMREAD_COLOR_RGB | cv2.IMREAD_REDUCED_GRAYSCALE_2
"""OpenCV's flags for RGB at half the sides: the second one's name notwithstanding, it alone sets no colours."""

# Pillow only warns about pictures between one and two times its own limit.
warnings.filterwarnings("error", category=Image.DecompressionBombWarning)

_READABLE = "JPEG, PNG, WebP or HEIC"
_HEIC_BRANDS = {b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"mif1", b"msf1"}
_AVIF_BRANDS = {b"avif", b"avis"}
_OTHER_STARTS = {
    b"GIF8": "GIF",
    b"BM": "BMP",
    b"II*\0": "TIFF",
    b"MM\0*": "TIFF",
    b"%PDF": "PDF",
    b"8BPS": "Photoshop",
}


class PhotoError(ValueError):
    """A picture file that is not read; the message is a sentence for the player."""


class PhotoTooLargeError(PhotoError):
    """More bytes or pixels than the limits allow."""


class NotAPhotoError(PhotoError):
    """Bytes that are no picture, or a picture file that is damaged."""


class UnsupportedPhotoError(PhotoError):
    """A picture of a format that is not read here."""


class Photo:
    """An upright photo, at full size and, once asked for, at halves of it.

    Args:
        pixels: (H, W, 3) RGB.

    >>> photo = Photo(np.zeros((9, 20, 3), np.uint8))
    >>> photo.size_wh, photo.level(2).shape
    ((20, 9), (2, 5, 3))
    """

    def __init__(self, pixels: NDArray[np.uint8]) -> None:
        height, width = pixels.shape[:2]
        self.size_wh = width, height
        """Width and height in pixels."""
        self._levels = {0: pixels}
        self._whole: Callable[[], NDArray[np.uint8]] = lambda: pixels

    @classmethod
    def seen_at_half(cls, half: NDArray[np.uint8], whole: Callable[[], NDArray[np.uint8]]) -> Photo:
        """Return a photo of even sides of which, for the time being, only the half is decoded.

        Args:
            half: (H / 2, W / 2, 3) RGB.
            whole: decodes (H, W, 3) RGB when it is needed.
        """
        photo = cls(half)
        photo.size_wh = 2 * photo.size_wh[0], 2 * photo.size_wh[1]
        photo._levels, photo._whole = {1: half}, whole
        return photo

    @property
    def pixels(self) -> NDArray[np.uint8]:
        """(H, W, 3) RGB, all that the file holds."""
        return self.level(0)

    def level(self, number: int) -> NDArray[np.uint8]:
        """Return the picture halved so many times, as far as it has pixels; odd last rows and columns are left out."""
        if number not in self._levels:
            self._levels[number] = _halved(self.level(number - 1)) if number else self._whole()
        return self._levels[number]

    def halvings(self, step: float) -> int:
        """Return how often to halve so that ``step`` pixels of the full picture become one or two."""
        return max(0, min(int(np.log2(max(step, 1))), int(np.log2(max(min(self.size_wh), 1)))))


def _halved(pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    height, width = (side // 2 for side in pixels.shape[:2])
    even = pixels[: 2 * height, : 2 * width]
    return np.asarray(cv2.resize(even, (width, height), interpolation=cv2.INTER_AREA), np.uint8)


def read_photo(data: bytes) -> Photo:
    """Return the picture in ``data`` upright, as its EXIF orientation says, in 8-bit RGB.

    Grey, palette, CMYK and 16-bit pictures are converted, transparent parts turn white, and of an
    animation the first frame counts. Bytes and pixels are checked before anything is decoded.

    Args:
        data: a JPEG, PNG or WebP file, or HEIC where pillow-heif is installed. What the bytes are
            is read from the bytes alone.

    Raises:
        PhotoTooLargeError: if ``data`` is above ``MAX_BYTES``, or the picture above ``MAX_PIXELS``
            or ``MAX_SIDE``.
        NotAPhotoError: if ``data`` is empty, no picture, cut short or damaged.
        UnsupportedPhotoError: if the format is not read here.
    """
    if len(data) > MAX_BYTES:
        raise too_many_bytes()
    kind = _kind(data)
    try:
        with Image.open(io.BytesIO(data), formats=[kind]) as header:
            width, height = header.size
            _check_size(width, height)
            if kind == "PNG":
                # Compares the checksums of its parts, of which libpng would complain on stderr.
                header.verify()
            if kind == "HEIF" or header.has_transparency_data:
                photo = Photo(_decode_with_pillow(data, kind))
            elif kind == "JPEG" and width * height >= MANY_PIXELS and width % 2 == height % 2 == 0:
                # All of the file is gone through for the half too, so that damage shows now.
                photo = Photo.seen_at_half(_decode(data, kind, HALF), partial(_decode, data, kind))
            else:
                photo = Photo(_decode(data, kind))
    except PhotoError:
        raise
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        raise PhotoTooLargeError(
            f"The picture has far too many pixels; at most {MAX_PIXELS // 10**6} million are read."
        ) from error
    except Exception as error:  # Readers of picture files raise whatever hostile bytes make them trip over.
        raise _damaged(kind) from error
    return photo


def too_many_bytes() -> PhotoTooLargeError:
    """Return the error for a file above ``MAX_BYTES``, also for those who count while receiving it."""
    return PhotoTooLargeError(f"The picture is larger than {MAX_BYTES // 10**6} MB, the most that is read.")


def _kind(data: bytes) -> str:
    """Return Pillow's name of the format that the first bytes show."""
    if not data:
        raise NotAPhotoError(f"The picture is empty (0 bytes); a {_READABLE} photo was expected.")
    if data.startswith(b"\xff\xd8\xff"):
        return "JPEG"
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return "PNG"
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "WEBP"
    if data[4:8] == b"ftyp":
        brands = _brands(data)
        if brands & _AVIF_BRANDS:
            raise _unsupported("an AVIF picture")
        if brands & _HEIC_BRANDS:
            if not _reads_heic():
                raise UnsupportedPhotoError(
                    "This is a HEIC photo, which needs the extra 'heic' (pip install 'meldsight[heic]'); "
                    "a JPEG photo is read without it."
                )
            return "HEIF"
        raise _unsupported("a video or an unknown kind of picture")
    for start, name in _OTHER_STARTS.items():
        if data.startswith(start):
            raise _unsupported(f"a {name} file")
    raise NotAPhotoError(f"This is not a picture; a {_READABLE} photo was expected.")


def _brands(data: bytes) -> set[bytes]:
    """Return the brands that the ``ftyp`` box of an ISO media file lists (ISO/IEC 14496-12, 4.3)."""
    box = data[: min(int.from_bytes(data[:4], "big"), 512)]
    return {box[8:12], *(box[start : start + 4] for start in range(16, len(box) - 3, 4))}


@cache
def _reads_heic() -> bool:
    try:
        import pillow_heif
    except ImportError:
        return False
    pillow_heif.register_heif_opener()
    return True


def _check_size(width: int, height: int) -> None:
    if width * height > MAX_PIXELS or max(width, height) > MAX_SIDE:
        raise PhotoTooLargeError(
            f"The picture has {width} × {height} pixels; at most {MAX_PIXELS // 10**6} million "
            f"and {MAX_SIDE} on a side are read."
        )


def _decode(data: bytes, kind: str, how: int = cv2.IMREAD_COLOR_RGB) -> NDArray[np.uint8]:
    """Return the pixels by OpenCV, which is twice as fast as Pillow and turns by EXIF itself."""
    try:
        pixels = cv2.imdecode(np.frombuffer(data, np.uint8), how)
    except cv2.error as error:
        raise _damaged(kind) from error
    if pixels is None:
        raise _damaged(kind)
    return np.asarray(pixels, dtype=np.uint8)


def _decode_with_pillow(data: bytes, kind: str) -> NDArray[np.uint8]:
    """Return the pixels of a HEIC or transparent picture, which OpenCV refuses or shows on black."""
    with Image.open(io.BytesIO(data), formats=[kind]) as stored:
        image = ImageOps.exif_transpose(stored)
        if image.has_transparency_data:
            image = image.convert("RGBA")
            image = Image.alpha_composite(Image.new("RGBA", image.size, "white"), image)
        return np.array(image.convert("RGB"))


def _unsupported(what: str) -> UnsupportedPhotoError:
    return UnsupportedPhotoError(f"This is {what}; a {_READABLE} photo was expected.")


def _damaged(kind: str) -> NotAPhotoError:
    name = {"HEIF": "HEIC", "WEBP": "WebP"}.get(kind, kind)
    return NotAPhotoError(f"The {name} picture is damaged or cut short; take or send it once more.")
