"""The packaged card art, fonts, textures and starting weights: pinned, hash-checked, in one folder.

``python -m datasets.assets`` fills the cache: ``--cache DIR``, else ``$MELDSIGHT_ASSETS``, else
``.cache/assets`` beside the packages. Each package is downloaded by its own registry's client, refused
when its SHA-256 differs, and only the files in use are kept, in ``CACHE/PACKAGE/``. Nothing in a package
is ever run or imported.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path, PurePosixPath
from typing import IO, Literal

ENVIRONMENT = "MELDSIGHT_ASSETS"
"""Environment variable that names another cache folder."""

RECEIPT = "RECEIPT"
"""File written last into a package's folder: it is complete, and this is what it holds."""


class AssetsError(RuntimeError):
    """A package that cannot be fetched or is not what was pinned, or art that was never fetched."""


@dataclass(frozen=True)
class Package:
    """A pinned package and the files of it that are used."""

    registry: Literal["debian", "npm", "pypi"]
    name: str
    version: str
    sha256: str
    licence: str
    root: str
    """Folder inside the archive from which kept files are named."""
    wanted: tuple[str, ...]
    """Patterns of the files to keep, relative to ``root``."""

    @property
    def folder(self) -> str:
        """Name of the package's folder in the cache.

        >>> next(package.folder for package in PACKAGES if package.registry == "npm")
        'heruka_urgyen-react-playing-cards'
        """
        return self.name.removeprefix("@").replace("/", "-")

    @property
    def receipt(self) -> str:
        """What the complete package's receipt says."""
        wanted = " ".join(self.wanted)
        return f"{self.name} {self.version}\nsha256 {self.sha256}\nlicence {self.licence}\nfiles {wanted}\n"


def _font(name: str, version: str, sha256: str, licence: str, *files: str) -> Package:
    """Return a Debian font package; its files are kept without their folders."""
    return Package("debian", f"fonts-{name}", version, sha256, licence, "usr/share/fonts", files)


FONTS: tuple[Package, ...] = (
    _font(
        "dejavu-core",
        "2.37-6",
        "8892669e51aab4dc56682c8e39d8ddb7d70fad83c369344e1e240bf3ca22bb76",
        "Bitstream Vera",
        "DejaVuSans-Bold.ttf",
        "DejaVuSansMono-Bold.ttf",
        "DejaVuSerif-Bold.ttf",
    ),
    _font(
        "adf-baskervald",
        "0.20190904-2",
        "37cde81816c0935d16d3b8cc78e844c313f0e4e05f598ffe4d01c230c7096456",
        "GPL-2+ with font exception",
        "BaskervaldADFStd-Bold.otf",
    ),
    _font(
        "adf-berenis",
        "0.20190904-2",
        "5fffc2c9e0ab8b59aa9fc10731d999404a7ea7336d3ad901d43a2102f230de92",
        "GPL-2+ with font exception",
        "BerenisADFPro-Bold.otf",
    ),
    _font(
        "adf-gillius",
        "0.20190904-2",
        "75c5f6ecc9f289c2a2146034b6e00d46d57cce818a7394fba8bb0543fab9f64e",
        "GPL-2+ with font exception",
        "GilliusADF-Bold.otf",
        "GilliusADF-BoldCond.otf",
    ),
    _font(
        "adf-romande",
        "0.20190904-2",
        "a38d2e6722e429c7d1c4bafbdb6ea78880cf3356eb0996a2ba6e10510dd515c1",
        "GPL-2+ with font exception",
        "RomandeADFStd-DemiBold.otf",
    ),
    _font(
        "adf-switzera",
        "0.20190904-2",
        "a447c3bb80634d16f38427acf20a3bbfa0b615152ba083f075488cf4fc1bf270",
        "GPL-2+ with font exception",
        "SwitzeraADF-BoldCond.otf",
        "SwitzeraADF-BoldExt.otf",
    ),
    _font(
        "adf-tribun",
        "0.20190904-2",
        "de1ea9e2bd8c1cccc7a9f7ded002c9e82ea4535ceb2c9ece12c10d43945c5082",
        "GPL-2+ with font exception",
        "TribunADFStd-BoldCond.otf",
    ),
    _font(
        "adf-universalis",
        "0.20190904-2",
        "f1bd2a52a68b6a657c501432d3a539fab7e902c364e804233e76119b854c0e61",
        "GPL-2+ with font exception",
        "UniversalisADFStd-BoldCond.otf",
    ),
    _font(
        "averia-serif-gwf",
        "1.00-2.1",
        "bd85bd2fa5c8db8a5ffb994d6aa327b0df6247d0c490485bc0d80f3d0677a212",
        "OFL-1.1",
        "AveriaSerifGWF-Bold.ttf",
    ),
    _font(
        "bebas-neue",
        "3.0-2",
        "fdc713c8323e967f17e0f86fdda358af11b905bb4732551afbff75decdfd2bb4",
        "OFL-1.1",
        "BebasNeue-Bold.otf",
    ),
    _font(
        "cabin",
        "1.5-3",
        "3a7a7d6057956273b1afa22534383896e2901bcb98439033d8e7852223365238",
        "OFL-1.1",
        "Cabin-Bold.otf",
    ),
    _font(
        "cantarell",
        "0.303.1-1",
        "8fdf5687d9e2ce70456664519025a6b48fbaaadbc5b1cfbf8b09f72c2dc5f09b",
        "OFL-1.1",
        "Cantarell-ExtraBold.otf",
    ),
    _font(
        "century-catalogue",
        "001.001-8",
        "e75641b0ba012c9efacd28c27a0405e27075679713b0ef60ad47713b0f12a298",
        "OFL-1.0",
        "Century-Catalogue.ttf",
    ),
    _font(
        "comfortaa",
        "3.001-3",
        "33c65e81b201177a56e6528f7ea5fd6b19f2db0bb6f4f95346b9483691851929",
        "OFL-1.1",
        "Comfortaa-Bold.ttf",
    ),
    _font(
        "comic-neue",
        "2.51-4",
        "6f002dc90d62fde01a2b51f333c09dc6c21ffbfc6ca22d05a84cc049b083c826",
        "OFL-1.1",
        "ComicNeue-Bold.otf",
    ),
    _font(
        "courier-prime",
        "0+git20190115-3",
        "6f827dd190446abbf83972f01e3f0db2c980e73bd6fb85b56d9d9a8f1755149f",
        "OFL-1.1",
        "Courier Prime Bold.otf",
    ),
    _font(
        "crosextra-caladea",
        "20200211-1",
        "dd51af7629df5a2f3799f889cdf63d5abdda32e94e5de59398f728d98604a240",
        "Apache-2.0",
        "Caladea-Bold.ttf",
    ),
    _font(
        "crosextra-carlito",
        "20220224-1",
        "673689e3a887cd150ca5018c26e1a4162709add3a1bdc0a2527af6fd073980d7",
        "OFL-1.1",
        "Carlito-Bold.ttf",
    ),
    _font(
        "dosis",
        "1.7-3",
        "5e830fdfeeec1e34fe0909c3374fd209351f3398bbf20bbb486f9e5069e075f3",
        "OFL-1.1",
        "Dosis-Bold.otf",
    ),
    _font(
        "dustin",
        "20030517-14",
        "4f74523ed2f3987279478a06933694ea91dadbe607b1c4077a25ca48c52ad3a7",
        "GPL-2+",
        "Dustismo_Roman_Bold.ttf",
    ),
    _font(
        "georgewilliams",
        "20031023-3",
        "5e344d7cb52b4530109456c35e7f64c571b7060f0298224a7ed605e6e3f0e8ea",
        "OFL-1.1 or BSD-3-clause",
        "CaslonBold.ttf",
        "Caslon-Black.ttf",
    ),
    _font(
        "gfs-didot",
        "1.1-7",
        "2addbd2cdb7d938878e8e7ccdf943004c55d1312a6a8ec5e07914a57246178db",
        "OFL-1.1",
        "GFSDidotBold.otf",
    ),
    _font(
        "gnutypewriter",
        "1.0-2",
        "9ed382b500341c1a5dc512b065935d6eb976b6c70a5f33c75a1c3404ff131995",
        "OFL-1.1",
        "GNUTypewriter.ttf",
    ),
    _font(
        "jura",
        "5.103-3",
        "4fa907bfa547d7a24d554330d1be0a74a65c01f168ce9e175242b837be1f3510",
        "OFL-1.1",
        "Jura-Bold.otf",
    ),
    _font(
        "lato",
        "2.0-2.1",
        "86f50af146a7df9eca4e69f0262e73e708908435ebfa833df797adfa08843bc5",
        "OFL-1.1",
        "Lato-Black.ttf",
    ),
    _font(
        "league-spartan",
        "2.210-1",
        "4d1fc96447aa615855e8b7a0afc534c761446ef2ddc6a6259382ec99f1f8929e",
        "OFL-1.1",
        "LeagueSpartan-Bold.otf",
    ),
    _font(
        "linuxlibertine",
        "5.3.0-6",
        "5c77471e910189b3e4e2eda2b1c5f549ddcaf4de8f9640b97773643970d29087",
        "GPL-2+ with font exception or OFL-1.1",
        "LinBiolinum_RB.otf",
        "LinLibertine_DR.otf",
        "LinLibertine_RB.otf",
    ),
    _font(
        "lobster",
        "2.0-2.1",
        "9379824d3f3bc44844aa07cb9ad4e6bfd99a785e34668c5dba410947b715dc1b",
        "OFL-1.1",
        "lobster.otf",
    ),
    _font(
        "national-park",
        "0.0~20220205-2",
        "27364a8f483c2bd1c5d9e239e20e00733d3db8a7f51424b88e4116fae5b958d3",
        "OFL-1.1",
        "NationalPark-Heavy.otf",
    ),
    _font(
        "oldstandard",
        "2.2really-4",
        "c8c240cf91654f9ae5357b123436612c05820259dd5569f1c090185cb2ec1fdd",
        "OFL-1.0",
        "OldStandard-Bold.ttf",
        "OldStandard-Regular.ttf",
    ),
    _font(
        "open-sans",
        "1.11-2",
        "ed8c4258af6c23e5105fa18940544f060f3c9664fbe881f25130fe0c65bc1485",
        "Apache-2.0",
        "OpenSans-Bold.ttf",
        "OpenSans-CondBold.ttf",
    ),
    _font(
        "opendin",
        "1.0-4",
        "167c563edfbf0df0b9cf5935aec311fb3ed00b88c42a83f757283bb756410280",
        "OFL-1.1",
        "OSP-DIN.ttf",
    ),
    _font(
        "paratype",
        "20181108-3",
        "1826b728a79fbb8ed1b6c1ddc240ad6cce39b84c98bb568d8b10f7b7d4f99745",
        "ParaType Free Font License",
        "PTF75F.ttf",
        "PTN77F.ttf",
    ),
    _font(
        "play",
        "1.002+20150307.1-0.1",
        "274f6e95f668f1fff3441056e968a4c947ac975b29000d9c513bd06bb7f7f9d4",
        "OFL-1.1",
        "Play-Bold.ttf",
    ),
    _font(
        "quattrocento",
        "1.1-2.1",
        "e59b8d429493e785cf16ac84b132e302ecb52fb06f0c309f46bdea045c9fc2eb",
        "OFL-1.1",
        "Quattrocento-Regular.otf",
    ),
    _font(
        "quicksand",
        "0.2016-2.1",
        "1175e5c64f116887b37ec3c8faea1f411bdef356580bc22298c3c9da75fac120",
        "OFL-1.1",
        "Quicksand-Bold.ttf",
    ),
    _font(
        "roadgeek",
        "3.1-3",
        "d32d92d14515b3da7f9f180759cab4d413286f14fbfef049f5b0746d2c9a6d01",
        "MIT",
        "RG2014C.ttf",
        "RG2014EM.ttf",
    ),
    _font(
        "roboto-slab",
        "1.100263+20170512-2",
        "bbc315d672de850a7c980bc2283e41b4f322fd5a2b2bb2d00f07c15983b950b1",
        "Apache-2.0",
        "RobotoSlab-Bold.otf",
    ),
    _font(
        "roboto-unhinted",
        "2:0~20170802-3",
        "f89cf7d8a589489daecf750031ec50456ab3e648d49ff544f0f08753268fbd91",
        "Apache-2.0",
        "Roboto-Black.ttf",
        "RobotoCondensed-Bold.ttf",
    ),
    _font(
        "staypuft",
        "0.04-10",
        "070b9ec5e45b843ecc6226a317bb10e8d0c10d3fee6dfdcd138d6ebb471a54c5",
        "LGPL-2+",
        "StayPuft.ttf",
    ),
    _font(
        "tuffy",
        "20120614-2.1",
        "e77e30607b5653a109f2e4a6527c43df55c7d7a6c23e77f8734a86110e6cbd08",
        "public domain",
        "Tuffy_Bold.ttf",
    ),
    _font(
        "urw-base35",
        "20200910-7",
        "93e4997c99c4c31ea88c5d37e2259af0a0c826b9358931d5a69f794f7f0c73ac",
        "AGPL-3 with font exception",
        "C059-Bold.otf",
        "NimbusMonoPS-Bold.otf",
        "NimbusRoman-Bold.otf",
        "NimbusSans-Bold.otf",
        "NimbusSansNarrow-Bold.otf",
        "P052-Bold.otf",
        "URWBookman-Demi.otf",
        "URWGothic-Demi.otf",
    ),
    _font(
        "yanone-kaffeesatz",
        "2.0+git20211102+ds-1",
        "f877e8ad4fd0aa8c20ac104c9eef69b54dcdc93e2e0d09a01fe5acfc89371980",
        "OFL-1.1",
        "YanoneKaffeesatz-Bold.otf",
    ),
)
"""Faces that a card index may be set in: they have upright lining numerals, A, J, Q, K and JOKER."""

GNOME_CARDS = Package(
    "debian",
    "gnome-cards-data",
    "1:3.22.23-1",
    "54ef445826dd7701d3ea83f999fbc8f058d304b714732425b23cde5c632596e0",
    "GPL-3+",
    "usr/share/aisleriot/cards",
    ("*.svgz",),
)
KDE_CARDS = Package(
    "debian",
    "kdegames-card-data-kf5",
    "4:22.12.3-1",
    "af0f00a97b8272bb9f8b497855716a41d2c694748eb0a6b3b3e691b692c4a9a6",
    "GPL-2+",
    "usr/share/carddecks",
    ("*/*.svgz",),
)
KENNARD_CARDS = Package(
    "npm",
    "@heruka_urgyen/react-playing-cards",
    "0.5.0",
    "0a9e5c386c40af2ae591103589d3a4c340d66a325a64c3f5b1d3f6c0a907b468",
    "MIT; faces by Adrian Kennard CC0-1.0",
    "package/src/images",
    ("2color/*.svg", "4color/*.svg", "2color-bf/*.svg", "4color-bf/*.svg"),
)
AGUILAR_CARDS = Package(
    "npm",
    "cardsJS",
    "1.1.1",
    "94517ce8945a7ce66057ab6cbb88b2f01b9b9a9b8160d4a13a363c6a0c6c4733",
    "MIT; faces by Chris Aguilar LGPL-3.0",
    "package/cards",
    ("*.svg",),
)
HANDS = Package(
    "debian",
    "gcompris-qt-data",
    "3.1-2",
    "e9cf06ab2105529068df73085784e835d2ff03f870d2a8091f09125d40abac9f",
    "GPL-3+",
    "usr/share/gcompris-qt/rcc",
    ("leftright.rcc",),
)
ROBOSUITE = Package(
    "pypi",
    "robosuite",
    "1.5.2",
    "b9e02df55de8949739de6ba1d196d2ba59cf33c51a76efcfbe5c2f73cdcf99ce",
    "MIT",
    "robosuite/models/assets/textures",
    ("*.png",),
)
METAWORLD = Package(
    "pypi",
    "metaworld",
    "3.1.1",
    "99e25d9baf97f2f1a19ca89c0d2ca9c6a2b396d9a9be81729de64eedc683f0d3",
    "MIT",
    "metaworld/assets",
    ("textures/*.png", "scene/textures/*.png"),
)
ABD = Package(
    "pypi",
    "ABD-model",
    "0.3.0",
    "407615a569c8b5682d844da3349aafe0e159ccfb3d22cc1e7c0469f6ab68b894",
    "MIT; the checkpoint is stamped AGPL-3.0",
    "ABD_model",
    ("ABD.pt",),
)
STARTING_WEIGHTS_SHA256 = "c3335b0cc6c504c4ac74b62bf2bc9aa06ecf402fa71184ec88f40a1f37979859"
"""Hash of ABD.pt: a checkpoint is a pickle, so it is checked before it is loaded."""

PACKAGES: tuple[Package, ...] = (
    GNOME_CARDS,
    KDE_CARDS,
    KENNARD_CARDS,
    AGUILAR_CARDS,
    HANDS,
    METAWORLD,
    ROBOSUITE,
    ABD,
    *FONTS,
)

_UNUSED_TEXTURES = frozenset(
    {
        # Pictures of branded goods, of food, and of a door.
        "can.png", "cereal.png", "soda.png", "bread.png", "lemon.png", "real_door.png",
        # Embeds a copyright notice of its own.
        "steel-brushed.png",
        # A height map and a tennis court.
        "height1.png", "tennis.png",
    }
)  # fmt: skip


def default_cache() -> Path:
    """Return the cache folder in use when none is named: ``$MELDSIGHT_ASSETS`` or ``.cache/assets``."""
    named = os.environ.get(ENVIRONMENT)
    return Path(named) if named else Path(__file__).parents[1] / ".cache" / "assets"


def is_complete(package: Package, cache: Path) -> bool:
    """Return whether the cache holds this very version of a package with these files."""
    receipt = cache / package.folder / RECEIPT
    return receipt.is_file() and receipt.read_text() == package.receipt


def files(package: Package, cache: Path) -> list[Path]:
    """Return the kept files of a package, sorted by path.

    Raises:
        AssetsError: if the cache does not hold the package.
    """
    if not is_complete(package, cache):
        raise AssetsError(f"{package.name} {package.version} is not in {cache}: run `python -m datasets.assets` first.")
    return sorted(path for path in (cache / package.folder).rglob("*") if path.is_file() and path.name != RECEIPT)


def fonts(cache: Path) -> list[Path]:
    """Return one TTF or OTF file per face, sorted by file name."""
    return sorted((path for package in FONTS for path in files(package, cache)), key=lambda path: path.name)


def textures(cache: Path) -> list[Path]:
    """Return the PNG textures of tables, cloths, walls and floors, sorted by path."""
    return [
        path
        for package in (METAWORLD, ROBOSUITE)
        for path in files(package, cache)
        if path.name not in _UNUSED_TEXTURES
    ]


def hands(cache: Path) -> list[Path]:
    """Return the photos of real hands, cut out: WebP with alpha, fingers upward."""
    return [path for path in files(HANDS, cache) if path.suffix == ".webp"]


def starting_weights(cache: Path) -> Path:
    """Return the checkpoint that training starts from, its hash checked.

    Raises:
        AssetsError: if it is not in the cache or is not the pinned file.
    """
    (path,) = files(ABD, cache)
    if _sha256(path) != STARTING_WEIGHTS_SHA256:
        raise AssetsError(f"{path} is not the pinned checkpoint: its SHA-256 differs. Delete its folder and refetch.")
    return path


def fetch(cache: Path) -> None:
    """Download what the cache lacks and unpack the files in use; a second call does nothing.

    Raises:
        AssetsError: if a registry's client is missing or fails, or a hash differs.
    """
    cache.mkdir(parents=True, exist_ok=True)
    for package in PACKAGES:
        if is_complete(package, cache):
            continue
        print(f"{package.name} {package.version}", file=sys.stderr)
        with tempfile.TemporaryDirectory(dir=cache, prefix=".fetch-") as scratch:
            archive = _download(package, Path(scratch))
            if _sha256(archive) != package.sha256:
                raise AssetsError(f"{package.name} {package.version} was refused: its SHA-256 is not the pinned one.")
            kept = Path(scratch) / "kept"
            _unpack(package, archive, kept)
            (kept / RECEIPT).write_text(package.receipt)
            shutil.rmtree(cache / package.folder, ignore_errors=True)
            kept.rename(cache / package.folder)


def _download(package: Package, folder: Path) -> Path:
    if package.registry == "pypi":
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]
        _call("pip", [*command, "--disable-pip-version-check", f"{package.name}=={package.version}"], folder)
    elif package.registry == "npm":
        _call("npm", ["npm", "pack", "--loglevel=error", f"{package.name}@{package.version}"], folder)
    else:
        command = ["apt-get", "download", "-qq", f"{package.name}={package.version}"]
        try:
            _call("apt-get of Debian 12", command, folder)
        except AssetsError:
            # Its lists of packages are missing or old, as on a fresh machine.
            _call("apt-get of Debian 12", ["apt-get", "update", "-qq"], folder)
            _call("apt-get of Debian 12", command, folder)
    (archive,) = (path for path in folder.iterdir() if path.is_file())
    return archive


def _call(tool: str, command: list[str], folder: Path) -> None:
    """Run a registry's client in a folder."""
    if shutil.which(command[0]) is None:
        raise AssetsError(f"{tool} is needed to fetch {command[-1]}, and this machine has none.")
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        reason = (done.stderr.strip() or done.stdout.strip() or "it gave no reason").splitlines()[-1]
        raise AssetsError(f"{tool} failed at `{' '.join(command)}`: {reason}")


def _unpack(package: Package, archive: Path, folder: Path) -> None:
    folder.mkdir()
    kept = 0
    for name, stream in _members(package, archive):
        path = PurePosixPath(name)
        if not path.is_relative_to(package.root):
            continue
        inner = path.relative_to(package.root)
        # A font is known by its file name, wherever the package puts it.
        inner = PurePosixPath(inner.name) if package in FONTS else inner
        if not any(fnmatch(str(inner), pattern) for pattern in package.wanted):
            continue
        target = folder / inner
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("wb") as file:
            shutil.copyfileobj(stream, file)
        kept += 1
    if not kept:
        raise AssetsError(f"{package.name} {package.version} holds none of the files that are wanted of it.")
    if package is HANDS:
        _carve_hands(folder)


def _members(package: Package, archive: Path) -> Iterator[tuple[str, IO[bytes]]]:
    """Yield every plain file of an archive with its path and an open stream."""
    if package.registry == "pypi":
        with zipfile.ZipFile(archive) as wheel:
            for name in wheel.namelist():
                with wheel.open(name) as stream:
                    yield name, stream
        return
    if package.registry == "debian":
        if shutil.which("dpkg-deb") is None:
            raise AssetsError(f"dpkg-deb is needed to unpack {package.name}, and this machine has none.")
        contents = archive.with_name("contents")
        with contents.open("wb") as file:
            subprocess.run(["dpkg-deb", "--fsys-tarfile", archive], stdout=file, check=True)
        archive = contents
    with tarfile.open(archive) as tar:
        for member in tar:
            stream = tar.extractfile(member) if member.isfile() else None
            if stream is not None:
                yield str(PurePosixPath(member.name)), stream


def _carve_hands(folder: Path) -> None:
    """Cut the photos out of the Qt resource file: WebP pictures stored as they are, one after another."""
    (resource,) = folder.glob("*.rcc")
    data = resource.read_bytes()
    start = data.find(b"RIFF")
    number = 0
    while start >= 0:
        # RIFF: four letters, the little-endian size of the rest, then the form's name.
        if data[start + 8 : start + 12] == b"WEBP":
            end = start + 8 + int.from_bytes(data[start + 4 : start + 8], "little")
            (folder / f"{number:02d}.webp").write_bytes(data[start:end])
            number += 1
        start = data.find(b"RIFF", start + 4)
    resource.unlink()


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def main() -> None:
    """Fetch every package into the cache."""
    parser = argparse.ArgumentParser(prog="python -m datasets.assets", description=main.__doc__)
    parser.add_argument("--cache", type=Path, default=default_cache(), help="folder (default: %(default)s)")
    cache = parser.parse_args().cache
    try:
        fetch(cache)
    except AssetsError as error:
        sys.exit(str(error))
    print(f"{len(PACKAGES)} packages are in {cache}.", file=sys.stderr)


if __name__ == "__main__":
    main()
