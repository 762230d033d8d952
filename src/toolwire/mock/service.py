"""From a request to a plan: routes, checks, scripts, settings, and the mock's own endpoints under `/_mock`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, unquote, urlsplit

from toolwire.errors import UsageError
from toolwire.framing.writers import dumped
from toolwire.mock.asked import RefusedError
from toolwire.mock.log import Log, Seen, public
from toolwire.mock.plan import Plan, Step, plan_of, refusal
from toolwire.mock.requests import models_body, read
from toolwire.mock.routes import route_of
from toolwire.mock.script import Script
from toolwire.mock.settings import Settings, settings_of

if TYPE_CHECKING:
    from toolwire.mock.asked import Asked
    from toolwire.mock.replay import Replay
    from toolwire.mock.routes import Route

__all__ = ["Service"]

_MAX_BODY = 32 * 1024 * 1024
_CACHED = 256


class Service:
    """Answers requests. `keys`: those that are accepted, () for any; `models`: those there are, () for any."""

    def __init__(
        self,
        script: Script | None = None,
        *,
        seed: str = "0",
        settings: str = "",
        keys: tuple[str, ...] = (),
        models: tuple[str, ...] = (),
        replay: Replay | None = None,
        max_body: int = _MAX_BODY,
    ) -> None:
        settings_of(settings)
        self.script = script or Script()
        self.log = Log()
        self.max_body = max_body
        self._seed = seed
        self._settings = settings
        self._keys = frozenset(keys)
        self._models = models
        self._replay = replay
        self._plans: dict[tuple[Any, ...], Plan] = {}
        self._ordered: list[tuple[str, str, int]] = []  # settings for the next requests: model, settings, how many

    def plan(self, method: str, target: str, headers: dict[str, str], body: bytes) -> tuple[Plan, Seen | None]:
        """The response to a request, and its entry in the log; the mock's own endpoints have none."""
        url = urlsplit(target)
        path = unquote(url.path)
        if path.startswith("/_mock"):
            return self._own(method, path, body), None
        seen = Seen(method, target, public(headers), _read(body))
        self.log.add(seen)
        route = route_of(method, path, headers)
        if route is None:
            plan = _json(404, {"error": {"message": f"the mock has nothing at {method} {path}", "type": "not_found"}})
        elif route.what == "models":
            plan = _json(200, models_body(route.wire, self._models or _MODELS))
        else:
            plan = self._answer(route, path, dict(parse_qsl(url.query)), headers, body, seen)
        return plan, seen

    def order(self, settings: str, *, times: int = 1, model: str = "") -> None:
        """Settings for the next requests, of one model or of any. Raises `UsageError`."""
        settings_of(settings)
        if times < 1:
            raise UsageError(f"times is at least 1, not {times}")
        self._ordered.append((model, settings, times))

    def reset(self) -> None:
        """Forget what was seen and what was ordered."""
        self.log.reset()
        self._ordered.clear()

    def _answer(
        self, route: Route, path: str, query: dict[str, str], headers: dict[str, str], body: bytes, seen: Seen
    ) -> Plan:
        seen.wire = route.wire
        try:
            asked = read(
                route.wire,
                path=path,
                query=query,
                headers=headers,
                body=body,
                keys=self._keys,
                models=frozenset(self._models),
                max_body=self.max_body,
            )
        except RefusedError as error:
            return _json(error.status, error.body, error.headers)
        seen.model = asked.model
        try:
            return self._planned(asked, headers)
        except UsageError as error:
            return refusal(route.wire, 400, Settings(), f"mock: {error}")

    def _planned(self, asked: Asked, headers: dict[str, str]) -> Plan:
        beside = "&".join(
            each for each in (self._settings, self._next_order(asked.model), headers.get("x-mock-settings", "")) if each
        )
        answer, settings = self.script.answer(asked, headers, beside, seed=self._seed)
        if settings.fail:
            failed = self.log.refused.get(asked.model, 0)
            if failed < settings.fail:
                self.log.refused[asked.model] = failed + 1
                return refusal(asked.wire, settings.status or 503, settings)
        if settings.never:
            return Plan(0, (), (), "stall", settings.head)
        refused = settings.status is not None and not settings.fail
        if self._replay is not None and not refused and (found := self._replay.plan(asked.model, settings)) is not None:
            return found
        # The answer by its words: 1 and True are the same key, and other arguments.
        said = repr(answer)
        wire = (asked.wire, asked.stream, asked.usage, asked.partial_args, asked.sse)
        key = (*wire, asked.model, asked.rounds, said, settings)
        plan = self._plans.get(key)
        if plan is None:
            seed = f"{self._seed} {asked.rounds}" if asked.rounds else self._seed  # ids are new in each turn
            plan = plan_of(asked, answer, settings, seed=seed)
            if settings.steady and len(self._plans) < _CACHED:
                self._plans[key] = plan
        return plan

    def _next_order(self, model: str) -> str:
        """The settings that the control endpoint has set for the next request of a model."""
        for place, (name, settings, times) in enumerate(self._ordered):
            if name in ("", model.partition("?")[0]):
                if times == 1:
                    del self._ordered[place]
                else:
                    self._ordered[place] = (name, settings, times - 1)
                return settings
        return ""

    def _own(self, method: str, path: str, body: bytes) -> Plan:
        """The mock's own endpoints."""
        match method, path.rstrip("/"):
            case "GET", "/_mock/ready":
                return _json(200, {"ready": True})
            case "GET", "/_mock/requests":
                counts = {"count": self.log.count, "events": self.log.events}
                return _json(200, {**counts, "requests": [seen.as_dict() for seen in self.log.requests]})
            case (("POST" | "DELETE"), "/_mock/reset"):
                self.reset()
                return _json(200, {"reset": True})
            case "POST", "/_mock/settings":
                try:
                    said = json.loads(body)
                    self.order(
                        str(said["settings"]), times=int(said.get("times", 1)), model=str(said.get("model") or "")
                    )
                except (ValueError, KeyError, TypeError, AttributeError, UsageError) as error:
                    return _json(400, {"error": f'it takes {{"settings": …, "times": 1, "model": …}}: {error}'})
                return _json(200, {"set": said["settings"]})
        return _json(
            404, {"error": "there is GET /_mock/ready and /_mock/requests, POST /_mock/reset and /_mock/settings"}
        )


# What the lists show where any model is accepted.
_MODELS = ("mock/parallel", "mock/one", "mock/text", "mock/reasoning", "mock/interleaved")


def _json(status: int, body: Any, headers: dict[str, str] | None = None) -> Plan:
    head = (("content-type", "application/json"), *(headers or {}).items())
    return Plan(status, head, (Step(0.0, dumped(body)),), whole=True)


def _read(body: bytes) -> Any:
    try:
        return json.loads(body)
    except ValueError:
        return body.decode("utf-8", "replace")[:10_000]
