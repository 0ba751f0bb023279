"""Settings of the service; each can be given as an environment variable, such as ``MELDSIGHT_RULES``."""

from __future__ import annotations

import os
import socket
import sys
from ipaddress import ip_network
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, SecretStr, ValidationError, ValidationInfo, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from api.errors import UsageError


def _own_names() -> tuple[str, ...]:
    name = socket.gethostname().split(".")[0].lower()
    return ("localhost", name, f"{name}.local")


def _own_folder() -> Path:
    """Where this user's programs keep their data."""
    if sys.platform == "win32":
        home = Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    elif sys.platform == "darwin":
        home = Path.home() / "Library" / "Application Support"
    else:
        home = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    return home / "meldsight"


class Settings(BaseSettings):
    """How one service runs."""

    model_config = SettingsConfigDict(env_prefix="MELDSIGHT_", frozen=True)

    rules: str = "shanghai"
    """Rule system, or the path of a house-rule file."""
    hosts: Annotated[tuple[str, ...], NoDecode] = Field(default_factory=_own_names)
    """Names by which browsers may call the service besides its IP addresses; commas between them."""
    join_secret: SecretStr | None = None
    """What a device must know to get in; none lets everybody in, which is for the own computer only."""
    data: Path = Field(default_factory=_own_folder)
    """Folder of the games, their backups and the certificates, and of decks that are in use."""
    database_url: SecretStr | None = None
    """Database of the games, such as ``postgresql://user:password@host/name``; the file in ``data`` unless given."""
    address: str | None = None
    """Address that invitations carry, such as ``http://192.168.1.20:8000/``; the one a request came by unless given."""
    proxies: Annotated[tuple[str, ...], NoDecode] = ()
    """Addresses or networks of the proxies in front, such as ``127.0.0.1`` or ``10.0.0.0/8``; commas between them.

    Only what these say is believed of where a request comes from, and whether it came over HTTPS.
    """
    authority: Path | None = None
    """Certificate that phones install to trust this computer; ``serve --https`` makes it."""
    detector: str | None = None
    """Detector tier that runs the networks, such as ``ray://192.168.1.30:8100``; the service runs them unless given."""
    scans_at_once: int = Field(default=2, ge=1)
    """Photos that are decoded and read at the same time."""
    scan_places: int = Field(default=12, ge=1)
    """Photos that are being sent, waiting or being read; one more is asked to come back."""

    canary_minutes: float = Field(default=0.5, ge=0)
    """Minutes between two readings of the test picture; 0 switches them off.

    With the time that a reading may take this is less than a minute, in which a reader that fails is found out.
    """
    metrics_token: SecretStr | None = None
    """What a collector of metrics must show; without one there are no metrics."""
    log: Literal["plain", "json"] = "plain"
    """Faults as text, or everything that happens as lines of JSON."""
    keep_corrections: Path | None = None
    """Folder of the photos that players give for training, each with its corrected cards; none keeps no photo."""

    @property
    def decks(self) -> Path:
        """Folder in which decks were kept before they came into the database; what lies there is taken over."""
        return self.data / "decks"

    @property
    def deck_files(self) -> Path:
        """Folder of the decks that were asked for, as files; it may be emptied at any time."""
        return self.data / "cache" / "decks"

    @property
    def url(self) -> str:
        """The database of the games."""
        if self.database_url is not None:
            return self.database_url.get_secret_value()
        return f"sqlite:///{self.data / 'games.sqlite'}"

    @field_validator("hosts", "proxies", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        if isinstance(value, str):
            return tuple(part.strip().lower() for part in value.split(",") if part.strip())
        return value

    @field_validator("proxies")
    @classmethod
    def _are_addresses(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for each in value:
            try:
                ip_network(each)
            except ValueError:
                raise ValueError(f"{each!r} is neither an IP address nor a network such as 10.0.0.0/8.") from None
        return value

    @field_validator("join_secret", "metrics_token")
    @classmethod
    def _is_long(cls, value: SecretStr | None, info: ValidationInfo) -> SecretStr | None:
        if value is not None and len(value.get_secret_value()) < 16:
            raise ValueError(f"the {str(info.field_name).replace('_', ' ')} must have 16 characters or more.")
        return value


def read_settings() -> Settings:
    """Return the settings that the environment gives.

    Raises:
        UsageError: if one does not fit; the message names it.
    """
    try:
        return Settings()
    except ValidationError as error:
        first = error.errors()[0]
        name = "_".join(["MELDSIGHT", *map(str, first["loc"])]).upper()
        raise UsageError(f"The setting {name} does not fit: {first['msg']}.") from error
