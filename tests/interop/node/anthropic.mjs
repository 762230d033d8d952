// Anthropic's SDK: the raw stream gathered as an application gathers it, and the SDK's own helper.
import { load, main, runAll } from "./jobs.mjs";
import { TOOLS } from "./tools.mjs";

const { Anthropic } = await load("@anthropic-ai/sdk");
const { betaTool } = await load("@anthropic-ai/sdk/helpers/beta/json-schema");

const messages = [{ role: "user", content: "hi" }];
const tools = TOOLS.map(({ name, description, schema }) => ({ name, description, input_schema: schema }));

// The raw events: blocks by index, run at the end whatever the stop reason says; no text is a call without arguments.
async function create(client, params, out) {
  const calls = new Map();
  for await (const event of await client.messages.create({ ...params, stream: true })) {
    if (out.types.at(-1) !== event.type) out.types.push(event.type);
    const { type, delta, content_block: block } = event;
    if (type === "content_block_start" && block.type.endsWith("tool_use")) {
      calls.set(event.index, { id: block.id, name: block.name, text: "", done: false });
    } else if (type === "content_block_stop" && calls.has(event.index)) calls.get(event.index).done = true;
    else if (delta?.type === "input_json_delta") calls.get(event.index).text += delta.partial_json;
    else if (delta?.type === "text_delta") out.text += delta.text;
    else if (delta?.type === "thinking_delta") out.reasoning += delta.thinking;
    else if (type === "message_delta") [out.finish, out.usage] = [delta.stop_reason, event.usage ?? null];
    out.calls = [...calls.values()];
  }
  runAll(
    out.calls.map((call) => ({ ...call, text: call.text || "{}" })),
    out,
  );
}

// `messages.stream()`: the calls are those of the final message, their input as the SDK parsed it.
async function stream(client, params, out) {
  const stream = client.messages.stream(params);
  stream.on("streamEvent", ({ type }) => out.types.at(-1) !== type && out.types.push(type));
  stream.on("inputJson", (delta, snapshot) => (out.shown = structuredClone(snapshot ?? null)));
  noteMessage(await stream.finalMessage(), out);
  out.runs = out.calls;
}

// What a whole message says.
function noteMessage(message, out) {
  for (const block of message.content) {
    if (block.type === "text") out.text += block.text;
    else if (block.type === "thinking") out.reasoning += block.thinking;
    else if (block.type.endsWith("tool_use")) out.calls.push({ id: block.id, name: block.name, input: block.input });
  }
  [out.finish, out.usage] = [message.stop_reason, message.usage];
}

// The tool runner: the SDK itself calls the tools, after one message.
async function toolRun(client, params, out) {
  const messages = [{ role: "user", content: "hi" }];
  const tools = TOOLS.map(({ name, description, schema }) => {
    const run = (input, { toolUseBlock: { id } }) => {
      out.runs.push({ id, name, input });
      return "done";
    };
    return betaTool({ name, description, inputSchema: schema, run });
  });
  const runner = client.beta.messages.toolRunner({ ...params, tools, stream: true, max_iterations: 1 });
  for await (const stream of runner) {
    stream.on("streamEvent", ({ type }) => out.types.at(-1) !== type && out.types.push(type));
    noteMessage(await stream.finalMessage(), out);
  }
}

const MODES = { create, stream, tools: toolRun };

await main(async (job, out, signal) => {
  Object.assign(out, { text: "", reasoning: "", calls: [], runs: [], types: [], finish: null, usage: null });
  if (job.mode === "create") out.unparsable = [];
  if (job.mode === "stream") out.shown = null;
  const fetchOptions = { signal };
  const options = { baseURL: job.url, apiKey: "none", defaultHeaders: job.headers };
  const client = new Anthropic({ ...options, maxRetries: 0, fetchOptions });
  const params = { model: job.model ?? "claude-sonnet-4-5", max_tokens: 1024, messages, tools };
  await MODES[job.mode](client, params, out);
});
