"""Passwords and keys in spec.config: they reach the router as environment variables only.

A secret in the document would lie in a ConfigMap, in its history and in every backup of them
(field case OP-18). So the document has `${NAME}`, which the router replaces, and the pod has the
variable. A password in clear text is refused: docs/adr/0011-literal-passwords.md.
"""

import re
from dataclasses import dataclass
from typing import Final

from semantic_router_operator import names
from semantic_router_operator.model import paths
from semantic_router_operator.model.canonical import EnvReference, Issue, SecretEnv
from semantic_router_operator.model.config.values import SecretKeySelector
from semantic_router_operator.model.router import Spec

INVALID: Final = "InvalidConfig"
_REFERENCE: Final = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
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
    return _of_text(spec, path, text) if text else Credential()


def userinfo(path: str, url: str | None) -> tuple[Issue, ...]:
    """The error for a URL with a password in it, which would be copied into the ConfigMap."""
    if not url or not _USERINFO.match(url):
        return ()
    text = "has a user or a password before the host, which doesn't belong in a URL; remove it"
    return (Issue(INVALID, path, text),)


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


def _of_text(spec: Spec, path: str, text: str) -> Credential:
    reference = _REFERENCE.fullmatch(text)
    if reference is None:
        problem = "is a secret in clear text, which would lie in a ConfigMap"
        return _refused(path, f"{problem}; {_advice(path)}")
    name = reference.group(1)
    if not knows(spec, name):
        return _refused(path, f"names the variable {name}, which spec.env doesn't have; add it")
    return Credential(EnvReference(text))


def _advice(path: str) -> str:
    if path.endswith("password"):
        return "put it into a Secret and name that in password_secret_ref"
    return (
        "put it into a Secret, take that into spec.env with secretKeyRef and write ${NAME} of "
        "the variable here"
    )


def _refused(path: str, problem: str) -> Credential:
    return Credential(issues=(Issue(INVALID, path, problem),))
