"""Photos: from the bytes of a picture file to upright pixels, with limits that hold before decoding."""

from __future__ import annotations

import io
import warnings
from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageOps

MAX_BYTES = 15_000_000
MAX_PIXELS = 50_000_000
MAX_SIDE = 12_000
"""Longest side in pixels."""

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


@dataclass(frozen=True, eq=False, slots=True)
class Photo:
    """An upright photo."""

    pixels: NDArray[np.uint8]
    """(H, W, 3) RGB."""

    @property
    def size_wh(self) -> tuple[int, int]:
        """Width and height in pixels.

        >>> Photo(np.zeros((3, 4, 3), np.uint8)).size_wh
        (4, 3)
        """
        height, width = self.pixels.shape[:2]
        return width, height


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
            _check_size(*header.size)
            if kind == "PNG":
                # Compares the checksums of its parts, of which libpng would complain on stderr.
                header.verify()
            if kind == "HEIF" or header.has_transparency_data:
                pixels = _decode_with_pillow(data, kind)
            else:
                pixels = _decode(data)
    except PhotoError:
        raise
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        raise PhotoTooLargeError(
            f"The picture has far too many pixels; at most {MAX_PIXELS // 10**6} million are read."
        ) from error
    except Exception as error:  # Readers of picture files raise whatever hostile bytes make them trip over.
        raise _damaged(kind) from error
    return Photo(pixels)


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


def _decode(data: bytes) -> NDArray[np.uint8]:
    """Return the pixels by OpenCV, which is twice as fast as Pillow and turns by EXIF itself."""
    pixels = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR_RGB)
    if pixels is None:
        raise ValueError("OpenCV decodes nothing.")
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
