"""Image archives: the same input gives the same bytes, and docker's layout."""

import hashlib
import json
import tarfile
from pathlib import Path

from kind.archive import Entry, Image, write_archive, write_layer


def some_layer(path: Path) -> Path:
    return write_layer(
        path,
        [
            Entry("usr/local/bin/tool", data=b"#!/bin/sh\n"),
            Entry("etc/note", data=b"hello", mode=0o644),
            Entry("bin", target="usr/bin"),
        ],
    )


def test_a_layer_has_the_parents_of_its_files_and_belongs_to_root(tmp_path: Path) -> None:
    with tarfile.open(some_layer(tmp_path / "layer.tar")) as layer:
        found = {member.name: member for member in layer}
    assert sorted(found) == [
        *("bin", "etc", "etc/note", "usr", "usr/local", "usr/local/bin", "usr/local/bin/tool"),
    ]
    assert found["usr/local"].isdir()
    assert found["usr/local"].mode == 0o755
    assert found["etc/note"].mode == 0o644
    assert found["bin"].linkname == "usr/bin"
    assert {(member.uid, member.gid, member.mtime) for member in found.values()} == {(0, 0, 0)}


def test_the_same_entries_give_the_same_bytes(tmp_path: Path) -> None:
    one, other = some_layer(tmp_path / "one.tar"), some_layer(tmp_path / "other.tar")
    assert one.read_bytes() == other.read_bytes()


def test_an_archive_names_its_images_and_their_layers_by_digest(tmp_path: Path) -> None:
    layer = some_layer(tmp_path / "layer.tar")
    digest = hashlib.sha256(layer.read_bytes()).hexdigest()
    images = [Image(f"local/{name}:1", (layer,), (f"/{name}",)) for name in ("one", "two")]

    with tarfile.open(write_archive(tmp_path / "images.tar", images)) as archive:
        names = archive.getnames()
        manifest = json.load(archive.extractfile("manifest.json"))  # type: ignore[arg-type]
        config = json.load(archive.extractfile(manifest[0]["Config"]))  # type: ignore[arg-type]

    assert [image["RepoTags"] for image in manifest] == [["local/one:1"], ["local/two:1"]]
    assert [image["Layers"] for image in manifest] == [[f"{digest}/layer.tar"]] * 2
    assert names.count(f"{digest}/layer.tar") == 1
    assert config["rootfs"] == {"type": "layers", "diff_ids": [f"sha256:{digest}"]}
    assert config["config"]["Entrypoint"] == ["/one"]


def test_an_archive_replaces_an_older_one_and_leaves_nothing_beside_it(tmp_path: Path) -> None:
    layer, path = some_layer(tmp_path / "layer.tar"), tmp_path / "images.tar"
    path.write_text("older")
    write_archive(path, [Image("local/one:1", (layer,))])
    assert tarfile.is_tarfile(path)
    assert sorted(found.name for found in tmp_path.iterdir()) == ["images.tar", "layer.tar"]
