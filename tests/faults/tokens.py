"""The token that the operator shows the proxy, and its rotation."""

import secrets
from collections.abc import Mapping
from pathlib import Path


class Tokens:
    """One token at a time, in the files that kubeconfigs refer to."""

    def __init__(self) -> None:
        self._token = secrets.token_urlsafe()
        self._files: list[Path] = []

    def file(self, path: Path) -> Path:
        """Writes it there, now and after each rotation."""
        _write(path, self._token)
        self._files.append(path)
        return path

    def accepts(self, headers: Mapping[str, str]) -> bool:
        """Whether a request shows the token that is good now."""
        given = headers.get("Authorization", "")
        return secrets.compare_digest(given.encode(), f"Bearer {self._token}".encode())

    def rotate(self) -> None:
        """Another one is good from now on; `write` tells it."""
        self._token = secrets.token_urlsafe()

    def write(self) -> None:
        """The token that is good now, into every file."""
        for path in self._files:
            _write(path, self._token)


def _write(path: Path, text: str) -> None:
    """All of it or nothing, readable by its owner alone."""
    new = path.with_name(f"{path.name}.new")
    new.touch(mode=0o600)
    new.write_text(text)
    new.replace(path)
