// The server side of the AI SDK: streamText over a provider, with tools that only note what they were given.
import { errorOf, load, main } from "./jobs.mjs";
import { TOOLS } from "./tools.mjs";

const [{ stepCountIs, streamText, tool }, { createAnthropic }, { createOpenAI }, { createOpenAICompatible }, { z }] =
  await Promise.all(["ai", "@ai-sdk/anthropic", "@ai-sdk/openai", "@ai-sdk/openai-compatible", "zod"].map(load));

// An application's own types: an object without what they don't name, or a refusal.
const TYPES = {
  get_weather: z.object({ city: z.string() }),
  search: z.object({ query: z.string(), limit: z.number().int().optional() }),
  now: z.object({}),
  write_file: z.object({ path: z.string(), content: z.string() }),
};

const MODELS = {
  "openai-chat": (options, id) => createOpenAI(options).chat(id),
  "openai-responses": (options, id) => createOpenAI(options)(id),
  anthropic: (options, id) => createAnthropic(options)(id),
  compatible: (options, id) => createOpenAICompatible({ ...options, name: "compatible", includeUsage: true })(id),
};

const IDS = {
  "openai-chat": "gpt-4.1",
  "openai-responses": "gpt-4.1",
  anthropic: "claude-sonnet-4-5",
  compatible: "some-model",
};

// Notes one part of the full stream.
function note(part, out) {
  const { type, toolCallId: id, toolName: name } = part;
  if (type === "text-delta") out.text += part.text;
  else if (type === "reasoning-delta") out.reasoning += part.text;
  else if (type === "tool-input-start") out.streamed[part.id] = { name, text: "", ended: false };
  else if (type === "tool-input-delta") out.streamed[part.id].text += part.delta;
  else if (type === "tool-input-end") out.streamed[part.id].ended = true;
  else if (type === "tool-call") {
    const call = { id, name, input: part.input ?? null, providerExecuted: part.providerExecuted ?? false };
    out.calls.push(call);
    if (part.invalid) out.invalid.push({ ...call, error: errorOf(part.error) });
  } else if (type === "tool-error") {
    out.toolErrors.push({ id, name, input: part.input ?? null, error: errorOf(part.error) });
  } else if (type === "error") out.errors.push(errorOf(part.error));
  else if (type === "abort") out.aborted = true;
  else if (type === "finish-step") out.metadata = part.providerMetadata ?? null;
  else if (type === "finish") {
    const { finishReason: finish, rawFinishReason: rawFinish = null, totalUsage: usage } = part;
    Object.assign(out, { finish, rawFinish, usage });
  }
  if (out.types.at(-1) !== type) out.types.push(type);
}

await main(async (job, out, signal) => {
  const found = { text: "", reasoning: "", runs: [], calls: [], streamed: {}, invalid: [], toolErrors: [], errors: [] };
  Object.assign(out, found, { aborted: false, finish: null, rawFinish: null, usage: null, metadata: null, types: [] });
  const tools = TOOLS.map(({ name, description }) => {
    const execute = (input, { toolCallId: id }) => {
      out.runs.push({ id, name, input });
      return "done";
    };
    return [name, tool({ description, inputSchema: TYPES[name], execute })];
  });
  const options = { baseURL: job.url, apiKey: "none", headers: job.headers };
  const result = streamText({
    model: MODELS[job.mode](options, job.model ?? IDS[job.mode]),
    prompt: "hi",
    tools: Object.fromEntries(tools),
    stopWhen: stepCountIs(1),
    maxRetries: 0,
    abortSignal: signal,
    onError: () => {}, // the default writes to the console; the parts of the stream tell the same
  });
  for await (const part of result.fullStream) note(part, out);
});
