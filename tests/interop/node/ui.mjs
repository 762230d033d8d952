// The browser side of the AI SDK: useChat's transport, with readUIMessageStream ("read") or the chat itself ("chat").
import { errorOf, load, main } from "./jobs.mjs";

const { AbstractChat, DefaultChatTransport, readUIMessageStream } = await load("ai");

const SHOWN = 20; // the last inputs shown, of each call

const ASK = { id: "u1", role: "user", parts: [{ type: "text", text: "hi" }] };
const isTool = (part) => part.type === "dynamic-tool" || part.type.startsWith("tool-");

// What a user interface was shown of each tool part, one message after another.
function see(message, out) {
  for (const part of message.parts.filter(isTool)) {
    const seen = (out.tools[part.toolCallId] ??= { states: [], shown: [] });
    if (seen.states.at(-1) !== part.state) seen.states.push(part.state);
    if (part.state === "input-streaming") {
      const input = structuredClone(part.input ?? null);
      if (JSON.stringify(seen.shown.at(-1)) !== JSON.stringify(input)) seen.shown.push(input);
      if (seen.shown.length > SHOWN) seen.shown.shift();
    }
    const id = part.toolCallId;
    if (part.state === "input-available" && !part.providerExecuted && !out.runs.some((run) => run.id === id)) {
      out.runs.push({ id, name: part.toolName ?? part.type.slice("tool-".length), input: part.input ?? null });
    }
  }
  out.metadata = message.metadata ?? null;
  out.parts = structuredClone(message.parts);
}

// The transport, with a note of every chunk that went through it.
function transportOf(job, out) {
  const transport = new DefaultChatTransport({ api: job.url, headers: job.headers });
  const send = transport.sendMessages.bind(transport);
  transport.sendMessages = async (options) => {
    const note = new TransformStream({
      transform(chunk, controller) {
        out.chunks.push(chunk.type);
        if (chunk.type === "finish") out.finish = chunk.finishReason ?? null;
        if (chunk.type === "abort") out.aborted = true;
        controller.enqueue(chunk);
      },
    });
    return (await send(options)).pipeThrough(note);
  };
  return transport;
}

async function read(job, out, signal) {
  const options = { chatId: "chat", messages: [ASK], trigger: "submit-message", messageId: undefined };
  const stream = await transportOf(job, out).sendMessages({ ...options, abortSignal: signal });
  const onError = (error) => out.errors.push(errorOf(error));
  for await (const message of readUIMessageStream({ stream, onError })) see(message, out);
}

class Chat extends AbstractChat {
  constructor(options, show) {
    const state = {
      status: "ready",
      error: undefined,
      messages: [],
      pushMessage: (message) => show(state.messages[state.messages.push(message) - 1]),
      popMessage: () => state.messages.pop(),
      replaceMessage: (index, message) => show((state.messages[index] = message)),
      snapshot: structuredClone,
    };
    super({ ...options, state });
  }
}

async function chat(job, out, signal) {
  const options = {
    id: "chat",
    transport: transportOf(job, out),
    onToolCall: ({ toolCall }) => void out.onToolCall.push(toolCall),
    onError: (error) => out.errors.push(errorOf(error)),
    onFinish: ({ message, messages, ...end }) => (out.onFinish = end),
  };
  const show = (message) => message.role === "assistant" && see(message, out);
  const client = new Chat(options, show);
  signal.addEventListener("abort", () => client.stop());
  await client.sendMessage({ text: "hi" });
  out.status = client.status;
}

await main(async (job, out, signal) => {
  Object.assign(out, { parts: [], tools: {}, runs: [], errors: [], metadata: null });
  Object.assign(out, { finish: null, aborted: false, chunks: [] });
  if (job.mode !== "chat") return read(job, out, signal);
  Object.assign(out, { onToolCall: [], onFinish: null, status: null });
  return chat(job, out, signal);
});
