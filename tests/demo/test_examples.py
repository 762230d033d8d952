from __future__ import annotations

import os
import subprocess
import sys

import pytest
from support import ROOT

EXAMPLES = ROOT / "examples"

OUTPUT = {
    "sync_loop": """\
I'll compare the weather in both cities and look for a flight.
[0] get_weather ... {'city': 'Lisbon', 'days': 3, 'unit': 'celsius'}
[1] get_weather ... {'city': 'São Paulo', 'days': 3, 'unit': 'celsius'}
[2] search_flights ... {'from': 'LIS', 'to': 'GRU', 'date': '2031-04-12', \
'cabin': ['economy', 'premium'], 'max_stops': 1}
tool_calls: run get_weather, get_weather, search_flights
""",
    "async_calls": """\
call_demo0Qz7Lk3VtP: get_weather(city='Lisbon', days=3, unit='celsius')
call_demo1Qz7Lk3VtP: get_weather(city='São Paulo', days=3, unit='celsius')
call_demo2Qz7Lk3VtP: search_flights(from='LIS', to='GRU', date='2031-04-12', cabin=['economy', 'premium'], max_stops=1)
""",
    "own_loop": """\
open_ledger: complete
upsert_rows: incomplete
length: 0 to run
""",
    "partial_json": """\
{'title': 'Tea'}  <- opened (), opened ('title',), appended ('title',)
{'title': 'Tea for two'}  <- appended ('title',), closed ('title',)
{'title': 'Tea for two', 'cups': 2, 'with': ['mi']}  <- set ('cups',), opened ('with',), opened ('with', 0), \
appended ('with', 0)
{'title': 'Tea for two', 'cups': 2, 'with': ['milk']}  <- appended ('with', 0), closed ('with', 0), \
closed ('with',), closed ()
closed: True, fault: None
malformed at 20; still readable: {'cups': 2}
""",
    "parts_of_a_call": """\
submit_application: the applicant lives in Amsterdam, so their tariffs can be looked up already
  cargo bike: 4250
  child seat: 129.95
  remarks of 89 characters; the call is open
  may be run, with applicant, policy, items, consents, remarks
""",
    "file_as_it_streams": """\
almanac.py: 1715 bytes
  left: ['almanac.py']
almanac.py: rolled back 828 bytes (cut)
  left: []
""",
    "early_search": """\
search_flights is open
looking for LIS-GRU
search_flights is complete, for 2031-04-12: LIS-GRU from 612 EUR
""",
    "runaway_call": """\
closed after 41 of 225 chunks
write_minutes is incomplete; 0 to run
aborted: the last 512 characters of arguments repeat themselves
41996 bytes never came
""",
    "form_that_fills_in": """\
...             0 items
Noor Ver        0 items
Noor Vermeulen  0 items
Noor Vermeulen  1 items
Noor Vermeulen  2 items
Noor Vermeulen  2 items  remarks
""",
    "stopped_early": """\
write_minutes is incomplete after 436 characters
44538 of 51445 bytes never came
""",
    "checked_arguments": """\
get_weather: Weather(city='Lisbon', days=3, unit='celsius')
get_weather: Weather(city='São Paulo', days=3, unit='celsius')
call_demo0Qz7Lk3VtP <- sunny in Lisbon
call_demo1Qz7Lk3VtP <- sunny in São Paulo
call_demo2Qz7Lk3VtP <- The tool was not run, because its arguments are not valid:
- Object contains unknown field `from`
""",
    "next_request": """\
openai-chat:
  {"role": "assistant", "content": "I'll compare the weather in both cities and look for a flight.", "tool_calls": \
[{"id": "call_demo0Qz7Lk3VtP", "type": "function", "function": {"name": "get_weather", "arguments": "{\\"city\\":\
\\"Lisbon\\",\\"days\\":3,\\"unit\\":\\"celsius\\"}"}}, {"id": "call_demo1Qz7Lk3VtP", "type": "function", "function\
": {"name": "get_weather", "arguments": "{\\"city\\":\\"São Paulo\\",\\"days\\":3,\\"unit\\":\\"celsius\\"}"}}, {"i\
d": "call_demo2Qz7Lk3VtP", "type": "function", "function": {"name": "search_flights", "arguments": "{\\"from\\":\\"\
LIS\\",\\"to\\":\\"GRU\\",\\"date\\":\\"2031-04-12\\",\\"cabin\\":[\\"economy\\",\\"premium\\"],\\"max_stops\\":1}"\
}}]}
  {"role": "tool", "tool_call_id": "call_demo0Qz7Lk3VtP", "content": "{\\"city\\":\\"Lisbon\\",\\"high\\":24}"}
  {"role": "tool", "tool_call_id": "call_demo1Qz7Lk3VtP", "content": "{\\"city\\":\\"São Paulo\\",\\"high\\":24}"}
  {"role": "tool", "tool_call_id": "call_demo2Qz7Lk3VtP", "content": "ConnectionError: the airline doesn't answer"}
anthropic:
  {"role": "assistant", "content": [{"type": "text", "text": "I'll compare the weather in both cities and look for \
a flight."}, {"type": "tool_use", "id": "call_demo0Qz7Lk3VtP", "name": "get_weather", "input": {"city": "Lisbon", "\
days": 3, "unit": "celsius"}}, {"type": "tool_use", "id": "call_demo1Qz7Lk3VtP", "name": "get_weather", "input": {"\
city": "São Paulo", "days": 3, "unit": "celsius"}}, {"type": "tool_use", "id": "call_demo2Qz7Lk3VtP", "name": "sear\
ch_flights", "input": {"from": "LIS", "to": "GRU", "date": "2031-04-12", "cabin": ["economy", "premium"], "max_stop\
s": 1}}]}
  {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "call_demo0Qz7Lk3VtP", "content": "{\\"city\
\\":\\"Lisbon\\",\\"high\\":24}"}, {"type": "tool_result", "tool_use_id": "call_demo1Qz7Lk3VtP", "content": "{\\"ci\
ty\\":\\"São Paulo\\",\\"high\\":24}"}, {"type": "tool_result", "tool_use_id": "call_demo2Qz7Lk3VtP", "content": "C\
onnectionError: the airline doesn't answer", "is_error": true}]}
gemini:
  {"role": "model", "parts": [{"text": "I'll compare the weather in both cities and look for a flight."}, {"functio\
nCall": {"name": "get_weather", "args": {"city": "Lisbon", "days": 3, "unit": "celsius"}}, "thoughtSignature": "ski\
p_thought_signature_validator"}, {"functionCall": {"name": "get_weather", "args": {"city": "São Paulo", "days": 3, \
"unit": "celsius"}}}, {"functionCall": {"name": "search_flights", "args": {"from": "LIS", "to": "GRU", "date": "203\
1-04-12", "cabin": ["economy", "premium"], "max_stops": 1}}}]}
  {"role": "user", "parts": [{"functionResponse": {"name": "get_weather", "response": {"city": "Lisbon", "high": 24\
}}}, {"functionResponse": {"name": "get_weather", "response": {"city": "São Paulo", "high": 24}}}, {"functionRespon\
se": {"name": "search_flights", "response": {"error": "ConnectionError: the airline doesn't answer"}}}]}
""",
}


def test_every_example_is_here() -> None:
    assert {path.stem for path in EXAMPLES.glob("*.py")} == set(OUTPUT)


@pytest.mark.parametrize("name", OUTPUT)
def test_an_example_runs_and_says(name: str) -> None:
    path = EXAMPLES / f"{name}.py"
    assert len(path.read_text().splitlines()) <= 40
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run([sys.executable, path], capture_output=True, check=False, timeout=60, env=environment)
    assert (done.returncode, done.stderr.decode()) == (0, "")
    assert done.stdout.decode() == OUTPUT[name]
