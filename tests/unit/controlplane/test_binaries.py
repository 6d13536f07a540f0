"""Where the control plane's programs come from; a script stands in for Go."""

import io
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from controlplane.binaries import PACKAGES, cache_folder, locate
from controlplane.errors import BuildError
from controlplane.progress import Reporter

GO = """#!/bin/sh
case "$*" in
*" env "*) printf '%s\\nlinux\\namd64\\n' "${FAKE_GO_VERSION:-go1.99.0}" ;;
*" build "*)
  while [ "$1" != -o ]; do shift; done
  echo "$3" >> "$FAKE_GO_LOG"
  [ "$3" != "$FAKE_GO_FAILS" ] || { echo "syntax error" >&2; exit 1; }
  printf '#!/bin/sh\\n' > "$2"; chmod +x "$2" ;;
esac
"""


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache and a Go that only notes, in the returned file, what it was to build."""
    log, tools = tmp_path / "built", tmp_path / "bin"
    log.touch()
    tools.mkdir()
    executable(tools / "go", GO)
    monkeypatch.setenv("PATH", f"{tools}:{os.environ['PATH']}")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("FAKE_GO_LOG", str(log))
    monkeypatch.delenv("KUBEBUILDER_ASSETS", raising=False)
    return log


def executable(path: Path, text: str = "#!/bin/sh\n") -> Path:
    path.write_text(text)
    path.chmod(0o755)
    return path


def quiet() -> Reporter:
    return Reporter(io.StringIO())


def test_every_program_is_built_once_and_then_found(built: Path) -> None:
    first = locate(quiet())
    second = locate(quiet())
    assert built.read_text().splitlines() == list(PACKAGES.values())
    assert first == second
    assert all(path.is_file() for path in first.paths.values())


def test_two_at_a_time_dont_build_twice(built: Path) -> None:
    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(locate, [quiet(), quiet()])
    assert first == second
    assert len(built.read_text().splitlines()) == len(PACKAGES)


def test_every_program_gets_a_line_with_its_time(built: Path) -> None:
    screen = io.StringIO()
    locate(Reporter(screen))
    for program in PACKAGES:
        assert f"{program}: done after 0 s" in screen.getvalue()


def test_what_the_assets_folder_has_is_not_built(
    built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assets = tmp_path / "assets"
    assets.mkdir()
    theirs = {executable(assets / name) for name in ("etcd", "kube-apiserver", "kubectl")}
    monkeypatch.setenv("KUBEBUILDER_ASSETS", str(assets))

    found = set(locate(quiet()).paths.values())

    assert theirs < found
    assert "k8s.io/kubernetes/cmd/kube-apiserver" not in built.read_text()
    assert "k8s.io/kubernetes/cmd/kube-scheduler" in built.read_text()


def test_an_assets_folder_that_is_not_there_is_an_error(
    built: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KUBEBUILDER_ASSETS", "/no/such/folder")
    with pytest.raises(BuildError, match="KUBEBUILDER_ASSETS: no such folder: /no/such/folder"):
        locate(quiet())
    assert not built.read_text()


def test_a_build_that_fails_shows_why_and_leaves_no_half_program(
    built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_GO_FAILS", PACKAGES["kubectl"])
    with pytest.raises(BuildError, match=r"kubectl did not build[\s\S]*syntax error"):
        locate(quiet())
    assert not list((tmp_path / "cache").rglob("kubectl"))


def test_a_go_that_is_too_old_is_named_with_what_is_needed(
    built: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_GO_VERSION", "go1.19.8")
    with pytest.raises(BuildError, match=r"Go 1\.\d+\S* or newer is needed, .* says: go1\.19\.8"):
        locate(quiet())


def test_another_go_gets_another_cache_outside_the_repo(built: Path, tmp_path: Path) -> None:
    one, other = cache_folder("go1.99.0"), cache_folder("go1.99.1")
    assert one != other
    assert one.is_relative_to(tmp_path / "cache")


def test_a_program_of_ours_has_a_key_of_its_sources_too() -> None:
    pinned, ours = cache_folder("go1.99.0"), cache_folder("go1.99.0", "./cmd/kstatus")
    assert cache_folder("go1.99.0", "k8s.io/kubernetes/cmd/kubectl") == pinned
    assert ours.parent == pinned
    assert ours != cache_folder("go1.99.0", "./cmd/pause")
