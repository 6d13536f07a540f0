"""`tools_db.json`: the tools of spec.toolsDb, for the router to choose from."""

import json
from dataclasses import dataclass
from typing import Final

from semantic_router_operator.model.canonical import Issue
from semantic_router_operator.model.router import Spec
from semantic_router_operator.translate.blocks import written
from semantic_router_operator.translate.text import unwritable

_PATH: Final = "spec.toolsDb"


@dataclass(frozen=True, slots=True)
class ToolsDb:
    """The file and what is wrong with what it would say."""

    text: str
    issues: tuple[Issue, ...] = ()


def tools_db(spec: Spec) -> ToolsDb:
    """The tools in the order written, keys sorted. `[]` when there is none.

    It is JSON that the router doesn't expand: a `$` stays one `$` (canonical rules, C, speak of
    config.yaml only).
    """
    entries = [written(entry, "", f"{_PATH}[{index}]") for index, entry in enumerate(spec.tools_db)]
    tools = [entry.value for entry in entries]
    odd = tuple(Issue("InvalidText", path, text) for path, text in unwritable(tools, _PATH))
    issues = tuple(issue for entry in entries for issue in entry.issues)
    text = json.dumps(tools, ensure_ascii=bool(odd), separators=(",", ":"), sort_keys=True)
    return ToolsDb(text, (*issues, *odd))
