"""Passwords and keys in spec.config: they reach the router as environment variables only.

A secret in the document would lie in a ConfigMap, in its history and in every backup of them
(field case OP-18). So the document has `${NAME}`, which the router replaces, and the pod has the
variable. A password in clear text is refused: docs/adr/0011-literal-passwords.md.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from semantic_router_operator import names
from semantic_router_operator.model import paths
from semantic_router_operator.model.canonical import EnvReference, Issue, SecretEnv
from semantic_router_operator.model.config.values import SecretKeySelector
from semantic_router_operator.model.router import Spec

INVALID: Final = "InvalidConfig"
_SECRET_KEYS: Final = frozenset(
    ("access_key", "api_key", "api_token", "auth_token", "client_secret", "password", "secret_key")
)
"""Keys of the router's document, and of plugins of others, that stand for a secret."""
_REFERENCE: Final = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_BY_REFERENCE: Final = "put it into a Secret and name that in password_secret_ref"
_BY_VARIABLE: Final = (
    "put it into a Secret, take that into spec.env with secretKeyRef and write ${NAME} of the "
    "variable here"
)
_USERINFO: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[^/?#]*@")


@dataclass(frozen=True, slots=True)
class Credential:
    """How the document names a secret, if the CR gives one."""

    value: EnvReference | None = None
    env: tuple[SecretEnv, ...] = ()
    issues: tuple[Issue, ...] = ()


def credential(
    spec: Spec, path: str, text: str | None, ref: SecretKeySelector | None = None
) -> Credential:
    """The secret whose text stands at `path` of the CR, and whose Secret at `path`_secret_ref.

    Text may only be a reference to a variable of spec.env: `${NAME}`. Empty text is none.
    """
    ref_path = f"{path}_secret_ref"
    if text and ref is not None:
        return _refused(path, f"excludes {ref_path}; keep that and remove this")
    if ref is not None:
        return _of_secret(path, ref_path, ref)
    advice = _BY_REFERENCE if path.endswith("password") else _BY_VARIABLE
    return _of_text(spec, path, text, advice) if text else Credential()


def userinfo(path: str, url: str | None) -> tuple[Issue, ...]:
    """The error for a URL with a password in it, which would be copied into the ConfigMap."""
    if not url or not _USERINFO.match(url):
        return ()
    text = "has a user or a password before the host, which doesn't belong in a URL; remove it"
    return (Issue(INVALID, path, text),)


def replaced(spec: Spec, value: Any, path: str, origins: Mapping[str, str]) -> Iterator[Issue]:
    """The same for a part that the CR passes on whole: in place, at any depth, by the key's name.

    `value` is a fresh copy and stands at `path` of the document.
    """
    if isinstance(value, list):
        for index, member in enumerate(value):
            yield from replaced(spec, member, paths.item(path, index), origins)
    if not isinstance(value, dict):
        return
    for key, member in value.items():
        place = paths.child(path, key)
        if key in _SECRET_KEYS and isinstance(member, str):
            origin = paths.trace(origins, place)
            found = _of_text(spec, origin, member, _BY_VARIABLE) if member else Credential()
            yield from found.issues
            value[key] = EnvReference.to("REFUSED") if found.issues else found.value or member
        else:
            yield from replaced(spec, member, place, origins)


def knows(spec: Spec, variable: str) -> bool:
    """Whether the pod has that environment variable. What spec.envFrom brings can't be told."""
    return bool(spec.env_from) or any(entry.name == variable for entry in spec.env)


def _of_secret(path: str, ref_path: str, ref: SecretKeySelector) -> Credential:
    for key, value in (("name", ref.name), ("key", ref.key)):
        if not value:
            return _refused(f"{ref_path}.{key}", "is empty; write the Secret's name and key")
    name = names.env_name(_short(path))
    env = SecretEnv(name, ref.name or "", ref.key, optional=bool(ref.optional))
    return Credential(EnvReference.to(name), (env,))


def _short(path: str) -> str:
    """`response_cache/redis/password`: the same for both spellings of the cache's block."""
    steps = path.removeprefix(paths.PASSED_ON).split(".")
    kept = (step for step in steps if step not in ("connection", "auth"))
    return "/".join("response_cache" if step == "semantic_cache" else step for step in kept)


def _of_text(spec: Spec, path: str, text: str, advice: str) -> Credential:
    reference = _REFERENCE.fullmatch(text)
    if reference is None:
        problem = "is a secret in clear text, which would lie in a ConfigMap"
        return _refused(path, f"{problem}; {advice}")
    name = reference.group(1)
    if not knows(spec, name):
        return _refused(path, f"names the variable {name}, which spec.env doesn't have; add it")
    return Credential(EnvReference(text))


def _refused(path: str, problem: str) -> Credential:
    return Credential(issues=(Issue(INVALID, path, problem),))
