"""How the demo's lines look."""

import io
import shlex

import pytest

from demo import layout
from demo.screen import Screen


@pytest.mark.parametrize(("columns", "width"), [(40, 80), (80, 80), (100, 100), (300, 120)])
def test_lines_are_between_80_and_120_columns(columns: int, width: int) -> None:
    assert layout.fitting(columns) == width


def test_a_command_is_shown_as_one_would_type_it() -> None:
    assert layout.command_line(["get", "sr", "-o", "wide"], 80) == "$ kubectl get sr -o wide"


def test_what_a_shell_would_eat_is_quoted() -> None:
    shown = layout.command_line(["get", "cm", r"-o=jsonpath={.data.config\.yaml}"], 120)
    assert shown == r"$ kubectl get cm -o='jsonpath={.data.config\.yaml}'"


def test_a_long_command_is_broken_between_arguments_and_means_the_same() -> None:
    arguments = ["patch", "sr", "demo", "--type=json", "-p", "[" + '{"op": "replace"}' * 4 + "]"]
    shown = layout.command_line(arguments, 80)
    assert len(shown.splitlines()) == 2
    assert shown.splitlines()[0].endswith(" \\")
    assert shlex.split(shown.removeprefix("$ ").replace("\\\n", "")) == ["kubectl", *arguments]


def test_an_argument_longer_than_the_line_stands_alone_and_loses_nothing() -> None:
    shown = layout.command_line(["get", "x" * 200], 80)
    assert shown.split() == ["$", "kubectl", "get", "\\", "x" * 200]


def test_output_is_indented_and_a_long_line_is_cut_at_the_edge() -> None:
    lines = list(layout.clipped("short\n\n" + "x" * 100 + "\n", 80))
    assert lines[:2] == ["  short", ""]
    assert len(lines[2]) == 80
    assert lines[2].endswith("x…")


def test_prose_is_wrapped_and_words_stay_whole() -> None:
    lines = layout.wrapped("word-with-hyphens " * 20, 80).splitlines()
    assert all(len(line) <= 80 for line in lines)
    assert {word for line in lines for word in line.split()} == {"word-with-hyphens"}


def test_a_change_shows_what_went_and_what_came_with_the_lines_around() -> None:
    before = "a: 1\nb: 2\nc: 3\n"
    assert layout.changed_lines(before, "a: 1\nb: 5\nc: 3\n") == [
        " a: 1",
        "-b: 2",
        "+b: 5",
        " c: 3",
    ]


def test_nothing_changed_is_nothing_shown() -> None:
    assert layout.changed_lines("a: 1\n", "a: 1\n") == []


def test_there_is_no_colour_where_there_is_no_terminal() -> None:
    stream = io.StringIO()
    screen = Screen(stream, steps=2)
    screen.step("First")
    screen.command(["get", "sr"])
    screen.seen("all well")
    screen.failed("not well")
    with screen.working("waiting"):
        pass
    assert "\033" not in stream.getvalue()
    assert "\r" not in stream.getvalue()


def test_steps_are_counted_and_waiting_says_how_long_it_took() -> None:
    stream = io.StringIO()
    screen = Screen(stream, steps=2)
    screen.step("First")
    screen.step("Second")
    with screen.working("waiting for pods"):
        pass
    lines = stream.getvalue().splitlines()
    assert [line for line in lines if line.startswith("[")] == ["[1/2] First", "[2/2] Second"]
    assert lines[-2:] == ["  waiting for pods ...", "  waiting for pods: 0.0 s"]


def test_a_failed_wait_doesnt_say_that_it_was_done() -> None:
    stream = io.StringIO()
    screen = Screen(stream, steps=1)
    with pytest.raises(ValueError, match="broken"), screen.working("waiting"):
        int("broken")
    assert stream.getvalue() == "  waiting ...\n"
