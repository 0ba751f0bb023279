"""``meldsight corrections``: the photos that players gave, written as a labelled set for training."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from api.errors import InputError, UsageError
from engine.cards import KINDS

if TYPE_CHECKING:
    from api.corrections import LabelledPhoto

NAMES = tuple(card.code for card in KINDS)
"""The classes, each at the place that YOLO labels give it."""

labelled = typer.Typer(
    add_completion=False, rich_markup_mode=None, no_args_is_help=True, help="Corrected photos that players gave."
)


class Form(StrEnum):
    """A form of labelled sets."""

    YOLO = "yolo"
    LABEL_STUDIO = "labelstudio"


@labelled.callback()
def corrections() -> None:
    """Corrected photos that players gave for training."""


@labelled.command("export")
def export_corrections(
    to: Annotated[Path, typer.Option(metavar="FOLDER", help="Where the set goes; a folder that is not there yet.")],
    form: Annotated[Form, typer.Option("--as", help="For training with YOLO, or for looking through.")] = Form.YOLO,
) -> None:
    """Write the corrected photos as a labelled set.

    Photos to which a person had to add a card have no box for it: they are left out for YOLO, which would learn that
    there is nothing, and kept for Label Studio, where the box can be drawn.

    Example: meldsight corrections export --to set/ --as yolo
    """
    from api.corrections import CorrectionError, Corrections
    from api.settings import read_settings

    folder = read_settings().keep_corrections
    if folder is None:
        raise UsageError("No photos are kept: MELDSIGHT_KEEP_CORRECTIONS names the folder where they are to go.")
    try:
        photos = list(Corrections(folder))
    except CorrectionError as error:
        raise InputError(str(error)) from error
    chosen = [photo for photo in photos if photo.is_whole or form is Form.LABEL_STUDIO]
    if not chosen:
        raise InputError(f"There are no corrected photos in {folder} to export as {form}.")
    try:
        (to / "images").mkdir(parents=True)
        for photo in chosen:
            shutil.copyfile(photo.photo, to / "images" / photo.photo.name)
        (_write_yolo if form is Form.YOLO else _write_label_studio)(to, chosen)
    except FileExistsError:
        raise InputError(f"{to / 'images'} is there already; nothing was written.") from None
    except OSError as error:
        raise InputError(f"The set cannot be written to {to}: {error.strerror or error}.") from error
    left = len(photos) - len(chosen)
    print(
        f"{len(chosen)} photos are in {to}" + (f"; {left} with cards that have no box are left out." if left else ".")
    )


def yolo_lines(photo: LabelledPhoto) -> list[str]:
    """Return the label of a photo in YOLO's form: class, centre, width and height, relative to the photo."""
    width, height = photo.size_wh
    return [
        f"{NAMES.index(card.code)} {(x0 + x1) / 2 / width:.6f} {(y0 + y1) / 2 / height:.6f} "
        f"{(x1 - x0) / width:.6f} {(y1 - y0) / height:.6f}"
        for card, (x0, y0, x1, y1) in photo.boxes
    ]


def label_studio_task(photo: LabelledPhoto) -> dict[str, Any]:
    """Return a photo as a task that Label Studio imports: rectangles in per cent of the photo."""
    width, height = photo.size_wh
    rectangles = [
        {
            "id": f"index{place}",
            "type": "rectanglelabels",
            "from_name": "label",
            "to_name": "image",
            "original_width": width,
            "original_height": height,
            "image_rotation": 0,
            "value": {
                "x": round(100 * x0 / width, 4),
                "y": round(100 * y0 / height, 4),
                "width": round(100 * (x1 - x0) / width, 4),
                "height": round(100 * (y1 - y0) / height, 4),
                "rotation": 0,
                "rectanglelabels": [card.code],
            },
        }
        for place, (card, (x0, y0, x1, y1)) in enumerate(photo.boxes)
    ]
    return {
        "data": {
            "image": f"/data/local-files/?d=images/{photo.photo.name}",
            "cards": " ".join(card.code for card in photo.cards),
        },
        "annotations": [{"result": rectangles}],
    }


def _write_yolo(to: Path, photos: Sequence[LabelledPhoto]) -> None:
    (to / "labels").mkdir()
    for photo in photos:
        text = "".join(f"{line}\n" for line in yolo_lines(photo))
        (to / "labels" / f"{photo.photo.stem}.txt").write_text(text, encoding="utf-8")
    names = "".join(f"  {place}: {name}\n" for place, name in enumerate(NAMES))
    text = f"# Corner indices of playing cards; the path is this folder.\ntrain: images\nval: images\nnames:\n{names}"
    (to / "data.yaml").write_text(text, encoding="utf-8")


def _write_label_studio(to: Path, photos: Sequence[LabelledPhoto]) -> None:
    tasks = [label_studio_task(photo) for photo in photos]
    (to / "tasks.json").write_text(json.dumps(tasks, indent=1) + "\n", encoding="utf-8")
    labels = "".join(f'    <Label value="{name}"/>\n' for name in NAMES)
    (to / "interface.xml").write_text(
        f'<View>\n  <Text name="cards" value="$cards"/>\n  <Image name="image" value="$image" zoom="true"/>\n'
        f'  <RectangleLabels name="label" toName="image">\n{labels}  </RectangleLabels>\n</View>\n',
        encoding="utf-8",
    )
