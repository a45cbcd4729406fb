// Prints the conversation of an agent: earlier messages, streaming text, calls, and results of commands. Written to
// stdout, so that a pipe gets the conversation; the status line goes to stderr.
import type { AgentMessage, DisplayMessage, ViewerEvent, ViewerState } from "../../clients/ipc/index.ts"
import { exactArguments } from "../../display/format.ts"
import { oneLine, printable } from "../../contract/text/text.ts"
import { printNotice, styled } from "../../app/terminal.ts"

type Tone = "dim" | "red" | "yellow" | "cyan"

const MAX_SUMMARY_LENGTH = 120
const resultLength = 200

export class AgentPrinter {
  readonly #state: () => ViewerState
  /** Prompts that were typed here, so the terminal shows them already. */
  readonly #typed: string[] = []
  /** Printed part of the streaming answer. */
  #streamed = ""
  #isMidLine = false
  /** Number of printed messages. */
  #shown = 0
  /** The next chunk may repeat the whole text so far. */
  #isReconnected = false

  constructor(state: () => ViewerState) {
    this.#state = state
  }

  /** The last turns, and the text so far of the running one. */
  begin(turns: number): void {
    const { messages, plan } = this.#state()
    this.#newest(messages, turns)
    this.#shown = messages.length
    if (plan !== undefined) this.#note("dim", `\n${plan.status}`)
    if (plan !== undefined) this.#newest(plan.messages, turns)
    this.#stream(partialOf(this.#state()))
  }

  #newest(messages: readonly DisplayMessage[], turns: number): void {
    const from = messages.findLastIndex(isUser(turns))
    if (from > 0) printNotice(styled("dim", "(earlier turns are not shown; --turns N shows more)"))
    for (const message of messages.slice(Math.max(0, from))) this.#message(message)
  }

  typed(text: string): void {
    this.#typed.push(text.trim())
  }

  /** To be called after the state is updated. */
  show(event: ViewerEvent): void {
    switch (event.kind) {
      case "message":
        return this.#show(event.message)
      case "notice":
        return this.#status(`unreadable message: ${event.what}`)
      case "lost":
        return this.#status(event.delayMs === undefined ? event.why : `${event.why}; reconnecting`)
      case "reattached":
        this.#isReconnected = true
        return this.#status("reconnected")
      case "gap":
        return // only for clients that read one message at a time
    }
  }

  #show(message: AgentMessage): void {
    switch (message.type) {
      case "stream_chunk":
      case "plan_mode_stream_chunk":
        return this.#chunk(message.text)
      case "conversation_sync":
        return this.#sync()
      case "seal_status":
        this.#isReconnected ||= this.#streamed !== "" && partialOf(this.#state()) === ""
        return
      case "message_added":
        this.#shown += 1
        return this.#added(message.message)
      case "plan_mode_message_added":
        return this.#added(message.message)
      case "tool_call_start":
        return this.#note("cyan", `→ ${message.name} ${oneLine(exactArguments(message.input, 0), MAX_SUMMARY_LENGTH)}`)
      case "tool_result":
        if (typeof message.error !== "string") return
        return this.#note("red", `✗ ${message.name}: ${oneLine(message.error, resultLength)}`)
      case "error":
        return this.#note("red", message.message)
      case "toast":
        return this.#note("yellow", message.message)
      case "slash_command_result":
        return this.#result(message)
      case "status_update":
        return process.stderr.isTTY ? this.#status(oneLine(message.status, MAX_SUMMARY_LENGTH)) : undefined
      default:
        return this.#notice(message)
    }
  }

  #notice(message: AgentMessage): void {
    if (message.type === "plan_mode_entered") return this.#note("dim", `${message.status}; nothing can be changed`)
    if (message.type === "plan_mode_exited") return this.#note("dim", "left plan mode")
    if (message.type === "agent_spawned")
      return this.#note(
        "dim",
        `agent ${message.new_session_id} started: ${oneLine(message.spawn_reason, MAX_SUMMARY_LENGTH)}`,
      )
    if (message.type === "agent_exiting")
      return this.#note("dim", `agent ${message.session_id} exits: ${oneLine(message.reason, MAX_SUMMARY_LENGTH)}`)
    if (message.type === "exiting")
      return this.#note("dim", `the agent exits: ${oneLine(message.reason, MAX_SUMMARY_LENGTH)}`)
  }

  #chunk(text: string): void {
    const isRepeated = this.#isReconnected
    this.#isReconnected = false
    if (isRepeated) this.#streamRepeated(text)
    else this.#stream(text)
  }

  /** The text may repeat all of the answer so far, of which more or less was printed. */
  #streamRepeated(text: string): void {
    if (text.startsWith(this.#streamed)) this.#stream(text.slice(this.#streamed.length))
    else if (this.#streamed.startsWith(text)) this.#streamed = text
    else this.#stream(text)
  }

  /** Messages that came while disconnected, or a change of the whole conversation. */
  #sync(): void {
    const { messages, isBusy } = this.#state()
    if (messages.length < this.#shown) this.#note("dim", `(the conversation now has ${messages.length} messages)`)
    for (const message of messages.slice(this.#shown)) this.#added(message)
    this.#shown = messages.length
    if (!isBusy) this.#endAnswer()
  }

  #added(message: DisplayMessage): void {
    if (message.role === "assistant") return this.#answer(message)
    const at = message.role === "user" ? this.#typed.indexOf(message.content.trim()) : -1
    if (at === -1) return this.#message(message)
    this.#typed.splice(at, 1)
  }

  #answer(message: DisplayMessage): void {
    if (this.#streamed === "") return this.#message(message)
    if (message.content.startsWith(this.#streamed)) this.#stream(message.content.slice(this.#streamed.length))
    this.#endAnswer()
  }

  #stream(text: string): void {
    if (text === "") return
    if (this.#streamed === "") this.#write("\nassistant:\n")
    this.#streamed += text
    this.#write(text)
  }

  #endAnswer(): void {
    this.#endLine()
    this.#streamed = ""
  }

  #message({ role, content }: DisplayMessage): void {
    this.#endLine()
    this.#write(`\n${role}:\n${content}\n`)
  }

  #result({
    command,
    success,
    output,
    action_taken: action,
    error,
  }: Extract<AgentMessage, { type: "slash_command_result" }>): void {
    if (!success) return this.#note("red", `/${command}: ${error ?? "failed"}`)
    this.#note("dim", `/${command}${action ? `: ${action}` : ""}`)
    if (output) this.#write(`${output}\n`)
  }

  #note(tone: Tone, text: string): void {
    this.#endLine()
    process.stdout.write(`${styled(tone, printable(text), process.stdout)}\n`)
  }

  #status(text: string): void {
    if (process.stdout.isTTY) this.#endLine()
    printNotice(styled("dim", printable(text)))
  }

  #write(text: string): void {
    process.stdout.write(printable(text))
    this.#isMidLine = !text.endsWith("\n")
  }

  #endLine(): void {
    if (this.#isMidLine) process.stdout.write("\n")
    this.#isMidLine = false
  }
}

/** Text so far of the running turn, in the conversation or in the plan. */
function partialOf({ partial, plan }: ViewerState): string {
  return plan?.partial || partial
}

/** Matches the first user message of the last `turns` turns, searched from the end. */
function isUser(turns: number): (message: DisplayMessage) => boolean {
  let remaining = turns
  return ({ role }) => role === "user" && (remaining -= 1) === 0
}
