"""Whom a change concerns."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semantic_router_operator.cluster.interests import Area, Interest, Readers
from semantic_router_operator.model.facts import LabelQuery

AREA = Area("Service", "n")
A, B = ("n", "a"), ("n", "b")


def readers(**interests: Interest) -> Readers:
    found = Readers()
    for name, interest in interests.items():
        found.replace(("n", name), [interest])
    return found


def test_an_object_concerns_whoever_named_it() -> None:
    found = readers(a=Interest(AREA, name="x"), b=Interest(AREA, name="y"))
    assert set(found.of("x")) == {A}


@pytest.mark.parametrize("labels", [({"app": "m", "z": "1"}, None), (None, {"app": "m"})])
def test_an_object_concerns_whose_query_selects_it_now_or_did_before(
    labels: tuple[dict[str, str] | None, ...],
) -> None:
    found = readers(a=Interest(AREA, query=LabelQuery({"app": "m"})))
    assert set(found.of("x", *labels)) == {A}
    assert not set(found.of("x", {"app": "other"}))


def test_a_query_without_pairs_is_found_too() -> None:
    query = LabelQuery(match_expressions=({"key": "app", "operator": "Exists"},))
    assert set(readers(a=Interest(AREA, query=query)).of("x", {"app": "1"})) == {A}


def test_an_empty_query_concerns_nobody() -> None:
    assert not set(readers(a=Interest(AREA, query=LabelQuery())).of("x", {"app": "1"}))


def test_new_interests_replace_the_old_ones() -> None:
    found = readers(a=Interest(AREA, name="x"), b=Interest(AREA, query=LabelQuery({"k": "v"})))
    found.replace(A, [Interest(AREA, name="y")])
    assert not set(found.of("x"))
    assert set(found.of("y", {"k": "v"})) == {A, B}
    found.replace(A, [])
    found.replace(B, [])
    assert not found


LABELS = st.dictionaries(st.sampled_from("kl"), st.sampled_from("vw"), max_size=2)


@given(st.lists(st.tuples(st.integers(0, 3), LABELS, st.sampled_from("xyz")), max_size=8), LABELS)
def test_the_index_answers_as_a_walk_over_all_would(
    wanted: list[tuple[int, dict[str, str], str]], labels: dict[str, str]
) -> None:
    found, listed = Readers(), {}
    for number, pairs, name in wanted:
        listed["n", str(number)] = interests = [
            Interest(AREA, query=LabelQuery(pairs)),
            Interest(AREA, name=name),
        ]
        found.replace(("n", str(number)), interests)
    expected = {
        router
        for router, interests in listed.items()
        if any(
            item.name == "x" or (item.query is not None and item.query.matches(labels))
            for item in interests
        )
    }
    assert set(found.of("x", labels)) == expected
    for router in random.sample(sorted(listed), len(listed)):
        found.replace(router, [])
    assert not found
