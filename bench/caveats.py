"""What has to be known to read docs/benchmarks.md."""

from __future__ import annotations

__all__ = ["CAVEATS"]

CAVEATS = """\
## How to read this

- **Times** are CPU time of the process (user and system, all threads), garbage collection off, medians of {rounds}
  rounds. In every round each subject is measured once, in turn with the others, so a machine that changes its pace
  changes it for all; ratios are medians of the rounds' ratios. A subject that needs more than {budget:g} s for a cell
  gets fewer rounds, at least one. With garbage collection on, everybody is slower, those who make more objects more.
- **Processes**: both builds of toolwire and the peers run in processes of their own; the peers' packages are pinned
  with hashes in `bench/requirements.txt`.
- **Payloads** (`bench/payloads.py`) are made by code. The files hold an emoji, so their strings take 4 bytes a
  character, the worst case for whatever copies them.
- **Live value**: `PartialJSON` with the default repairs, its construction included, so the shortest payload carries it.
  jiter and pydantic_core get the whole text at every delta, open strings kept (`trailing-strings`); jiter's text is
  encoded each time, as the OpenAI SDK does it. The row with open strings dropped is `partial_mode=True`, what the SDKs
  themselves pass: it shows nothing of a file before its string closes. The joining of the text is not charged to those
  who re-parse. streaming-json-parser's native engine does not update an open string at every delta (see its row with
  that in mind).
- **Sampled prefixes**: where a payload has more deltas than {samples}, those who re-parse are measured at {samples}
  evenly spread prefixes (partial-json-parser and langchain_core at {half}), and the mean stands for a delta.
- **Changes and value**: path changes taken and the value read at every delta. **Changes**: taken instead of the value.
- **Bytes to events**: all read the same bytes, one server-sent event per read. The SDKs read through an in-memory
  transport of httpx2 (google-genai: httpx), no sockets; `httpx alone` is what that costs and is part of their rows.
  toolwire is handed the bytes, and once more reads them through the same client ("over httpx", set-up not counted).
  `toolwire` reads `call.partial` at every start, delta and end of a call.
- **What the user adds** is counted where the SDK gives only fragments: joining them and `jiter.from_json(...,
  partial_mode="trailing-strings")` at each (`+ jiter`); `openai create, no value` leaves that out. `.stream()` is given
  a strict tool, without which it parses nothing; it and anthropic's `messages.stream()` drop open strings, so they show
  less than toolwire does. pydantic-ai's joined `args` are re-parsed with pydantic_core. google-genai hands over
  `partial_args` as they come and puts no value together, so its `gemini partialArgs` row does less than toolwire's.
- **Not counted**: making the client, making the request, the response's head. The clock starts when the consumer asks
  for the first bytes and stops when it is done. Clients are made once and reused.
- **Windows**: those who re-parse, and litellm and `openai create, no value` for their slowness, are not run through
  200 KB (litellm not through 20 KB either), which would take minutes each. Instead, at
  {windows} evenly spread places, everything before comes as one delta and the next {window} deltas of 4 characters are
  timed. What they do at a delta depends on the text they hold and not on how it came, so the mean is the cost of a
  delta; the table under the recordings compares both ways where both are affordable. Work at the end of the stream
  is left out in windows.
- **Writing**: `Stream.receive` and `Encoder.feed` for each event, both made anew for every stream; nobody reads the
  live value. The provider's streams are canonical: made by code (`bench/streams.py`, `bench/other_streams.py`), one
  call, nothing to mend. The first frames and the last are counted as any other, those at the end of a response
  included, which repeat the whole arguments on some wires. `loads + dumps`, with Python's defaults, is a floor for
  whatever changes a payload and not a peer: it looks for no events in bytes, keeps no state and writes no frames.
  toolwire reads and writes JSON with msgspec. Where a provider sends arguments whole (gemini, ollama) there are two
  events in all, so the row is the cost of one large value. litellm's conversions are given the lines of data, as its
  HTTP client would hand them over: its reader of Anthropic alone, that reader under the wrapper that
  `completion(stream=True)` returns, and the adapter of its `/v1/messages`, for which each chunk is made from what
  `json.loads` gives. Its chunks are written as its proxy does it (`model_dump_json`). Neither its HTTP nor its proxy's
  server is counted, and neither are ours.
- **Use**: through the sans-I/O stream (guards, `partial_as`), the sync edge (a callback) and the async edge, where a
  consumer reads the live value at every delta and gives way once, with tasks beside it that follow the longest string
  (or the rows) or wait for the result, and without. `partial_as` takes the same Pydantic models as instructor.
  `pydantic allow_partial` is what pydantic-ai does with the joined text at every delta: `TypeAdapter.validate_json`
  of TypedDicts without required keys (models can't be partial there). instructor reads the deltas itself
  (`Partial[Model].model_from_chunks`), with the jiter it can be installed with; long texts in windows, as above. The
  rows of toolwire include the reading of the stream's bytes, those of the two don't.
- **Memory**: the 10 MB call and the single calls by tracemalloc, which sees Python's allocators but not a Rust
  library's own; the open streams by resident size, in a fresh process each. "Held" includes the text.
- **Imports**: CPU time of whole processes (`python -I`), median, after one that fills the caches. The peers'
  environment has its own bare interpreter to compare with.
- **One machine, one Python.** Absolute times are of no use elsewhere; ratios travel better, but not exactly.
"""
