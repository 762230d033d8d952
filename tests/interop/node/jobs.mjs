// Runs a driver's jobs one after another and prints one line of JSON for each.
import path from "node:path";
import vm from "node:vm";

const LIMIT = 20_000;
const LAST_WORDS = 50; // milliseconds
const MESSAGE = 500; // characters of an error's message: a failed validation tells every type it tried

// A module of the set this process was started in: the driver itself lies outside every set.
export const load = new vm.Script("(name) => import(name)", {
  filename: path.join(process.cwd(), "set.js"),
  importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
}).runInThisContext();

// An error as it is printed: its class, its message, and what lies behind a broken connection.
export function errorOf(error) {
  const text = (message) => String(message).slice(0, MESSAGE);
  if (typeof error === "string") return { name: "string", message: text(error), cause: null };
  if (!(error instanceof Error)) return { name: typeof error, message: text(JSON.stringify(error)), cause: null };
  const cause = error.cause instanceof Error ? text(error.cause.message) : null;
  return { name: error.constructor.name, message: text(error.message), cause };
}

// Every call an application gathered as text, run at the end of the stream: what it hands to its tools.
export function runAll(calls, out) {
  for (const { id, name, text } of calls) {
    try {
      out.runs.push({ id, name, input: JSON.parse(text) });
    } catch (error) {
      out.unparsable.push({ id, name, text, message: error.message });
    }
  }
}

export async function main(drive) {
  const write = process.stdout.write.bind(process.stdout);
  let out = {};
  const said = (word) => (word instanceof Error ? word.message : String(word));
  const note = (...words) => out.logged?.push(words.map(said).join(" "));
  Object.assign(console, { log: note, info: note, debug: note, warn: note, error: note });
  for (const kind of ["unhandledRejection", "uncaughtException"]) {
    process.on(kind, (error) => out.unhandled?.push(errorOf(error)));
  }
  for (const job of JSON.parse(process.argv[2])) {
    out = { name: job.name, mode: job.mode ?? null, hung: false, error: null, unhandled: [], logged: [] };
    const current = out;
    const abort = new AbortController();
    let timer;
    const watchdog = new Promise((resolve) => {
      timer = setTimeout(() => resolve((current.hung = true)), job.limit ?? LIMIT);
    });
    const work = drive(job, current, abort.signal).catch((error) => {
      current.error ??= errorOf(error);
    });
    await Promise.race([work, watchdog]);
    clearTimeout(timer);
    // Rejections that nobody handles are told a turn later.
    await new Promise((resolve) => setImmediate(resolve));
    const line = JSON.stringify(current);
    await new Promise((resolve) => write(line + "\n", resolve));
    // What a job that was given up says of its end is no other's.
    out = {};
    abort.abort();
    if (current.hung) await new Promise((resolve) => setTimeout(resolve, LAST_WORDS));
  }
  process.exit(0);
}
