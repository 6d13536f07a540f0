"""Which cluster the end-to-end tests take, and how they add up what a client saw."""

from pathlib import Path
from typing import Any

import pytest

from e2e.figures import Figures
from e2e.target import NoClusterError, _refuse_others, find
from e2e.traffic import Window, all_ended, settled


def test_a_context_that_isnt_kinds_is_refused_unless_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("E2E_ANY_CONTEXT", raising=False)
    _refuse_others("kind-anything", Path("config"))
    with pytest.raises(NoClusterError, match="'production' of config isn't a kind cluster's"):
        _refuse_others("production", Path("config"))
    monkeypatch.setenv("E2E_ANY_CONTEXT", "1")
    _refuse_others("production", Path("config"))


def test_without_a_kubeconfig_it_says_how_to_get_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "none"))
    with pytest.raises(NoClusterError, match="make kind-up"):
        find()


def line(ok: int, failed: int, at: str) -> dict[str, Any]:
    """As the load client writes it."""
    seen = {"count": ok, "first": f"2026-01-01T00:00:{at}.5Z", "last": f"2026-01-01T00:00:{at}.9Z"}
    counts = {"ok": ok, "failed": failed, "skipped": 0, "attempts": ok, "slowest_ms": 10 * ok}
    return {**counts, "models": {"a": ok}, "errors": {"503": failed}, "configs": {"x": seen}}


def test_a_window_adds_up_its_seconds() -> None:
    found = Window()
    for one in (line(3, 0, "01"), line(1, 2, "02")):
        found.add(one)
    assert (found.ok, found.failed, found.sent, found.slowest_ms) == (4, 2, 6, 30)
    assert (found.share("a"), found.share("b")) == (1, 0)
    assert list(found.first) == ["x"]


def test_a_window_ends_when_what_was_under_way_has_ended() -> None:
    def lines(*oldest_ms: int) -> list[dict[str, Any]]:
        return [{"oldest_ms": oldest} for oldest in oldest_ms]

    assert not all_ended(lines(80, 1080), 1), "it began before, and hangs"
    assert not all_ended(lines(80, 1080, 2080), 1)
    assert all_ended(lines(80, 1080, 2080, 90), 1)
    assert all_ended(lines(80, 1080, 2080, 1900), 1), "what hangs now began later"
    assert not all_ended(lines(80), 1), "that second isn't over"


def test_traffic_begins_when_nothing_of_before_is_under_way() -> None:
    assert settled({"ok": 60, "failed": 0, "oldest_ms": 50})
    assert not settled({"ok": 60, "failed": 0, "oldest_ms": 2782}), "one hangs since the start"
    assert not settled({"ok": 43, "failed": 12, "oldest_ms": 50})
    assert not settled({"ok": 0, "failed": 0, "oldest_ms": 0})


def test_figures_are_tables() -> None:
    figures, seen = Figures(), Window()
    seen.add(line(3, 1, "01"))
    figures.disruption("a thing", seen)
    figures.duration("another", 1.0, 2.0, 9.0)
    assert figures.lines() == [
        "while requests went on  requests  failed  slowest ms",
        "a thing                        4       1          30",
        "",
        "seconds  times  p50  max",
        "another      3  2.0  9.0",
    ]
