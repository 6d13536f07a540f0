"""What `render` reads: files, standard input, Lists, JSON; and what it says of broken ones."""

import json

import pytest

from unit.cli.rendering import HEAD, ONE_SERVICE, ROUTER, SERVICE, Render

TWO = ROUTER + "---\n" + ROUTER.replace("name: a", "name: b")


def test_one_router_becomes_its_objects_in_the_order_of_application(render: Render) -> None:
    said = render(ROUTER)
    assert (said.code, said.err) == (0, "")
    assert said.kinds == ["ServiceAccount", "ConfigMap", "Service", "Deployment"]


def test_several_documents_are_all_rendered(render: Render) -> None:
    said = render(TWO)
    assert said.code == 0
    assert said.kinds.count("Deployment") == 2


def test_standard_input_is_a_file_too(render: Render) -> None:
    assert render(None, "-f", "-", stdin=ROUTER) == render(ROUTER)


def test_several_files_are_all_rendered(render: Render) -> None:
    said = render(ROUTER, "-f", "-", stdin=ROUTER.replace("name: a", "name: b"))
    assert said.kinds.count("Deployment") == 2


def test_json_is_read_like_yaml_even_with_tabs(render: Render) -> None:
    body = {
        "apiVersion": "vllm.ai/v1alpha1",
        "kind": "SemanticRouter",
        "metadata": {"name": "a"},
    }
    text = json.dumps(body, indent="\t")
    assert render(text, name="router.json") == render(ROUTER)


@pytest.mark.parametrize("kind", ["List", "SemanticRouterList"])
def test_the_items_of_a_list_are_rendered(kind: str, render: Render) -> None:
    item = {"apiVersion": "vllm.ai/v1alpha1", "kind": "SemanticRouter", "metadata": {"name": "a"}}
    text = json.dumps({"apiVersion": "v1", "kind": kind, "items": [item]})
    assert render(text) == render(ROUTER)


def test_the_items_of_a_list_of_one_kind_needn_t_say_their_kind(render: Render) -> None:
    services = json.dumps(
        {
            "apiVersion": "v1",
            "kind": "ServiceList",
            "items": [{"metadata": {"name": "models"}, "spec": {"ports": [{"port": 8000}]}}],
        }
    )
    said = render(ROUTER + ONE_SERVICE, "--cluster", "-", stdin=services)
    assert (said.code, said.err) == (0, "")


def test_what_kubectl_get_prints_can_be_rendered_again(render: Render) -> None:
    """Status, managedFields and owner references come with it."""
    text = (
        f"{HEAD}metadata: {{name: a, uid: u, generation: 3, managedFields: [{{manager: x}}]}}\n"
        "status: {observedGeneration: 2, phase: Running, fieldOfALaterVersion: 1}\n"
    )
    said = render(text)
    assert (said.code, said.err) == (0, "")
    assert '"ownerReferences"' in json.dumps(said.objects)


def test_empty_documents_between_others_are_passed_over(render: Render) -> None:
    assert render(f"---\n{ROUTER}---\n---\n# nothing\n") == render(ROUTER)


def test_other_objects_in_the_file_are_the_cluster_to_pretend(render: Render) -> None:
    alone = render(ROUTER + ONE_SERVICE)
    assert "NotFound" in alone.err
    together = render(f"{ROUTER}{ONE_SERVICE}---\n{SERVICE}")
    assert (together.code, together.err) == (0, "")
    assert "Service" in together.kinds
    assert "models" not in [str(item["metadata"]) for item in together.objects]


def test_a_kind_of_the_same_name_in_another_group_is_not_ours(render: Render) -> None:
    said = render("apiVersion: example.com/v1\nkind: SemanticRouter\nmetadata: {name: a}\n")
    assert (said.code, said.out) == (1, "")
    assert "no SemanticRouter (vllm.ai/v1alpha1) in router.yaml" in said.err


@pytest.mark.parametrize("text", ["", "---\n", "# a comment\n", SERVICE])
def test_a_file_without_a_router_is_an_error(text: str, render: Render) -> None:
    said = render(text)
    assert (said.code, said.out) == (1, "")
    assert said.err == (
        "semantic-router-operator render: no SemanticRouter (vllm.ai/v1alpha1) in router.yaml\n"
    )


def test_a_missing_file_is_named(render: Render) -> None:
    said = render(None, "-f", "missing.yaml")
    assert (said.code, said.out) == (1, "")
    assert said.errors == ["missing.yaml: no such file or directory"]


def test_a_missing_cluster_file_is_named(render: Render) -> None:
    said = render(ROUTER, "--cluster", "missing.yaml")
    assert (said.code, said.out) == (1, "")
    assert said.errors == ["missing.yaml: no such file or directory"]


def test_a_folder_is_no_file(render: Render) -> None:
    assert render(None, "-f", ".").errors == [".: is a directory"]


def test_bytes_that_are_no_text_are_refused(render: Render) -> None:
    assert render(b"\xff\xfe\x00").errors == ["router.yaml: is not text in UTF-8"]


@pytest.mark.parametrize(
    ("text", "where"),
    [
        (f"{HEAD}metadata: {{name: a\nspec: {{}}\n", "router.yaml: line 4, column 5: "),
        (f"{HEAD}metadata:\n\tname: a\n", "router.yaml: line 4, column 1: "),
        (f"{ROUTER}---\n{HEAD}metadata: [\n", "router.yaml: line 8, column 1: "),
        (f"{ROUTER}spec: !!python/name:os.system\n", "router.yaml: line 4, column 7: "),
        (f"{HEAD}metadata: *nobody\n", "router.yaml: line 3, column 11: "),
        (f"{HEAD}metadata: {{name: a, name: b}}\n", "router.yaml: line 3, column 21: "),
    ],
    ids=["unclosed", "tab", "second document", "python tag", "unknown alias", "key twice"],
)
def test_broken_yaml_is_reported_with_file_line_and_column(
    text: str, where: str, render: Render
) -> None:
    said = render(text)
    assert (said.code, said.out) == (1, "")
    assert said.errors[0].startswith(where)
    assert "Traceback" not in said.err


def test_a_control_character_is_reported_with_the_file(render: Render) -> None:
    assert render("a: \x01\n").errors[0].startswith("router.yaml: ")


def test_a_key_that_is_twice_in_json_is_refused_as_in_yaml(render: Render) -> None:
    said = render('{"kind": "SemanticRouter", "metadata": {"name": "a", "name": "b"}}')
    assert said.errors == ["router.yaml: key 'name' is there twice in one object"]


@pytest.mark.parametrize(
    "text",
    [
        "hello\n",
        "- 1\n",
        "5\n",
        "a: 1\n",
        "kind: 5\n",
        "kind: SemanticRouter\nmetadata: hello\n",
        "kind: Service\nmetadata: []\n",
        "kind: List\nitems: [5]\n",
        "kind: List\nitems: [[]]\n",
    ],
)
def test_a_document_that_is_no_object_is_refused(text: str, render: Render) -> None:
    said = render(f"{ROUTER}---\n{text}")
    assert (said.code, said.out) == (1, "")
    assert said.errors[0].startswith("router.yaml: document 2")
    assert "not a Kubernetes object" in said.errors[0]


def test_items_that_are_no_list_are_refused(render: Render) -> None:
    said = render("kind: List\nitems: 5\n")
    assert said.errors == ["router.yaml: document 1: items is not a list"]


@pytest.mark.parametrize("written", ["2026-01-02", "12:30:45", "1:30.5", "=", "1_a", "v1.0"])
def test_text_that_yaml_1_1_takes_for_something_else_stays_text(
    written: str, render: Render
) -> None:
    spec = ONE_SERVICE.replace("model: m", f"model: {written}")
    said = render(f"{ROUTER}{spec}---\n{SERVICE}")
    assert (said.code, said.err) == (0, "")
    assert f'- name: "{written}"' in said.out


@pytest.mark.parametrize("written", ["2", "+2", "0x2", "0b10", "0o2", "02"])
def test_a_whole_number_may_be_written_in_any_way_of_yaml(written: str, render: Render) -> None:
    said = render(f"{ROUTER}spec: {{replicas: {written}}}\n")
    assert said.code == 0, said.err
    assert "replicas: 2\n" in said.out


def test_anchors_and_merges_work(render: Render) -> None:
    said = render(
        f"{ROUTER}spec:\n"
        "  resources:\n"
        "    requests: &room {cpu: 100m}\n"
        "    limits: {<<: *room, memory: 1Gi}\n"
    )
    assert said.code == 0, said.err
    assert "limits:\n            cpu: 100m\n            memory: 1Gi" in said.out
