// The parent of a stdio child (synaps RPC v1 with --extended).
import { memberIn, textIn, tryParseJson } from "../../../../contract/json-object.ts"
import type { JsonValue } from "../../../../contract/values.ts"
import type { HostProcess } from "../../host-process.ts"
import type { DoorClient, DoorMemory } from "./door-client.ts"

const REPEAT_MS = 50

interface OpenTurn {
  readonly id: string
  readonly text: string
}

export class Parent implements DoorClient {
  /** Resolves with the id of the session when the child is ready. */
  readonly ready: Promise<string>
  readonly #memory: DoorMemory
  readonly #closed = Promise.withResolvers<void>()
  readonly #ready = Promise.withResolvers<string>()
  #process: HostProcess | undefined
  #ids = 0
  #turn: OpenTurn | undefined
  readonly #queued = new Map<string, string>()
  #approval = ""

  constructor(memory: DoorMemory) {
    this.#memory = memory
    this.ready = this.#ready.promise
  }

  use(process: HostProcess): void {
    this.#process = process
    void process.exited.then(() => this.#closed.resolve())
  }

  get closed(): Promise<void> {
    return this.#closed.promise
  }

  prompt(text: string): boolean {
    const id = this.#newId()
    if (this.#turn === undefined) {
      this.#turn = { id, text }
      this.#write({ type: "prompt", id, message: text })
      return true
    }
    this.#queued.set(id, text)
    this.#write({ type: "queue", id, message: text })
    return true
  }

  approve(approvalId: string, isApproved: boolean): boolean {
    if (this.#approval !== approvalId) return false
    this.#write({ type: "approve", id: this.#newId(), approval_id: approvalId, approved: isApproved })
    return true
  }

  close(): void {
    this.#process?.stdin?.destroy()
  }

  /** A line of the child. */
  take(line: string): void {
    this.#memory.onFrame(line)
    const frame = tryParseJson(line)
    switch (textIn(frame, "type")) {
      case "ready":
        this.#ready.resolve(textIn(frame, "session_id") ?? "")
        return this.#askHistory()
      case "approval":
        this.#approval = textIn(frame, "approval_id") ?? ""
        return
      case "response":
        return this.#respond(frame)
      case "error":
        if (textIn(frame, "id") === this.#turn?.id) this.#turn = undefined
        return
      case undefined:
        return this.#memory.violate("broken", "none", `the child wrote a line that is no frame: ${line}`)
      default:
    }
  }

  #respond(frame: JsonValue | undefined): void {
    const id = textIn(frame, "id") ?? ""
    if (id === "history") return this.#takeHistory(frame)
    const queued = this.#queued.get(id)
    this.#queued.delete(id)
    if (queued !== undefined && memberIn(frame, "ok") === true) this.#memory.know({ role: "user", text: queued })
    if (id !== this.#turn?.id) return
    if (memberIn(frame, "ok") === true) this.#memory.know({ role: "user", text: this.#turn.text })
    this.#turn = undefined
  }

  /** It is refused while the log cannot be read: then the parent asks again. */
  #takeHistory(frame: JsonValue | undefined): void {
    const messages = memberIn(frame, "messages")
    if (Array.isArray(messages)) return this.#compare(messages)
    if (memberIn(frame, "ok") === false) return void setTimeout(() => this.#askHistory(), REPEAT_MS).unref()
    this.#memory.violate("broken", "none", `the child answered get_messages with ${JSON.stringify(frame)}`)
  }

  #askHistory(): void {
    this.#write({ type: "get_messages", id: "history" })
  }

  #compare(messages: readonly JsonValue[]): void {
    this.#memory.compare(
      messages.flatMap((value: JsonValue) => {
        const text = textOf(memberIn(value, "content"))
        return textIn(value, "role") === "user" && text !== "" ? [{ role: "user" as const, text }] : []
      }),
    )
  }

  #newId(): string {
    this.#ids += 1
    return `request-${this.#ids}`
  }

  #write(frame: JsonValue): void {
    this.#process?.stdin?.write(`${JSON.stringify(frame)}\n`)
  }
}

function textOf(content: JsonValue | undefined): string {
  if (typeof content === "string") return content
  return (Array.isArray(content) ? content : []).map((block: JsonValue) => textIn(block, "text") ?? "").join("")
}
