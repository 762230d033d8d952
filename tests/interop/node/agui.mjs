// AG-UI's HttpAgent with a subscriber.
import { errorOf, load, main } from "./jobs.mjs";
import { TOOLS } from "./tools.mjs";

const { HttpAgent } = await load("@ag-ui/client");

const tools = TOOLS.map(({ name, description, schema }) => ({ name, description, parameters: schema }));

// Notes one event that passed the client's verifier.
function note(event, out) {
  const { type, toolCallId: id } = event;
  out.types.push(type);
  if (type === "TOOL_CALL_START") {
    // A closed call may be opened again: the client then goes on with the text it has.
    out.calls[id] = { name: event.toolCallName, text: out.calls[id]?.text ?? "", ended: false, args: null };
  } else if (type === "TOOL_CALL_ARGS") out.calls[id].text += event.delta;
  else if (type === "TOOL_CALL_END") out.calls[id].ended = true;
  else if (type === "TEXT_MESSAGE_CONTENT") out.text += event.delta;
  else if (type === "RUN_FINISHED") [out.finished, out.outcome] = [true, event.outcome ?? null];
  else if (type === "RUN_ERROR") out.runError = { message: event.message, code: event.code ?? null };
}

// What an application runs that acts on END, once the run is over without an error.
function runEnded(out) {
  for (const [id, { name, text, ended }] of Object.entries(out.calls)) {
    if (!ended) continue;
    try {
      out.runs.push({ id, name, input: JSON.parse(text || "{}") });
    } catch (error) {
      out.unparsable.push({ id, name, text, message: error.message });
    }
  }
}

await main(async (job, out, signal) => {
  const found = { types: [], calls: {}, text: "", runs: [], unparsable: [], messages: [] };
  Object.assign(out, found, { resolved: false, finished: false, outcome: null, runError: null, runFailed: null });
  const agent = new HttpAgent({ url: job.url, headers: job.headers, threadId: "thread" });
  agent.messages = [{ id: "u1", role: "user", content: "hi" }];
  const subscriber = {
    onEvent: ({ event }) => void note(event, out),
    onToolCallEndEvent: ({ event, toolCallArgs }) => void (out.calls[event.toolCallId].args = toolCallArgs),
    onRunFailed: ({ error }) => void (out.runFailed = errorOf(error)),
  };
  signal.addEventListener("abort", () => agent.abortRun());
  try {
    await agent.runAgent({ runId: "run", tools }, subscriber);
    out.resolved = true;
  } catch (error) {
    out.error = errorOf(error);
  }
  out.messages = structuredClone(agent.messages.filter(({ id }) => id !== "u1"));
  if (out.resolved && !out.runFailed && !out.runError) runEnded(out);
});
