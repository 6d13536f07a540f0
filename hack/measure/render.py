"""Milliseconds that a pass thinks: parse, discover, judge and build, in process, for each sample.

    python -m measure.render [--rounds 50]

Writes nothing and asks no cluster; tests/golden/cluster.yaml is the cluster to pretend.
"""

import argparse
import statistics
import time
from pathlib import Path
from typing import Any

import yaml

from semantic_router_operator.discovery import DiscoveryPolicy, discover
from semantic_router_operator.model.canonical import Accepted
from semantic_router_operator.model.parse import parse
from semantic_router_operator.model.platform import Platform
from semantic_router_operator.model.state_view import StateView
from semantic_router_operator.objects import Images, build
from semantic_router_operator.reconcile import judge

ROOT = Path(__file__).parents[2]
LIMIT_MS = 5.0


def main() -> int:
    """Prints p50 of the slowest samples; exit code 1 when one is over the limit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=50)
    rounds = parser.parse_args().rounds
    view = StateView(yaml.safe_load_all((ROOT / "tests/golden/cluster.yaml").read_text()))
    found = []
    for path in sorted((ROOT / "samples").glob("*.yaml")):
        for body in yaml.safe_load_all(path.read_text()):
            if body and body["kind"] == "SemanticRouter":
                body["metadata"].setdefault("namespace", "default")
                found.append((_median_ms(body, view, rounds), path.name))
    found.sort(reverse=True)
    print(f"{len(found)} samples, p50 of {rounds} rounds; the slowest:")
    for milliseconds, name in found[:5]:
        print(f"{milliseconds:6.2f} ms  {name}")
    return 0 if found[0][0] <= LIMIT_MS else 1


def _median_ms(body: dict[str, Any], view: StateView, rounds: int) -> float:
    times = []
    for _ in range(rounds):
        began = time.perf_counter()
        _think(body, view)
        times.append((time.perf_counter() - began) * 1000)
    return statistics.median(times)


def _think(body: dict[str, Any], view: StateView) -> None:
    router = parse(body)
    discovery = discover(router, view, policy=DiscoveryPolicy(), last_known={})
    verdict = judge(router, discovery, previous_default=None)
    config = verdict.config if isinstance(verdict, Accepted) else None
    build(router, config, platform=Platform(), images=Images())


if __name__ == "__main__":
    raise SystemExit(main())
