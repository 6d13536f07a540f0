"""The real kstatus library reads every point of a router's life as it is."""

import json
import subprocess
from pathlib import Path

from unit.status.lifecycle import life_cycle


def test_e1_kstatus_reads_every_point_of_the_life_cycle_as_it_is(kstatus_binary: Path) -> None:
    points = life_cycle()
    documents = "\n---\n".join(json.dumps(resource) for resource, _ in points.values())
    answer = subprocess.run(
        [kstatus_binary], input=documents, text=True, capture_output=True, check=True
    )
    read = [line.split("\t")[0] for line in answer.stdout.splitlines()]
    expected = {name: verdict for name, (_, verdict) in points.items()}
    assert len(points) >= 15
    assert dict(zip(points, read, strict=True)) == expected
