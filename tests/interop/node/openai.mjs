// OpenAI's SDK: raw streams gathered as an application gathers them, and the SDK's own helpers.
import { load, main, runAll } from "./jobs.mjs";
import { TOOLS } from "./tools.mjs";

const { OpenAI } = await load("openai");

const messages = [{ role: "user", content: "hi" }];
const functionOf = ({ name, description, schema }) => ({ name, description, parameters: schema });
const chatTools = TOOLS.map((tool) => ({ type: "function", function: functionOf(tool) }));
const responsesTools = TOOLS.map((tool) => ({ type: "function", ...functionOf(tool), strict: false }));

// The loop of the documentation: calls by index, run at the end whatever the finish reason says.
async function chat(client, params, out) {
  const calls = [];
  const request = { ...params, messages, tools: chatTools, stream: true };
  for await (const chunk of await client.chat.completions.create(request)) {
    if (chunk.usage) out.usage = chunk.usage;
    const choice = chunk.choices[0];
    if (!choice) continue;
    out.text += choice.delta?.content ?? "";
    out.finish = choice.finish_reason ?? out.finish;
    for (const delta of choice.delta?.tool_calls ?? []) {
      calls[delta.index] ??= { id: delta.id, name: delta.function?.name, text: "" };
      calls[delta.index].text += delta.function?.arguments ?? "";
      out.calls = calls.filter(Boolean);
    }
  }
  runAll(out.calls, out);
}

const callOf = ({ id, function: { name, arguments: text } }) => ({ id, name, text });

// `.stream()`: the calls are those of the final completion.
async function chatStream(client, params, out) {
  const stream = client.chat.completions.stream({ ...params, messages, tools: chatTools });
  const note = ({ name, index, arguments: text }) => out.done.push({ name, index, text });
  stream.on("tool_calls.function.arguments.done", note);
  const { choices, usage } = await stream.finalChatCompletion();
  const [{ message, finish_reason: finish }] = choices;
  out.calls = (message.tool_calls ?? []).map(callOf);
  Object.assign(out, { text: message.content ?? "", finish, usage: usage ?? null });
  runAll(out.calls, out);
}

// `.runTools()`: the SDK itself calls the functions, which don't hear a call's id: its name and text tell it.
async function chatRun(client, params, out) {
  const tools = TOOLS.map((tool) => {
    const run = ({ text, input }, runner) => {
      const asked = runner.messages.findLast(({ role }) => role === "assistant").tool_calls;
      const same = ({ function: called }) => called.name === tool.name && called.arguments === text;
      const { id } = asked.find((call) => same(call) && !out.runs.some((run) => run.id === call.id));
      out.runs.push({ id, name: tool.name, input });
      return "done";
    };
    const parse = (text) => ({ text, input: JSON.parse(text) });
    return { type: "function", function: { ...functionOf(tool), parse, function: run } };
  });
  const request = { ...params, messages, tools, stream: true };
  const runner = client.chat.completions.runTools(request, { maxChatCompletions: 1 });
  runner.on("message", (message) => {
    if (message.role === "assistant") out.calls.push(...(message.tool_calls ?? []).map(callOf));
    if (message.role === "tool") out.results.push({ id: message.tool_call_id, content: message.content });
  });
  await runner.done();
  const [{ message, finish_reason: finish }] = (await runner.finalChatCompletion()).choices;
  Object.assign(out, { text: message.content ?? "", finish });
}

// Notes one event of a Responses stream, the calls by their item.
function noteResponse(event, out, calls) {
  if (out.types.at(-1) !== event.type) out.types.push(event.type);
  const { type, item, response } = event;
  if (type === "response.output_text.delta") out.text += event.delta;
  else if (type === "response.output_item.added" && item.type === "function_call") {
    calls.set(event.output_index, { id: item.call_id, name: item.name, text: item.arguments, done: false });
  } else if (type === "response.function_call_arguments.delta") calls.get(event.output_index).text += event.delta;
  else if (type === "response.function_call_arguments.done") {
    Object.assign(calls.get(event.output_index), { text: event.arguments, done: true });
  } else if (response && type !== "response.created" && type !== "response.in_progress") {
    Object.assign(out, { finish: response.status, usage: response.usage ?? null, response });
  } else if (type === "error") out.streamError = event;
  out.calls = [...calls.values()];
}

async function responses(client, params, out) {
  const calls = new Map();
  const request = { ...params, input: "hi", tools: responsesTools, stream: true };
  for await (const event of await client.responses.create(request)) noteResponse(event, out, calls);
  runAll(out.calls, out);
}

// `responses.stream()`: the calls are those of the final response.
async function responsesStream(client, params, out) {
  const calls = new Map();
  const stream = client.responses.stream({ ...params, input: "hi", tools: responsesTools });
  for await (const event of stream) noteResponse(event, out, calls);
  const response = await stream.finalResponse();
  Object.assign(out, { finish: response.status, usage: response.usage ?? null });
  const items = response.output.filter(({ type }) => type === "function_call");
  out.calls = items.map((item) => {
    return { id: item.call_id, name: item.name, text: item.arguments, done: item.status === "completed" };
  });
  runAll(out.calls, out);
}

const MODES = {
  chat,
  "chat-stream": chatStream,
  "chat-tools": chatRun,
  responses,
  "responses-stream": responsesStream,
};

await main(async (job, out, signal) => {
  Object.assign(out, { text: "", calls: [], runs: [], unparsable: [], finish: null, usage: null });
  if (job.mode.startsWith("responses")) Object.assign(out, { types: [], streamError: null, response: null });
  if (job.mode === "chat-stream") out.done = [];
  if (job.mode === "chat-tools") out.results = [];
  const fetchOptions = { signal };
  const options = { baseURL: job.url, apiKey: "none", defaultHeaders: job.headers };
  const client = new OpenAI({ ...options, maxRetries: 0, fetchOptions });
  await MODES[job.mode](client, { model: job.model ?? "gpt-4.1" }, out);
});
