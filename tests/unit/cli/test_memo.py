from pathlib import Path

import pytest

from controlplane import kubeconfig
from semantic_router_operator.cli.memo import Memo
from semantic_router_operator.cluster.credentials import Credentials
from semantic_router_operator.controller import Controller


@pytest.fixture
async def memo(tmp_path: Path) -> Memo:
    """Of an operator whose token is in a file `token`."""
    (tmp_path / "token").write_text("first")
    user = {"tokenFile": str(tmp_path / "token")}
    path = kubeconfig.write(tmp_path / "kubeconfig", "https://127.0.0.1:1", b"ca", user)
    controller: Controller = object.__new__(Controller)
    return Memo(controller, await Credentials.load({"KUBECONFIG": str(path)}), again_seconds=0.0)


async def test_a_token_that_was_refused_is_lent_again_as_another_connection(memo: Memo) -> None:
    first, second = await memo.connection(), await memo.connection()
    assert (first.token, second.token) == ("first", "first")
    assert first != second


async def test_a_token_that_was_refused_is_read_anew(memo: Memo, tmp_path: Path) -> None:
    await memo.connection()
    (tmp_path / "token").write_text("second")
    found = await memo.connection()
    assert (found.token,) == ("second",)
