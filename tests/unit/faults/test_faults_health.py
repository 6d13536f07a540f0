from faults.health import Sample, unhealthy

BEGAN, OVER = 10.0, 70.0


def samples(*parts: tuple[float, int, int]) -> list[Sample]:
    """(until, live, ready), each part lasting to its time; a sample a second."""
    found, at = [], BEGAN
    for until, live, ready in parts:
        while at < until:
            found.append(Sample(at, live, ready))
            at += 1.0
    return found


def test_green_liveness_and_a_readiness_that_turns_red_and_green_again_are_well() -> None:
    told = samples((30.0, 200, 200), (33.0, 0, 0), (74.0, 200, 503), (80.0, 200, 200))
    assert unhealthy(told, BEGAN, OVER) == []


def test_a_red_liveness_is_told() -> None:
    told = samples((30.0, 200, 503), (40.0, 503, 503), (72.0, 200, 503), (80.0, 200, 200))
    assert unhealthy(told, BEGAN, OVER) == [
        "liveness answered [503] though only the API server was away"
    ]


def test_a_readiness_that_stays_green_is_told() -> None:
    assert unhealthy(samples((80.0, 200, 200)), BEGAN, OVER) == [
        "readiness was green while the API server was away"
    ]


def test_a_readiness_that_stays_red_is_told() -> None:
    told = unhealthy(samples((90.0, 200, 503)), BEGAN, OVER)
    assert told == ["readiness wasn't green 10 s after the outage"]


def test_a_process_that_is_gone_for_long_is_told() -> None:
    told = samples((20.0, 200, 503), (40.0, 0, 0), (71.0, 200, 503), (80.0, 200, 200))
    assert unhealthy(told, BEGAN, OVER) == ["nobody answered /healthz for 20.0 s"]
