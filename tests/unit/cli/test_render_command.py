"""The flags of `render`, its warnings and errors, and its speed."""

import resource
import subprocess
import sys
from pathlib import Path

import pytest

from semantic_router_operator.__main__ import main
from unit.cli.rendering import ONE_SERVICE, ROUTER, SERVICE, Render

ROOT = Path(__file__).parents[3]
SAMPLE = ROOT / "samples" / "quickstart.yaml"
LIMIT_SECONDS = 1.0
"""Issue: for one CR, as a process of its own."""
HEAVY = ("aiohttp", "kopf", "kubernetes", "prometheus_client")


def test_services_of_the_cluster_file_are_found(render: Render) -> None:
    said = render(ROUTER + ONE_SERVICE, "--cluster", "-", stdin=SERVICE)
    assert (said.code, said.err) == (0, "")
    assert 'endpoint: "models.default.svc.cluster.local:8000"' in said.out


def test_a_backend_that_is_not_there_is_a_warning_and_the_rest_is_printed(render: Render) -> None:
    said = render(ROUTER + ONE_SERVICE)
    assert said.code == 0
    assert said.err.startswith(
        "SemanticRouter a: warning: spec.vllmEndpoints[0].backend.service: Service default/models"
    )
    assert "Deployment" in said.kinds


def test_a_router_that_breaks_a_rule_is_an_error_with_the_path_and_nothing_is_printed(
    render: Render,
) -> None:
    twice = ONE_SERVICE.replace("]}\n", ", {name: one, model: m, backend: {type: url, url: {}}}]}")
    said = render(f"{ROUTER}{twice}\n")
    assert (said.code, said.out) == (1, "")
    assert all(line.startswith(("error: spec.", "warning: spec.")) for line in said.errors)
    assert any(line.startswith("error: ") for line in said.errors)


def test_only_the_document_is_printed_when_asked(render: Render) -> None:
    said = render(ROUTER + ONE_SERVICE, "--config-only", "--cluster", "-", stdin=SERVICE)
    assert said.code == 0
    assert said.out.startswith('version: "v0.3"\n')
    whole = render(ROUTER + ONE_SERVICE, "--cluster", "-", stdin=SERVICE)
    config_map = whole.objects[whole.kinds.index("ConfigMap")]
    assert config_map["data"]["config.yaml"] == said.out  # type: ignore[index]


def test_a_route_is_made_on_openshift_only(render: Render) -> None:
    text = f"{ROUTER}spec: {{openshift: {{routes: {{enabled: true}}}}}}\n"
    assert "Route" in render(text, "--platform", "openshift").kinds
    assert "Route" not in render(text, "--platform", "kubernetes").kinds
    assert render(text) == render(text, "--platform", "kubernetes")


def test_the_user_id_is_left_to_openshift(render: Render) -> None:
    assert "runAsUser" in render(ROUTER).out
    assert "runAsUser" not in render(ROUTER, "--platform", "openshift").out


def test_an_unknown_platform_is_a_wrong_call(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["render", "-f", str(SAMPLE), "--platform", "nomad"])
    assert "invalid choice: 'nomad'" in capsys.readouterr().err


def test_a_file_must_be_named(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["render"])
    assert "-f/--filename" in capsys.readouterr().err


def test_the_namespace_is_that_of_all_objects_that_name_none(render: Render) -> None:
    said = render(f"{ROUTER}{ONE_SERVICE}---\n{SERVICE}", "-n", "prod")
    assert (said.code, said.err) == (0, "")
    assert {str(item["metadata"]["namespace"]) for item in said.objects} == {"prod"}  # type: ignore[index]
    assert "models.prod.svc.cluster.local:8000" in said.out


def test_a_namespace_that_the_router_names_wins(render: Render) -> None:
    said = render(ROUTER.replace("name: a", "name: a, namespace: team"), "-n", "prod")
    assert "namespace: team" in said.out
    assert "prod" not in said.out


def test_another_cluster_domain_is_used(render: Render) -> None:
    said = render(f"{ROUTER}{ONE_SERVICE}---\n{SERVICE}", "--cluster-domain", "k8s.example")
    assert "models.default.svc.k8s.example:8000" in said.out


def test_owner_references_are_left_out_where_there_is_no_uid(render: Render) -> None:
    assert "ownerReferences" not in render(ROUTER).out
    assert "uid: u-1" in render(ROUTER.replace("name: a", "name: a, uid: u-1")).out


def test_what_is_printed_is_the_same_each_time(render: Render) -> None:
    text = SAMPLE.read_text()
    assert render(text) == render(text)


def test_what_is_printed_can_be_given_back_as_a_cluster(render: Render) -> None:
    printed = render(ROUTER).out
    assert render(ROUTER, "--cluster", "-", stdin=printed) == render(ROUTER)


def cold(*arguments: str) -> float:
    """Processor seconds of a process of its own, so that it doesn't matter who else is busy."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(  # noqa: S603 - a program of ours
        [sys.executable, "-m", "semantic_router_operator", *arguments],
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def test_one_router_is_rendered_in_less_than_a_second_by_a_process_of_its_own() -> None:
    """The best of three: the first one may have to compile what has changed."""
    assert min(cold("render", "-f", str(SAMPLE)) for _ in range(3)) < LIMIT_SECONDS


@pytest.mark.parametrize("command", [["render", "-f", str(SAMPLE)], ["run", "--help"]])
def test_what_only_the_operator_needs_is_not_imported(command: list[str]) -> None:
    program = (
        "import sys\n"
        "from semantic_router_operator.__main__ import main\n"
        "try:\n    main(sys.argv[1:])\nexcept SystemExit:\n    pass\n"
        f"print('imported:', *[name for name in {HEAVY} if name in sys.modules])\n"
    )
    done = subprocess.run(  # noqa: S603 - a program of ours
        [sys.executable, "-c", program, *command], check=True, capture_output=True, text=True
    )
    assert done.stdout.splitlines()[-1] == "imported:"
