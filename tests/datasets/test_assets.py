"""The asset cache: what is pinned is checked, what is missing is said in a sentence."""

import hashlib
import io
import re
import shutil
import subprocess
import tarfile
import zipfile
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from PIL import ImageFont

from datasets import assets
from datasets.assets import PACKAGES, AssetsError, Package

MEMBERS = {
    "art/faces/a.svg": b"A",
    "art/faces/deep/b.svg": b"B",
    "art/faces/c.txt": b"C",
    "other/d.svg": b"D",
}


def wheel(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in MEMBERS.items():
            archive.writestr(name, data)


def npm_pack(path: Path) -> None:
    with tarfile.open(path, "w:gz") as archive:
        for name, data in MEMBERS.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))


def debian_package(path: Path) -> None:
    if shutil.which("dpkg-deb") is None:
        pytest.skip("dpkg-deb is not on this machine.")
    tree = path.parent / "tree"
    for name, data in {
        **MEMBERS,
        "DEBIAN/control": b"Package: art\nVersion: 1\nArchitecture: all\nMaintainer: Nobody <n@example.org>\n"
        b"Description: art\n",
    }.items():
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_bytes(data)
    subprocess.run(["dpkg-deb", "--build", tree, path], check=True, capture_output=True)


@pytest.fixture
def one_package(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, request: pytest.FixtureRequest) -> Package:
    """Let the cache consist of one small package, downloaded from a file beside it."""
    registry, build = request.param
    archive = tmp_path / "archive"
    build(archive)
    digest = hashlib.sha256(archive.read_bytes()).hexdigest()
    package = Package(registry, "art", "1", digest, "CC0-1.0", "art/faces", ("*.svg",))
    monkeypatch.setattr(assets, "PACKAGES", (package,))
    monkeypatch.setattr(assets, "_download", lambda _, folder: Path(shutil.copy(archive, folder / "download")))
    return package


every_registry = pytest.mark.parametrize(
    "one_package",
    [("pypi", wheel), ("npm", npm_pack), ("debian", debian_package)],
    ids=["pypi", "npm", "debian"],
    indirect=True,
)


@every_registry
def test_only_the_wanted_files_are_kept(one_package: Package, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    assets.fetch(cache)
    kept = assets.files(one_package, cache)
    assert [str(path.relative_to(cache / "art")) for path in kept] == ["a.svg", "deep/b.svg"]
    assert [path.read_bytes() for path in kept] == [b"A", b"B"]
    assert [path.name for path in cache.iterdir()] == ["art"]


@every_registry
def test_a_complete_package_is_not_fetched_again(
    one_package: Package, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = tmp_path / "cache"
    assets.fetch(cache)
    monkeypatch.setattr(assets, "_download", lambda *_: pytest.fail("It was downloaded again."))
    assets.fetch(cache)
    assert assets.is_complete(one_package, cache)


@every_registry
def test_a_package_of_another_hash_is_refused_and_leaves_nothing(
    one_package: Package, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = tmp_path / "cache"
    monkeypatch.setattr(assets, "PACKAGES", (replace(one_package, sha256="0" * 64),))
    with pytest.raises(AssetsError, match="art 1 was refused: its SHA-256 is not the pinned one"):
        assets.fetch(cache)
    assert list(cache.iterdir()) == []


@every_registry
def test_a_new_pin_replaces_the_old_package(
    one_package: Package, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = tmp_path / "cache"
    assets.fetch(cache)
    newer = replace(one_package, wanted=("deep/*.svg",))
    assert not assets.is_complete(newer, cache)
    monkeypatch.setattr(assets, "PACKAGES", (newer,))
    assets.fetch(cache)
    assert [path.name for path in assets.files(newer, cache)] == ["b.svg"]


@pytest.mark.parametrize(
    ("package", "tool"),
    [(assets.KENNARD_CARDS, "npm"), (assets.GNOME_CARDS, "apt-get"), (assets.ABD, "pip")],
)
def test_a_client_that_is_missing_is_named(
    package: Package, tool: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(assets, "PACKAGES", (package,))
    monkeypatch.setattr(shutil, "which", lambda _: None)
    with pytest.raises(AssetsError, match=rf"^{tool}.* is needed to fetch .*, and this machine has none\.$"):
        assets.fetch(tmp_path)


def test_a_client_that_fails_is_quoted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess(command, 1, "", "first line\nE404 not found\n")

    monkeypatch.setattr(assets, "PACKAGES", (assets.KENNARD_CARDS,))
    monkeypatch.setattr(shutil, "which", lambda name: name)
    monkeypatch.setattr(subprocess, "run", failing)
    with pytest.raises(AssetsError, match=r"^npm failed at `npm pack .*@0\.5\.0`: E404 not found$"):
        assets.fetch(tmp_path)


def test_lists_of_debian_packages_are_brought_up_to_date_when_one_is_not_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    called = []

    def apt_get(command: list[str], cwd: Path, **_: object) -> subprocess.CompletedProcess[str]:
        called.append(command[1])
        if called == ["download"]:
            return subprocess.CompletedProcess(command, 100, "", "E: Unable to locate package")
        if command[1] == "download":
            (cwd / "art.deb").write_bytes(b"not the pinned file")
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(assets, "PACKAGES", (assets.GNOME_CARDS,))
    monkeypatch.setattr(shutil, "which", lambda name: name)
    monkeypatch.setattr(subprocess, "run", apt_get)
    with pytest.raises(AssetsError, match="was refused"):
        assets.fetch(tmp_path)
    assert called == ["download", "update", "download"]


def test_the_cache_can_be_elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(assets.ENVIRONMENT, str(tmp_path))
    assert assets.default_cache() == tmp_path
    monkeypatch.delenv(assets.ENVIRONMENT)
    assert assets.default_cache() == Path(assets.__file__).parents[1] / ".cache" / "assets"


def test_an_empty_cache_is_an_error_that_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(AssetsError, match=r"run `python -m datasets\.assets` first"):
        assets.fonts(tmp_path)


def test_every_package_is_pinned_and_has_a_folder_of_its_own() -> None:
    assert all(re.fullmatch("[0-9a-f]{64}", package.sha256) for package in PACKAGES)
    assert all(package.licence for package in PACKAGES)
    for key in ("sha256", "folder"):
        assert len({getattr(package, key) for package in PACKAGES}) == len(PACKAGES)


@pytest.fixture(scope="module")
def cache() -> Path:
    """Return the real cache; skip the test where it was never filled."""
    folder = assets.default_cache()
    for package in PACKAGES:
        if not assets.is_complete(package, folder):
            pytest.skip(f"{package.name} is not in {folder}: run `python -m datasets.assets` first.")
    return folder


@pytest.mark.art
def test_every_font_has_a_shape_of_its_own_for_each_index(cache: Path) -> None:
    paths = assets.fonts(cache)
    assert len({path.parent.name for path in paths}) >= 30
    for path in paths:
        font = ImageFont.truetype(str(path), 40)
        drawn = [bytes(font.getmask(text)) for text in ("A", *"23456789", "10", *"JQKOER")]
        # Characters that a font lacks are all drawn as the same box, or not at all.
        assert len(set(drawn)) == len(drawn), path
        assert all(any(mask) for mask in drawn), path


@pytest.mark.art
def test_textures_are_pictures_without_brands(cache: Path) -> None:
    paths = assets.textures(cache)
    assert len(paths) >= 50
    assert not {"can.png", "cereal.png", "soda.png", "steel-brushed.png"} & {path.name for path in paths}
    assert all(min(cv2.imread(str(path)).shape[:2]) >= 200 for path in paths)


@pytest.mark.art
def test_hands_are_cut_out(cache: Path) -> None:
    pictures = [cv2.imread(str(path), cv2.IMREAD_UNCHANGED) for path in assets.hands(cache)]
    assert len(pictures) == 8
    for picture in pictures:
        assert picture.shape[2] == 4
        assert 0.2 < np.mean(picture[..., 3] > 128) < 0.9


@pytest.mark.art
def test_the_starting_weights_are_checked(cache: Path, tmp_path: Path) -> None:
    assert assets.starting_weights(cache).name == "ABD.pt"
    folder = tmp_path / assets.ABD.folder
    folder.mkdir()
    (folder / assets.RECEIPT).write_text(assets.ABD.receipt)
    (folder / "ABD.pt").write_bytes(b"not the checkpoint")
    with pytest.raises(AssetsError, match="is not the pinned checkpoint"):
        assets.starting_weights(tmp_path)
