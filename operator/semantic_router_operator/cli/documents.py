"""Files of Kubernetes objects, read as kubectl reads them."""

import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, cast

import yaml
from typing_extensions import override
from yaml.constructor import ConstructorError

from semantic_router_operator.errors import InvalidSpec

_TAG: Final = "tag:yaml.org,2002:"
_INT: Final = re.compile(r"[-+]?(0b[01_]+|0o?[0-7_]+|0|[1-9][0-9_]*|0x[0-9a-fA-F_]+)$")
_FLOAT: Final = re.compile(
    r"[-+]?(([0-9][0-9_]*)?\.[0-9_]+|[0-9][0-9_]*\.)([eE][-+][0-9]+)?$"
    r"|[-+]?[0-9]+[eE][-+][0-9]+$|[-+]?\.(inf|Inf|INF)$|\.(nan|NaN|NAN)$"
)
_NOT_OURS: Final = {_TAG + "timestamp", _TAG + "value", _TAG + "int", _TAG + "float"}


def objects(name: str) -> Iterator[dict[str, Any]]:
    """The objects in a file, or in standard input for `-`; Lists are taken apart.

    Raises InvalidSpec with the file's name, and the line where there is one.
    """
    shown = "standard input" if name == "-" else name
    for number, document in enumerate(_documents(_text(name, shown), shown), start=1):
        if document is not None:
            yield from _opened(document, f"{shown}: document {number}")


def _text(name: str, shown: str) -> str:
    try:
        return sys.stdin.read() if name == "-" else Path(name).read_text(encoding="utf-8")
    except OSError as error:
        problem = (error.strerror or str(error)).lower()
    except UnicodeDecodeError:
        problem = "is not text in UTF-8"
    message = f"{shown}: {problem}"
    raise InvalidSpec(message)


def _documents(text: str, shown: str) -> Sequence[object]:
    if text.lstrip().startswith("{"):  # a tab is fine in JSON, and not in YAML
        try:
            return [json.loads(text, object_pairs_hook=_pairs)]
        except json.JSONDecodeError:
            pass
        except ValueError as error:
            message = f"{shown}: {error}"
            raise InvalidSpec(message) from None
    try:
        loader = _Loader(text)
        loader.name = shown
        return list(_all(loader))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
        message = f"{shown}: {place}{error.problem}"
    except yaml.YAMLError as error:
        message = f"{shown}: {str(error).splitlines()[0]}"
    raise InvalidSpec(message)


def _all(loader: "_Loader") -> Iterator[object]:
    while loader.check_data():  # type: ignore[no-untyped-call]
        yield loader.get_data()


def _pairs(pairs: Sequence[tuple[str, object]]) -> dict[str, object]:
    result = dict(pairs)
    if len(result) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        message = f"key {twice!r} is there twice in one object"
        raise ValueError(message)
    return result


def _opened(document: object, place: str) -> Iterator[dict[str, Any]]:
    """The object, or the objects of a List."""
    kind = document.get("kind") if isinstance(document, dict) else None
    metadata = document.get("metadata") if isinstance(document, dict) else None
    if not isinstance(kind, str) or not isinstance(metadata, dict | None):
        message = f"{place} is not a Kubernetes object; it needs a kind, and metadata as an object"
        raise InvalidSpec(message)
    found = cast("dict[str, Any]", document)
    if not kind.endswith("List"):
        yield found
        return
    items = found.get("items") or []
    if not isinstance(items, list):
        message = f"{place}: items is not a list"
        raise InvalidSpec(message)
    for index, item in enumerate(items):
        yield from _opened(_with_kind(item, found), f"{place}: items[{index}]")


def _with_kind(item: object, of: Mapping[str, Any]) -> object:
    """The API server leaves kind and apiVersion out of the items of a ServiceList."""
    if of["kind"] == "List" or not isinstance(item, dict):
        return item
    kind = of["kind"].removesuffix("List")
    return {"apiVersion": of.get("apiVersion"), "kind": kind, **item}


class _Loader(yaml.SafeLoader):
    """No key twice; a key is text; a date and `1:30` are text; what else YAML 1.1 says."""

    @override
    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode) and key.tag != _TAG + "merge":
                if key.value in seen:
                    problem = f"key {key.value!r} is there twice in one object"
                    raise ConstructorError(None, None, problem, key.start_mark)
                seen.add(key.value)
        return {_key(k): value for k, value in super().construct_mapping(node, deep).items()}


def _key(key: object) -> object:
    return json.dumps(key) if isinstance(key, bool | int | float) else key


_Loader.yaml_implicit_resolvers = {
    first: [(tag, form) for tag, form in known if tag not in _NOT_OURS]
    for first, known in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
_Loader.add_implicit_resolver(_TAG + "int", _INT, list("-+0123456789"))
_Loader.add_implicit_resolver(_TAG + "float", _FLOAT, list("-+0123456789."))
