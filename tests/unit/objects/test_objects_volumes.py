"""spec.volumes and spec.volumeMounts beside our own (field case SR-13)."""

from typing import Any

import pytest

import objects_kit as kit

EMPTY: dict[str, Any] = {"emptyDir": {}}


def spec(*volumes: str, mounts: dict[str, str], **more: Any) -> dict[str, Any]:
    """Volumes by name, and mounts as path -> volume."""
    return {
        "volumes": [{"name": name, **EMPTY} for name in volumes],
        "volumeMounts": [{"mountPath": path, "name": name} for path, name in mounts.items()],
        **more,
    }


def mounted(of: dict[str, Any]) -> dict[str, str]:
    found = {m["mountPath"]: m["name"] for m in kit.container(of)["volumeMounts"]}
    assert len(found) == len(kit.container(of)["volumeMounts"])
    return found


def volumes(of: dict[str, Any]) -> dict[str, Any]:
    found = {v["name"]: v for v in kit.pod(of)["spec"]["volumes"]}
    assert len(found) == len(kit.pod(of)["spec"]["volumes"])
    assert set(mounted(of).values()) <= found.keys()
    return found


@pytest.mark.parametrize(
    "path", ["/app/models", "/app/models/", "/app//models", "/app/x/../models"]
)
def test_sr_13_a_mount_of_the_users_replaces_ours_at_its_path(path: str) -> None:
    theirs = spec("extra", mounts={path: "extra"})
    assert mounted(theirs)[path] == "extra"
    assert "/app/models" not in mounted(theirs).keys() - {path}
    assert "models-volume" not in volumes(theirs)


@pytest.mark.parametrize(
    "name", ["config-volume", "cache-volume", "models-volume", "router-workdir", "var-log"]
)
def test_sr_13_a_volume_of_the_users_keeps_its_name_and_ours_steps_aside(name: str) -> None:
    theirs = spec(name, mounts={"/data": name})
    ours = {path: at for path, at in mounted({}).items() if at == name}
    assert volumes(theirs)[name] == {"name": name, **EMPTY}
    assert mounted(theirs)["/data"] == name
    for path in ours:
        assert mounted(theirs)[path] == f"{name}-1"
    source = {key: value for key, value in volumes({})[name].items() if key != "name"}
    assert volumes(theirs)[f"{name}-1"] == {"name": f"{name}-1", **source}


def test_sr_13_the_live_configuration_stays_where_it_is() -> None:
    theirs = spec("config-volume", "config-volume-1", mounts={"/data": "config-volume"})
    assert mounted(theirs)["/app/config"] == "config-volume-2"
    assert volumes(theirs)["config-volume-2"]["configMap"] == {"name": "demo-config"}


def test_a_volume_of_ours_may_be_mounted_a_second_time() -> None:
    theirs = spec(mounts={"/more": "models-volume"})
    assert (
        mounted(theirs).items()
        >= {"/more": "models-volume", "/app/models": "models-volume"}.items()
    )


def test_a_volume_and_a_mount_are_passed_on_whole_and_in_order() -> None:
    source = {"projected": {"sources": [{"secret": {"name": "s"}}], "defaultMode": 256}}
    mount = {"name": "p", "mountPath": "/p", "subPath": "a", "readOnly": True}
    theirs = {"volumes": [{"name": "p", **source}, {"name": "q", **EMPTY}], "volumeMounts": [mount]}
    assert kit.pod(theirs)["spec"]["volumes"][-2:] == theirs["volumes"]
    assert kit.container(theirs)["volumeMounts"][-1] == mount


@pytest.mark.parametrize(
    ("theirs", "path"),
    [
        (spec("a", "a", mounts={}), "spec.volumes[1].name"),
        (spec("a", mounts={"/x": "a", "/x/": "a"}), "spec.volumeMounts[1].mountPath"),
        (spec("a", mounts={"/app/config": "a"}), "spec.volumeMounts[0].mountPath"),
        (spec(mounts={"/x": "nobody"}), "spec.volumeMounts[0].name"),
        ({"volumes": [{"emptyDir": {}}]}, "spec.volumes[0].name"),
    ],
)
def test_sr_13_what_cannot_be_is_said_of_its_field(theirs: dict[str, Any], path: str) -> None:
    result = kit.built(theirs)
    assert [issue.path for issue in result.issues] == [path]
    assert [key.kind.kind for key in result.withheld] == ["Deployment"]


def test_a_mount_that_leaves_the_claim_unused_is_warned_of() -> None:
    result = kit.built(spec("a", mounts={"/app/models": "a"}, persistence={}))
    assert [(i.code, i.severity) for i in result.issues] == [("ShadowedVolume", "warning")]
