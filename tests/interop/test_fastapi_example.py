"""The example app, started as a user would and read by the clients that it is for."""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING, Any

import httpx2
import pytest
from interop import node_clients
from interop.serving import serve
from support import ROOT

import toolwire
from toolwire.demo import DEMOS

if TYPE_CHECKING:
    from collections.abc import Iterator

FOLDER = ROOT / "examples" / "fastapi_app"
BROKEN = {"cut"}


@pytest.fixture(scope="module")
def base() -> Iterator[str]:
    spec = importlib.util.spec_from_file_location("fastapi_app", FOLDER / "app.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    with serve(module.app) as url:
        yield url


def calls_of(name: str) -> list[tuple[str, Any]]:
    message = toolwire.collect(DEMOS[name].chunks(), DEMOS[name].wire)
    return [(call.name, call.arguments) for call in message.executable]


@pytest.mark.parametrize("name", DEMOS)
def test_both_routes_say_what_the_demo_does(base: str, name: str) -> None:
    run = {"threadId": "t", "runId": "r", "messages": [], "tools": [], "context": [], "state": {}}
    for path, wire in (("chat", "ai-sdk-ui"), ("agent", "ag-ui")):
        answer = httpx2.post(f"{base}/{path}/{name}", json=run, timeout=30)
        assert answer.status_code == 200
        message = toolwire.collect(answer.content, wire)
        assert [(call.name, call.arguments) for call in message.executable] == calls_of(name)


def test_a_demo_that_is_not_there(base: str) -> None:
    answer = httpx2.post(f"{base}/chat/nope")
    assert answer.status_code == 404
    assert "openai-parallel" in answer.text


@node_clients.needs("ai5", "ai6", "ai7")
@pytest.mark.parametrize("version", ["ai5", "ai6", "ai7"])
def test_use_chat(base: str, version: str) -> None:
    jobs = [{"name": name, "mode": "chat", "url": f"{base}/chat/{name}"} for name in DEMOS]
    for name, report in zip(DEMOS, node_clients.run(version, "ui", jobs), strict=True):
        assert not report["hung"]
        assert [(call["name"], call["input"]) for call in report["runs"]] == calls_of(name), name


@node_clients.needs("agui0", "agui1")
@pytest.mark.parametrize("version", ["agui0", "agui1"])
def test_an_ag_ui_client(base: str, version: str) -> None:
    jobs = [{"name": name, "url": f"{base}/agent/{name}"} for name in DEMOS]
    for name, report in zip(DEMOS, node_clients.run(version, "agui", jobs), strict=True):
        assert not report["hung"]
        assert [(call["name"], call["input"]) for call in report["runs"]] == calls_of(name), name


def test_the_readme_names_every_demo() -> None:
    text = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert all(f"`{name}`" in text for name in DEMOS)
