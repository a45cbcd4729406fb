// What an extension prints, as a target. Each line of an input is a message; `"$id"` stands for the id of the request that it
// answers, and `raw:` begins a line that is sent without a frame. The extension is started, gets every kind of hook, and is
// asked as a provider of models: a guard without a decision blocks, and the program does not wait for what it leaves unanswered.
import type { LanguageModelV4StreamPart } from "@ai-sdk/provider"
import type { JsonValue } from "../../../../contract/values.ts"
import { memberIn } from "../../../../contract/json-object.ts"
import {
  decideByGuards,
  decideOn,
  collect,
  replaceOutput,
  type Handler,
  type Ruling,
} from "../../../../hooks/bus/bus.ts"
import { CommandText, readCommandMessage } from "../../../../hooks/commands/command-output.ts"
import { ModelAnswer } from "../../../../hooks/models/model-answer.ts"
import { actionOf, promptRefusal } from "../../../../hooks/shell/hook-answer.ts"
import { RpcProcess, type Reply } from "../../../../processes/rpc-process.ts"
import { readInitializeResult } from "../../../../protocols/extension/handshake.ts"
import type { HookEvent } from "../../../../protocols/extension/frames.ts"
import { deltaText, readProviderResult, readStreamEvent } from "../../../../protocols/extension/providers.ts"
import { encodeRequest } from "../../../../protocols/json-rpc.ts"
import { contentFrame } from "../../../../transports/framing/content-length.ts"
import { Finding, type FuzzTarget } from "../fuzz-target.ts"
import { extensionSeeds, extensionWords } from "./extension-seeds.ts"
import { FakeProcess } from "./fake-process.ts"
import { linesOf, quoted } from "./input-lines.ts"
import { untilDone } from "./until-done.ts"

const id = '"$id"'
const raw = "raw:"
/** Turns of the event loop after which an extension that has not answered says more. */
const QUIET_TURNS = 6
const MAX_REPLACED_BYTES = 1024 * 1024
const rights = { version: 2, permissions: new Set(["tools.register", "providers.register"]), config: { key: "k" } }
const shellHooks = ["PreToolUse", "PostToolUse", "UserPromptSubmit", "SessionStart", "Stop", "SessionEnd"] as const

export function openTarget(): Promise<FuzzTarget> {
  const modules = [
    "hooks/bus/",
    "hooks/models/model-answer",
    "hooks/shell/hook-answer",
    "hooks/commands/command-output",
    "processes/rpc-process",
    "protocols/extension/",
    "protocols/json-rpc",
    "transports/framing/content-length",
  ]
  return Promise.resolve({ name: "extension", seeds: extensionSeeds, words: extensionWords, modules, run })
}

/** True if the extension was started. */
async function run(input: Uint8Array): Promise<boolean> {
  const extension = new FuzzedExtension(linesOf(input))
  try {
    const isStarted = checkStart(await extension.ask("initialize", {}))
    await checkGuard(extension)
    await checkHooks(extension)
    await checkProvider(extension)
    return isStarted
  } finally {
    await extension.end()
  }
}

class FuzzedExtension {
  readonly #lines: string[]
  readonly #process: FakeProcess
  readonly #rpc: RpcProcess
  #lastId = 0

  constructor(lines: readonly string[]) {
    this.#lines = [...lines]
    this.#process = new FakeProcess(() => {})
    this.#rpc = new RpcProcess(this.#process, {
      serve: async () => ({ kind: "result", value: null }),
      notice: ({ params }) => checkCommandOutput(params),
      debug: () => {},
    })
  }

  async ask(method: string, params: JsonValue | HookEvent, onEvent?: (params: JsonValue) => void): Promise<Reply> {
    const requestId = (this.#lastId += 1)
    const onNotice = onEvent && (({ params: event }: { readonly params: JsonValue }) => onEvent(event))
    const reply = this.#rpc.request(requestId, encodeRequest(requestId, method, params), { onNotice })
    let turns = 0
    return untilDone(reply, () => {
      if (turns % QUIET_TURNS === 0 && !this.#say(requestId)) this.#process.exit()
      turns += 1
    })
  }

  async end(): Promise<void> {
    await this.#rpc.kill()
    if (!this.#process.isKilled) throw new Finding("stop", "the process of an extension that is stopped was not ended")
  }

  /** The lines up to the one that answers. False if there is none. */
  #say(requestId: number): boolean {
    if (this.#lines.length === 0) return false
    for (let line = this.#lines.shift(); line !== undefined; line = this.#lines.shift()) {
      const text = line.replaceAll(id, String(requestId))
      const bytes = text.startsWith(raw) ? text.slice(raw.length) : Buffer.from(contentFrame(text), "latin1")
      this.#process.print(bytes)
      if (line.includes(id)) break
    }
    return true
  }
}

function checkStart(reply: Reply): boolean {
  if (reply.kind !== "result") return false
  const read = readInitializeResult(reply.value, rights)
  if (read.kind === "refused") {
    if (read.reason.trim() === "") throw new Finding("initialize", "it is refused without a reason")
    return false
  }
  const names = read.tools.map(({ name }) => name)
  if (new Set(names).size < names.length) throw new Finding("initialize", "two tools have the same name")
  if (names.some((name) => /[:\s]/.test(name) || name === ""))
    throw new Finding("initialize", "a tool has no valid name")
  return true
}

function handlerOf(extension: FuzzedExtension, kind: HookEvent["kind"], isGuard: boolean, seen: JsonValue[]): Handler {
  return {
    extension: "fuzzed",
    kind,
    tool: undefined,
    match: undefined,
    isGuard,
    mayReplace: true,
    handle: async (event) => {
      const reply = await extension.ask("hook.handle", event)
      if (reply.kind === "result") {
        seen.push(reply.value)
        return { kind: "result", value: reply.value }
      }
      return { kind: "failed", reason: "reason" in reply ? reply.reason : reply.kind }
    },
  }
}

function eventOf(kind: HookEvent["kind"]): HookEvent {
  const none = { data: null, message: null, session_id: null, transcript: null }
  return { ...none, kind, tool_input: { path: "a" }, tool_name: "read", tool_output: "text", tool_runtime_name: null }
}

/** Only a `continue` of the guard lets the call run as it is. */
async function checkGuard(extension: FuzzedExtension): Promise<void> {
  const seen: JsonValue[] = []
  const guard = handlerOf(extension, "before_tool_call", true, seen)
  const ruling = await decideByGuards([guard], eventOf("before_tool_call"), () => {})
  const action = memberIn(seen[0], "action")
  if (ruling.kind === "continue" && action !== "continue")
    throw new Finding("before_tool_call", `a guard that answered ${quoted(JSON.stringify(seen))} let the call run`)
  checkRuling(ruling)
  checkRuling(
    await decideOn([handlerOf(extension, "before_tool_call", false, [])], eventOf("before_tool_call"), () => {}),
  )
}

function checkRuling(ruling: Ruling): void {
  if (ruling.kind === "modify" && ruling.input === undefined)
    throw new Finding("before_tool_call", "a call is changed to have no input")
  if (ruling.kind === "block" && typeof ruling.reason !== "string")
    throw new Finding("before_tool_call", "a call is blocked without a reason")
}

async function checkHooks(extension: FuzzedExtension): Promise<void> {
  const replaced = await replaceOutput(
    [handlerOf(extension, "after_tool_call", false, [])],
    eventOf("after_tool_call"),
    () => {},
  )
  if (replaced !== undefined && Buffer.byteLength(replaced.output) > MAX_REPLACED_BYTES)
    throw new Finding("after_tool_call", "a replaced output is too long")
  const added = await collect([handlerOf(extension, "before_message", false, [])], eventOf("before_message"), () => {})
  if (typeof added === "string" && added.trim() === "") throw new Finding("before_message", "an empty text is added")
}

async function checkProvider(extension: FuzzedExtension): Promise<void> {
  const parts: LanguageModelV4StreamPart[] = []
  const answer = new ModelAnswer((part) => parts.push(part), "fuzzed")
  let streamed = ""
  const reply = await extension.ask("provider.stream", {}, (params) => {
    const event = readStreamEvent(params)
    if (event?.type !== "text" && event?.type !== "thinking") return
    const delta = deltaText(event) ?? ""
    if (event.type === "text") streamed += delta
    answer.stream(event.type === "text" ? "text" : "reasoning", delta)
  })
  const read = readProviderResult(reply.kind === "result" ? reply.value : null)
  if (read.kind === "invalid") {
    if (read.problem.trim() === "") throw new Finding("provider.stream", "a result is invalid without a reason")
    return
  }
  answer.end(read.answer, null)
  checkParts(parts, streamed)
}

/** Blocks begin and end, deltas are in an open one, and what was streamed stays. */
function checkParts(parts: readonly LanguageModelV4StreamPart[], streamed: string): void {
  let open: string | undefined
  let text = ""
  for (const part of parts) {
    const isStart = part.type === "text-start" || part.type === "reasoning-start"
    const isEnd = part.type === "text-end" || part.type === "reasoning-end"
    const isDelta = part.type === "text-delta" || part.type === "reasoning-delta"
    if (isStart && open !== undefined) throw new Finding("provider.stream", "a block begins in another one")
    if ((isEnd || isDelta) && part.id !== open) throw new Finding("provider.stream", `a ${part.type} is in no block`)
    if (part.type === "text-delta") text += part.delta
    if (isStart) open = part.id
    if (isEnd) open = undefined
  }
  if (parts.at(-1)?.type !== "finish" || open !== undefined)
    throw new Finding("provider.stream", "an answer does not end")
  if (!text.startsWith(streamed)) throw new Finding("provider.stream", "text that was streamed is not in the answer")
}

/** Of a command, and of shell hooks, which print the same kinds of answers. */
function checkCommandOutput(params: JsonValue): void {
  const message = readCommandMessage(params)
  const text = new CommandText()
  if (message !== undefined) text.push(message.text)
  if (/[^\P{Cc}\n\t]/u.test(text.text)) throw new Finding("command.output", "a control character is shown")
  const ended = { code: 0, stdout: JSON.stringify(params), stderr: "" }
  for (const name of shellHooks) {
    const action = actionOf(name, ended, eventOf("before_tool_call"))
    if (action.action === "block" && action.reason.trim() === "")
      throw new Finding(name, "a call is blocked without a reason")
  }
  const refusal = promptRefusal(ended)
  if (refusal !== undefined && refusal.reason.trim() === "")
    throw new Finding("UserPromptSubmit", "it is refused without a reason")
}
