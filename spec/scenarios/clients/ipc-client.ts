// A viewer of a session socket.
import { memberIn, textIn, type JsonObject } from "../../../src/contract/json-object.ts"
import type { JsonValue } from "../../../src/contract/values.ts"
import type { End, PromptStep } from "../scenario.ts"
import type { ScenarioClient, Observation, PromptNames } from "./client.ts"
import { ofType } from "./frame-interpreter.ts"
import { ClientBase } from "./client-base.ts"

const handshake = { version: 2, is_reattach: false, session_id: null, session_token: null }
const ends: Readonly<Record<string, End>> = {
  stop: "done",
  cancelled: "cancelled",
  error: "failed",
  length: "step-limit",
}
const promptAcks: Readonly<Record<string, "taken" | "waits">> = { user_input: "taken", queue_message: "waits" }
/** Sent between the texts of two steps. */
const separator = "\n\n"

export class IpcClient extends ClientBase implements ScenarioClient {
  #approval = ""
  #cancels = 0
  /** The last observation is a call or its result: the next text begins with a separator. */
  #isAfterCall = false
  #hasText = false
  /** Names of the tools that run; a viewer that comes back is not told of their calls again. */
  #running: readonly string[] = []

  async prompt({ prompt }: PromptStep, { image }: PromptNames): Promise<"taken" | "waits" | "refused"> {
    const context_files = image === undefined ? undefined : [image]
    await this.frames.say({ type: "user_input", content: prompt, context_files })
    return this.frames.answer("the answer to user_input", (frame) => {
      if (frame["type"] === "error") return "refused"
      if (frame["type"] !== "ack") return undefined
      return promptAcks[textIn(frame, "command") ?? ""]
    })
  }

  async answer(isYes: boolean): Promise<"taken" | "refused"> {
    const command = isYes ? "approve" : "deny"
    await this.frames.say({ type: "slash_command", command, args: [this.#approval] })
    const answer = await this.frames.answer(`the result of /${command}`, ofType("slash_command_result"))
    return answer["success"] === true ? "taken" : "refused"
  }

  async cancel(): Promise<void> {
    this.#cancels += 1
    await this.frames.say({ type: "cancel" })
  }

  async history(): Promise<readonly JsonValue[]> {
    const messages = memberIn(await this.#sync(), "messages")
    return (Array.isArray(messages) ? messages : [])
      .filter((message: JsonValue) => textIn(message, "role") !== "system")
      .map((message: JsonValue) => ({ [textIn(message, "role") ?? ""]: textIn(message, "content") }))
  }

  async settle(): Promise<readonly Observation[]> {
    await this.#sync()
    return this.frames.rest
  }

  protected override async openSession(): Promise<void> {
    this.#isAfterCall = false
    this.#hasText = false
    await this.frames.say(handshake)
    this.sessionId = await this.frames.answer("the answer to the handshake", (frame) => textIn(frame, "session_id"))
    this.#readPendingApproval(await this.frames.answer("conversation_sync", ofType("conversation_sync")))
    await this.frames.answer("seal_status", ofType("seal_status"))
  }

  /** A pending approval is the last message of the conversation. */
  #readPendingApproval(sync: JsonObject): void {
    const messages = memberIn(sync, "messages")
    const last = Array.isArray(messages) ? messages.at(-1) : undefined
    for (const observation of this.#added(last) ?? []) this.frames.putBack(observation)
  }

  async #sync(): Promise<JsonObject> {
    await this.frames.say({ type: "sync_request" })
    const sync = await this.frames.answer("conversation_sync", ofType("conversation_sync"))
    await this.frames.answer("task_update", ofType("task_update"))
    return sync
  }

  protected override interpret(frame: JsonObject): readonly Observation[] | undefined {
    switch (frame["type"]) {
      case "stream_chunk":
        return [{ kind: "text", text: this.#playSession(textIn(frame, "text") ?? "") }]
      case "tool_call_start":
        this.#isAfterCall = this.#hasText
        this.#running = [...this.#running, textIn(frame, "name") ?? ""]
        return [{ kind: "call", tool: textIn(frame, "name") ?? "", input: memberIn(frame, "input") ?? null }]
      case "tool_progress": // what a running tool prints, or how far it is; never before its call or after its result
        return this.#running.includes(textIn(frame, "name") ?? "") && isProgress(frame) ? [] : undefined
      case "tool_result":
        this.#isAfterCall = this.#hasText
        this.#running = this.#running.toSpliced(this.#running.indexOf(textIn(frame, "name") ?? ""), 1)
        return [result(frame)]
      case "message_added":
        return this.#added(memberIn(frame, "message"))
      case "stream_end":
        this.#isAfterCall = false
        this.#hasText = false
        return [{ kind: "end", how: ends[textIn(frame, "finish_reason") ?? ""] ?? "failed" }]
      case "ack":
        return frame["command"] === "cancel" && this.#cancels-- > 0 ? [] : undefined
      case "error": // the end of the stream follows
        return frame["fatal"] === false ? [] : undefined
      case "status_update":
      case "toast":
      case "task_update":
        return []
      default:
        return undefined
    }
  }

  #playSession(text: string): string {
    const isNext = this.#isAfterCall && text.startsWith(separator)
    this.#isAfterCall = false
    this.#hasText = true
    return isNext ? text.slice(separator.length) : text
  }

  #added(message: JsonValue | undefined): readonly Observation[] {
    const [, tool, id] = /^Approval needed: (\S+) .*\/approve (\S+) or/s.exec(textIn(message, "content") ?? "") ?? []
    if (textIn(message, "role") !== "system" || tool === undefined || id === undefined) return []
    this.#approval = id
    return [{ kind: "approval", tool }]
  }
}

function isProgress({ message, progress }: JsonObject): boolean {
  return typeof message === "string" && (progress === null || (Number(progress) >= 0 && Number(progress) <= 1))
}

function result(frame: JsonObject): Observation {
  const error = textIn(frame, "error")
  const text = error ?? textIn(frame, "output") ?? ""
  return { kind: "result", tool: textIn(frame, "name") ?? "", text, failed: error !== undefined }
}
