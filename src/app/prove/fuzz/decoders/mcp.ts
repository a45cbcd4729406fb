// What an MCP server prints, as a target. Each line of an input is a message of the server; `"$id"` stands for the id of the
// request that it answers. The server is started, lists its tools, is called, and is stopped: whatever it says, each of these
// ends, and what is taken from it is within its bounds.
import { memberIn, tryParseJson } from "../../../../contract/json-object.ts"
import { limits } from "../../../../contract/limits.ts"
import type { McpServer } from "../../../../mcp/mcp-server.ts"
import { RunningServer } from "../../../../mcp/running-server.ts"
import type { CallOptions } from "../../../../mcp/server-call.ts"
import { callResult, failedResult } from "../../../../mcp/tools/call-result.ts"
import { serverTool } from "../../../../mcp/tools/server-tool.ts"
import type { ToolResult } from "../../../../tools/tool.ts"
import { LineSplitter } from "../../../../transports/framing/lines.ts"
import { Finding, type FuzzTarget } from "../fuzz-target.ts"
import { FakeProcess } from "./fake-process.ts"
import { linesOf, quoted } from "./input-lines.ts"
import { mcpSeeds, mcpWords } from "./mcp-seeds.ts"
import { untilDone } from "./until-done.ts"

const id = '"$id"'
const MAX_LINE_BYTES = 1024 * 1024
/** Turns of the event loop in which nothing happened before the server says more. */
const QUIET_TURNS = 12
const MAX_ERROR_LENGTH = 600

const server: McpServer = {
  name: "fuzzed",
  kind: "stdio",
  command: "fuzzed",
  isTrusted: true,
  isShared: false,
  startTimeoutMs: 20_000,
  callTimeoutMs: 20_000,
  isOfProject: false,
  source: "the proof",
}

export function openTarget(): Promise<FuzzTarget> {
  const modules = [
    "mcp/running-server",
    "mcp/connection/",
    "mcp/listing/",
    "mcp/tools/",
    "mcp/request-faults",
    "mcp/asking/",
    "mcp/call-",
  ]
  return Promise.resolve({ name: "mcp", seeds: mcpSeeds, words: mcpWords, modules, run })
}

/** True if the server became ready. */
async function run(input: Uint8Array): Promise<boolean> {
  const conversation = new Conversation(linesOf(input))
  const running = new RunningServer(server, {
    release: "0.0.0",
    spawn: async () => conversation.open(),
    debug: () => {},
    warn: () => {},
  })
  try {
    await conversation.during(running.start())
    const { state } = running.status
    checkStatus(running)
    for (const listed of running.tools.slice(0, 3)) {
      checkTool(running, listed)
      await conversation.during(callTool(running, listed.name))
    }
    if (running.hasPrompts) await conversation.during(checkPrompts(running))
    if (running.hasResources) await conversation.during(checkResources(running))
    return state === "ready"
  } finally {
    await conversation.during(running.stop())
    conversation.expectKilled()
  }
}

/** The server's side: says the lines up to the one that answers, for each request. */
class Conversation {
  readonly #lines: string[]
  readonly #processes: FakeProcess[] = []
  #unanswered: number | string = 0
  #activity = 0

  constructor(lines: readonly string[]) {
    this.#lines = [...lines]
  }

  open(): FakeProcess {
    const splitter = new LineSplitter(MAX_LINE_BYTES, (line) => line.kind === "line" && this.#take(line.text))
    const process = new FakeProcess((chunk) => splitter.push(chunk))
    this.#processes.push(process)
    return process
  }

  /** A server that has nothing more to say ends. */
  during<Value>(work: Promise<Value>): Promise<Value> {
    let before = this.#activity
    let quiet = 0
    return untilDone(work, () => {
      quiet = this.#activity === before ? quiet + 1 : 0
      before = this.#activity
      if (quiet === QUIET_TURNS) this.#sayMore()
    })
  }

  expectKilled(): void {
    if (this.#processes.some(({ isKilled }) => !isKilled))
      throw new Finding("stop", "the process of a server that is stopped was not ended")
  }

  #take(text: string): void {
    this.#activity += 1
    const message = tryParseJson(text)
    const requestId = memberIn(message, "id")
    if (memberIn(message, "method") === undefined || (typeof requestId !== "number" && typeof requestId !== "string"))
      return
    this.#unanswered = requestId
    this.#say()
  }

  #sayMore(): void {
    this.#activity += 1
    if (this.#processes.length === 0) return // its client is being loaded
    if (this.#lines.length > 0) this.#say()
    else this.#processes.at(-1)?.exit()
  }

  #say(): void {
    for (let line = this.#lines.shift(); line !== undefined; line = this.#lines.shift()) {
      this.#activity += 1
      this.#processes.at(-1)?.print(`${line.replaceAll(id, JSON.stringify(this.#unanswered))}\n`)
      if (line.includes(id)) return
    }
  }
}

function checkStatus({ status }: RunningServer): void {
  const { state, lastError } = status
  if (state !== "ready" && state !== "failed" && state !== "needs login")
    throw new Finding("start", `the server is ${state} after its start`)
  if (state === "failed" && (lastError ?? "").trim() === "") throw new Finding("start", "it failed without a reason")
  if ((lastError ?? "").length > MAX_ERROR_LENGTH || /[\r\n]/.test(lastError ?? ""))
    throw new Finding("start", `the reason is not one short line: ${quoted(lastError ?? "")}`)
}

/** What providers demand of the tools of a request. */
function checkTool(running: RunningServer, listed: RunningServer["tools"][number]): void {
  const { name, description, inputSchema, problem } = serverTool(running, listed)
  const schema: unknown = JSON.parse(JSON.stringify(inputSchema))
  if (!/^[\w-]{1,64}$/.test(name))
    throw new Finding("tools/list", `no provider takes a tool with the name ${quoted(name)}`)
  if (description.trim() === "" && listed.description.trim() !== "")
    throw new Finding("tools/list", "a tool has no description")
  if (typeof schema !== "object" || memberIn(tryParseJson(JSON.stringify(schema)), "type") !== "object")
    throw new Finding("tools/list", "an input schema is not that of an object")
  problem?.({ path: "a", count: 1 })
}

async function callTool(running: RunningServer, tool: string): Promise<void> {
  const answer = await running.call(tool, { path: "a" }, callOptions())
  const result = answer.kind === "result" ? callResult(answer.result, server.name) : failedResult(answer, server.name)
  checkResult(result)
}

function checkResult({ output, outcome, untrustedSource, images = [] }: ToolResult): void {
  if (output.trim() === "" && outcome !== "done") throw new Finding("tools/call", "a failed call has no reason")
  if (Buffer.byteLength(output) > limits.toolOutputBytes + 1000) throw new Finding("tools/call", "a result is too long")
  if (outcome === "done" && untrustedSource === undefined) throw new Finding("tools/call", "a result counts as trusted")
  if (images.some(({ data = "" }) => data === "" || Buffer.byteLength(data) > 2 * limits.toolImageBytes))
    throw new Finding("tools/call", "an image is empty or too large")
}

async function checkPrompts(running: RunningServer): Promise<void> {
  const listed = await running.prompts(new AbortController().signal)
  if (listed.kind === "failed" && listed.reason.trim() === "")
    throw new Finding("prompts/list", "it failed without a reason")
  if (listed.kind === "result" && listed.result.some(({ name }) => name === ""))
    throw new Finding("prompts/list", "a prompt has no name")
}

async function checkResources(running: RunningServer): Promise<void> {
  const listed = await running.resources(new AbortController().signal)
  if (listed.kind === "failed" && listed.reason.trim() === "")
    throw new Finding("resources/list", "it failed without a reason")
  if (listed.kind === "result" && listed.result.some(({ uri }) => uri === ""))
    throw new Finding("resources/list", "a resource has no address")
}

function callOptions(): CallOptions {
  return {
    signal: new AbortController().signal,
    meta: {},
    asks: {
      sessionId: "none",
      elicit: async () => ({ action: "decline" }),
      sample: async () => {
        throw new Error("it is not allowed")
      },
    },
    progress: () => {},
  }
}
