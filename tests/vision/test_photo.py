"""Bytes to photos: every row of the bad-input table that is about pictures, and every turn of the camera."""

from __future__ import annotations

import contextlib
import io
import struct
import zlib
from collections.abc import Callable

import cv2
import numpy as np
import pytest
from PIL import Image

from vision import photo
from vision.photo import NotAPhotoError, Photo, PhotoError, PhotoTooLargeError, UnsupportedPhotoError, read_photo

ORIENTATION = 0x0112


def picture(width: int = 80, height: int = 60) -> Image.Image:
    """A white picture whose corners are red, green, blue and black, clockwise from the top left."""
    pixels = np.full((height, width, 3), 255, np.uint8)
    high, wide = height // 3, width // 3
    pixels[:high, :wide] = (255, 0, 0)
    pixels[:high, -wide:] = (0, 255, 0)
    pixels[-high:, -wide:] = (0, 0, 255)
    pixels[-high:, :wide] = 0
    return Image.fromarray(pixels)


def encode(image: Image.Image, kind: str, **options: object) -> bytes:
    target = io.BytesIO()
    image.save(target, kind, **options)
    return target.getvalue()


def noisy(kind: str, **options: object) -> bytes:
    pixels = np.random.default_rng(5).integers(0, 255, (120, 160, 3), dtype=np.uint8)
    return encode(Image.fromarray(pixels), kind, **options)


def corners(pixels: np.ndarray) -> list[str]:
    """Names of the four corner colours, clockwise from the top left."""
    names = {(1, 0, 0): "red", (0, 1, 0): "green", (0, 0, 1): "blue", (0, 0, 0): "black", (1, 1, 1): "white"}
    places = [pixels[5, 5], pixels[5, -6], pixels[-6, -6], pixels[-6, 5]]
    return [names[tuple(int(value > 127) for value in place)] for place in places]


UPRIGHT = ["red", "green", "blue", "black"]

# How a camera that writes an orientation stores an upright picture: the inverse of what a reader must do.
STORED: dict[int, Callable[[Image.Image], Image.Image]] = {
    1: lambda image: image,
    2: lambda image: image.transpose(Image.Transpose.FLIP_LEFT_RIGHT),
    3: lambda image: image.transpose(Image.Transpose.ROTATE_180),
    4: lambda image: image.transpose(Image.Transpose.FLIP_TOP_BOTTOM),
    5: lambda image: image.transpose(Image.Transpose.TRANSPOSE),
    6: lambda image: image.transpose(Image.Transpose.ROTATE_90),
    7: lambda image: image.transpose(Image.Transpose.TRANSVERSE),
    8: lambda image: image.transpose(Image.Transpose.ROTATE_270),
}


def turned(orientation: int) -> tuple[Image.Image, Image.Exif]:
    exif = Image.Exif()
    exif[ORIENTATION] = orientation
    return STORED[orientation](picture()), exif


@pytest.fixture(autouse=True, params=["whole", "at half"])
def many_pixels(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Small pictures are decoded whole; once as if they were large, which are decoded at half their sides first."""
    if request.param == "at half":
        monkeypatch.setattr(photo, "MANY_PIXELS", 0)


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
def test_every_orientation_is_read_upright(kind: str, orientation: int) -> None:
    image, exif = turned(orientation)
    read = read_photo(encode(image, kind, exif=exif))
    assert read.size_wh == (80, 60)
    assert corners(read.pixels) == UPRIGHT


@pytest.mark.parametrize("orientation", range(1, 9))
def test_a_transparent_picture_is_turned_as_well(orientation: int) -> None:
    image, exif = turned(orientation)
    read = read_photo(encode(image.convert("RGBA"), "PNG", exif=exif))
    assert corners(read.pixels) == UPRIGHT


def test_the_orientation_of_a_heic_photo_is_applied_once() -> None:
    heif = pytest.importorskip("pillow_heif", reason="the extra 'heic' is not installed")
    for orientation in range(1, 9):
        image, exif = turned(orientation)
        target = io.BytesIO()
        heif.from_pillow(image).save(target, quality=90, exif=exif.tobytes())
        read = read_photo(target.getvalue())
        assert corners(read.pixels) == UPRIGHT, orientation
        assert read.size_wh == (80, 60)


@pytest.mark.parametrize(
    ("kind", "mode"),
    [
        ("JPEG", "L"),
        ("JPEG", "CMYK"),
        ("PNG", "1"),
        ("PNG", "L"),
        ("PNG", "LA"),
        ("PNG", "P"),
        ("PNG", "RGBA"),
        ("WEBP", "RGBA"),
    ],
)
def test_every_colour_mode_becomes_rgb(kind: str, mode: str) -> None:
    read = read_photo(encode(picture().convert(mode), kind))
    assert read.pixels.dtype == np.uint8
    assert read.pixels.shape == (60, 80, 3)
    if mode in ("L", "LA", "1"):
        assert (read.pixels[..., 0] == read.pixels[..., 2]).all()
        assert read.pixels[30, 40].min() > 200
        assert read.pixels[-6, 5].max() < 50
    else:
        assert corners(read.pixels) == UPRIGHT


@pytest.mark.parametrize("channels", [1, 3])
def test_sixteen_bits_are_scaled_to_eight(channels: int) -> None:
    ramp = np.linspace(0, 65535, 60 * 80, dtype=np.uint16).reshape(60, 80)
    stored = ramp if channels == 1 else np.repeat(ramp[..., None], 3, axis=2)
    data = cv2.imencode(".png", stored)[1].tobytes()
    assert np.abs(read_photo(data).pixels[..., 0].astype(int) - ramp // 257).max() <= 1


def test_transparent_parts_turn_white() -> None:
    clear = Image.new("RGBA", (40, 40), (0, 0, 0, 0))
    assert read_photo(encode(clear, "PNG")).pixels.min() == 255


@pytest.mark.parametrize("kind", ["WEBP", "PNG"])
def test_the_first_frame_of_an_animation_counts(kind: str) -> None:
    data = encode(picture(), kind, save_all=True, append_images=[Image.new("RGB", (80, 60))], duration=100)
    assert corners(read_photo(data).pixels) == UPRIGHT


def test_progressive_jpeg_is_read() -> None:
    assert corners(read_photo(encode(picture(), "JPEG", progressive=True)).pixels) == UPRIGHT


def test_bytes_after_the_end_are_passed_over() -> None:
    """Phones append a short film to a JPEG; the photo is all there."""
    assert corners(read_photo(encode(picture(), "JPEG") + b"\0" * 5000).pixels) == UPRIGHT


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
@pytest.mark.parametrize("share", [0.05, 0.5, 0.95, 0.999])
def test_a_picture_cut_short_is_refused(kind: str, share: float) -> None:
    data = noisy(kind)
    with pytest.raises(NotAPhotoError, match="damaged or cut short"):
        read_photo(data[: int(len(data) * share)])


def test_a_progressive_picture_cut_short_is_refused() -> None:
    data = noisy("JPEG", progressive=True)
    with pytest.raises(NotAPhotoError, match="damaged or cut short"):
        read_photo(data[: len(data) // 2])


@pytest.mark.parametrize(
    ("data", "error", "words"),
    [
        (b"", NotAPhotoError, "empty (0 bytes)"),
        (b"dear sir", NotAPhotoError, "not a picture"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", NotAPhotoError, "not a picture"),
        (b"\xff\xd8\xff", NotAPhotoError, "damaged"),
        (b"\x89PNG\r\n\x1a\n", NotAPhotoError, "damaged"),
        (b"RIFF\x10\0\0\0WEBPVP8 ", NotAPhotoError, "damaged"),
        (b"%PDF-1.7", UnsupportedPhotoError, "a PDF file"),
        (encode(picture(), "GIF"), UnsupportedPhotoError, "a GIF file"),
        (encode(picture(), "TIFF"), UnsupportedPhotoError, "a TIFF file"),
        (encode(picture(), "BMP"), UnsupportedPhotoError, "a BMP file"),
        (b"\0\0\0\x1cftypavif\0\0\0\0avifmif1miaf", UnsupportedPhotoError, "an AVIF picture"),
        (b"\0\0\0\x18ftypmp42\0\0\0\0isommp42", UnsupportedPhotoError, "a video"),
    ],
)
def test_other_bytes_get_a_sentence(data: bytes, error: type[PhotoError], words: str) -> None:
    with pytest.raises(error) as caught:
        read_photo(data)
    text = str(caught.value)
    assert words in text
    assert text.endswith(".")
    assert "\n" not in text


def test_the_bytes_say_what_a_picture_is_whatever_its_name() -> None:
    """A wrong extension or content type is never looked at: there is no place to give one."""
    assert read_photo(encode(picture(), "PNG")).size_wh == (80, 60)


def test_heic_without_the_extra_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(photo, "_reads_heic", lambda: False)
    with pytest.raises(UnsupportedPhotoError, match=r"meldsight\[heic\]"):
        read_photo(b"\0\0\0\x18ftypheic\0\0\0\0mif1heic" + b"\0" * 64)


def test_a_damaged_heic_photo_is_refused() -> None:
    pytest.importorskip("pillow_heif", reason="the extra 'heic' is not installed")
    with pytest.raises(NotAPhotoError, match="HEIC picture is damaged"):
        read_photo(b"\0\0\0\x18ftypheic\0\0\0\0mif1heic" + b"\0" * 64)


def test_too_many_bytes_are_refused_unread() -> None:
    with pytest.raises(PhotoTooLargeError, match="larger than 15 MB"):
        read_photo(b"\xff\xd8\xff" + bytes(photo.MAX_BYTES))


def png_claiming(width: int, height: int) -> bytes:
    """A PNG of a few hundred bytes whose header claims a size; its data stops at once."""

    def chunk(name: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    data = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(bytes(100))) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + data


@pytest.mark.parametrize(
    ("width", "height"),
    [(8000, 6251), (12_001, 10), (10, 12_001), (9000, 9000), (12_000, 12_000), (60_000, 60_000)],
)
def test_too_many_pixels_are_refused_from_the_header(monkeypatch: pytest.MonkeyPatch, width: int, height: int) -> None:
    def forbidden(*_: object) -> None:
        raise AssertionError("decoded")

    monkeypatch.setattr(photo, "_decode", forbidden)
    monkeypatch.setattr(photo, "_decode_with_pillow", forbidden)
    with pytest.raises(PhotoTooLargeError, match="pixels"):
        read_photo(png_claiming(width, height))


def test_a_picture_at_the_limit_passes_the_header(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(photo, "_decode", lambda *_: np.zeros((1, 1, 3), np.uint8))
    assert read_photo(png_claiming(8000, 6250)).size_wh == (1, 1)


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
def test_random_damage_never_escapes_as_another_error(kind: str) -> None:
    rng = np.random.default_rng(11)
    whole = noisy(kind)
    outcomes = set()
    for _ in range(80):
        damaged = bytearray(whole)
        for place in rng.integers(0, min(len(damaged), 2000), 4):
            damaged[place] = int(rng.integers(256))
        with contextlib.suppress(PhotoError):
            outcomes.add(read_photo(bytes(damaged)).pixels.ndim)
    assert outcomes <= {3}


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
def test_a_refusal_is_told_by_the_error_alone(kind: str, capfd: pytest.CaptureFixture[str]) -> None:
    """The decoders' own complaints would be more lines on a command's stderr."""
    data = noisy(kind)
    middle = len(data) // 2
    for damaged in (data[:middle], data[:-20], data[:middle] + bytes(64) + data[middle + 64 :]):
        try:
            read_photo(damaged)
        except NotAPhotoError:
            assert capfd.readouterr() == ("", "")
        capfd.readouterr()


def smooth(width: int = 400, height: int = 300) -> np.ndarray:
    y, x = np.mgrid[:height, :width]
    return np.dstack([x * 255 // width, y * 255 // height, (x + y) * 255 // (width + height)]).astype(np.uint8)


@pytest.mark.parametrize("orientation", [1, 6])
def test_a_large_jpeg_is_decoded_whole_only_when_asked_for(orientation: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(photo, "MANY_PIXELS", 400 * 300)
    exif = Image.Exif()
    exif[ORIENTATION] = orientation
    data = encode(STORED[orientation](Image.fromarray(smooth())), "JPEG", exif=exif, quality=95)
    decoded = []
    decode = photo._decode
    monkeypatch.setattr(photo, "_decode", lambda *arguments: decoded.append(arguments[2:]) or decode(*arguments))
    seen = read_photo(data)
    assert seen.size_wh == (400, 300)
    assert [seen.level(number).shape for number in (1, 2)] == [(150, 200, 3), (75, 100, 3)]
    assert decoded == [(photo.HALF,)]
    expected = cv2.resize(smooth(), (200, 150), interpolation=cv2.INTER_AREA)
    assert np.abs(seen.level(1).astype(int) - expected).mean() < 2
    assert np.abs(seen.pixels.astype(int) - smooth()).mean() < 2
    assert decoded == [(photo.HALF,), ()]
    assert seen.pixels is seen.pixels


@pytest.mark.parametrize(("width", "height"), [(401, 300), (400, 299), (398, 300)])
def test_a_jpeg_of_odd_sides_or_few_pixels_is_decoded_whole(
    width: int, height: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(photo, "MANY_PIXELS", 399 * 300)
    seen = read_photo(encode(Image.fromarray(smooth(width, height)), "JPEG", quality=95))
    assert seen.size_wh == (width, height)
    np.testing.assert_array_equal(seen.level(0), seen.pixels)
    assert seen.level(1).shape == (height // 2, width // 2, 3)


def test_a_picture_that_is_halved_but_not_decoded_whole_is_called_damaged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(photo, "MANY_PIXELS", 0)
    imdecode = cv2.imdecode
    monkeypatch.setattr(cv2, "imdecode", lambda data, how: imdecode(data, how) if how == photo.HALF else None)
    seen = read_photo(encode(picture(), "JPEG"))
    with pytest.raises(NotAPhotoError, match="damaged or cut short"):
        _ = seen.pixels


def test_a_photo_halves_as_far_as_there_are_pixels() -> None:
    seen = Photo(np.zeros((5, 300, 3), np.uint8))
    assert [seen.level(number).shape[:2] for number in range(3)] == [(5, 300), (2, 150), (1, 75)]
    assert [seen.halvings(step) for step in (0.3, 1.9, 2.0, 4.5, 1e6)] == [0, 0, 1, 2, 2]
