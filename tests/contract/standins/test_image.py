"""The stand-ins' program and the image that is written without docker."""

import hashlib
import io
import json
import re
import shutil
import subprocess
import tarfile
from pathlib import Path

from standins import build, image


def test_the_archive_is_an_image_of_one_static_program_for_user_1000(
    program: Path, tmp_path: Path
) -> None:
    archive = image.write(tmp_path / "image.tar", program, architecture=build.architecture())
    with tarfile.open(archive) as tar:
        files = {name: read(tar, name) for name in tar.getnames()}
    (manifest,) = json.loads(files["manifest.json"])
    config = json.loads(files[manifest["Config"]])
    layer = files[manifest["Layers"][0]]
    assert manifest["RepoTags"] == ["localhost/semantic-router-standin:test"]
    assert hashlib.sha256(files[manifest["Config"]]).hexdigest() + ".json" == manifest["Config"]
    assert config["config"]["User"] == "1000"
    assert config["rootfs"]["diff_ids"] == [f"sha256:{hashlib.sha256(layer).hexdigest()}"]
    with tarfile.open(fileobj=io.BytesIO(layer)) as tar:
        inside = {member.name: member.mode for member in tar.getmembers() if member.isfile()}
        assert read(tar, "semantic-router-standin") == program.read_bytes()
    assert inside == {"semantic-router-standin": 0o755}
    assert config["config"]["Entrypoint"][0] == image.PROGRAM


def test_the_same_program_gives_the_same_bytes(program: Path, tmp_path: Path) -> None:
    first = image.write(tmp_path / "a.tar", program, architecture="amd64")
    second = image.write(tmp_path / "b.tar", program, architecture="amd64")
    assert first.read_bytes() == second.read_bytes()


def test_the_program_is_static_and_small(program: Path) -> None:
    data = program.read_bytes()
    assert data.startswith(b"\x7fELF")
    assert b"/ld-linux" not in data
    assert len(data) < 16 << 20


def test_the_program_s_sources_are_formatted() -> None:
    gofmt = shutil.which("gofmt") or "/usr/local/go/bin/gofmt"
    command = [gofmt, "-l", str(build.PROGRAM)]
    ended = subprocess.run(command, capture_output=True, text=True, check=True)
    assert ended.stdout == ""


def test_neither_the_product_nor_the_stand_ins_know_of_each_other() -> None:
    root = build.PROGRAM.parents[2]
    product = [*(root / "operator").rglob("*.py"), *(root / "manifests").rglob("*.yaml")]
    assert [path for path in product if re.search(r"\bstand-?ins?\b", path.read_text())] == []
    standins = [*(root / "tests/standins").rglob("*.py"), *build.PROGRAM.rglob("*.go")]
    assert [path for path in standins if "semantic_router_operator" in path.read_text()] == []


def read(tar: tarfile.TarFile, name: str) -> bytes:
    file = tar.extractfile(name)
    assert file is not None
    return file.read()
