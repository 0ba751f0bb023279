"""Settings of the service; each can be given as an environment variable, such as ``MELDSIGHT_RULES``."""

from __future__ import annotations

import socket
from typing import Annotated

from pydantic import Field, SecretStr, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict


def _own_names() -> tuple[str, ...]:
    name = socket.gethostname().split(".")[0].lower()
    return ("localhost", name, f"{name}.local")


class Settings(BaseSettings):
    """How one service runs."""

    model_config = SettingsConfigDict(env_prefix="MELDSIGHT_", frozen=True)

    rules: str = "shanghai"
    """Rule system, or the path of a house-rule file."""
    hosts: Annotated[tuple[str, ...], NoDecode] = Field(default_factory=_own_names)
    """Names by which browsers may call the service besides its IP addresses; commas between them."""
    join_secret: SecretStr | None = None
    """What a device must know to get in; none lets everybody in, which is for the own computer only."""
    scans_at_once: int = Field(default=2, ge=1)
    """Photos that are decoded and read at the same time."""
    scan_places: int = Field(default=12, ge=1)
    """Photos that are being sent, waiting or being read; one more is asked to come back."""

    @field_validator("hosts", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        if isinstance(value, str):
            return tuple(part.strip().lower() for part in value.split(",") if part.strip())
        return value

    @field_validator("join_secret")
    @classmethod
    def _is_long(cls, value: SecretStr | None) -> SecretStr | None:
        if value is not None and len(value.get_secret_value()) < 16:
            raise ValueError("the join secret must have 16 characters or more.")
        return value
