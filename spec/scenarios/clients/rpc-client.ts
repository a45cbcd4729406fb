// A parent of the stdio child. The child is started with `--extended`, so that its parent can answer approvals.
import { memberIn, textIn, type JsonObject } from "../../../src/contract/json-object.ts"
import type { JsonValue } from "../../../src/contract/values.ts"
import type { PromptStep } from "../scenario.ts"
import type { Guest, Happening, PromptAbout } from "./client.ts"
import { Listener } from "./listener.ts"

export class RpcGuest extends Listener implements Guest {
  readonly #tools = new Map<string, string>()
  #turn: string | undefined
  #approval = ""

  async prompt({ prompt }: PromptStep, { image }: PromptAbout): Promise<"taken" | "refused"> {
    const attachments = image === undefined ? undefined : [{ path: image }]
    const id = this.newId()
    await this.hearing.say({ type: "prompt", id, message: prompt, attachments })
    if (this.#turn === undefined) {
      this.#turn = id
      return "taken"
    }
    const isIt = (frame: JsonObject) => frame["type"] === "error" && frame["id"] === id
    await this.hearing.answer("an error about the prompt, since a turn runs", (frame) => isIt(frame) || undefined)
    return "refused"
  }

  async answer(isYes: boolean): Promise<"taken" | "refused"> {
    const answer = await this.#ask("approve", { approval_id: this.#approval, approved: isYes })
    return answer["type"] === "error" ? "refused" : "taken"
  }

  async cancel(): Promise<void> {
    const id = this.newId()
    this.acknowledged.add(id)
    await this.hearing.say({ type: "abort", id })
  }

  async history(): Promise<readonly JsonValue[]> {
    const messages = memberIn(await this.#ask("get_messages"), "messages")
    return (Array.isArray(messages) ? messages : []).map((message: JsonValue) => ({
      [textIn(message, "role") ?? ""]: textOf(memberIn(message, "content")),
    }))
  }

  async settle(): Promise<readonly Happening[]> {
    await this.#ask("get_state")
    return this.hearing.rest
  }

  protected override async comeIn(): Promise<void> {
    this.#turn = undefined
    this.sessionId = await this.hearing.answer("ready", (frame) => textIn(frame, "session_id"))
  }

  async #ask(type: string, fields: JsonObject = {}): Promise<JsonObject> {
    const id = this.newId()
    await this.hearing.say({ type, id, ...fields })
    return this.hearing.answer(`the response to ${type}`, (frame) => (frame["id"] === id ? frame : undefined))
  }

  protected override meaning(frame: JsonObject): readonly Happening[] | undefined {
    switch (frame["type"]) {
      case "message_update":
        return this.#update(memberIn(frame, "event"))
      case "approval":
        this.#approval = textIn(frame, "approval_id") ?? ""
        return [{ kind: "approval", tool: textIn(frame, "tool_name") ?? "" }]
      case "subagent_start":
      case "subagent_update":
      case "subagent_done":
        return frame["agent_name"] === "approval" ? [] : undefined // told better by `approval`
      case "agent_end":
        return []
      case "error":
        return frame["id"] === this.#turn ? [] : undefined // the response of the turn says so too
      case "response":
        return this.#response(frame)
      default:
        return undefined
    }
  }

  #update(event: JsonValue | undefined): readonly Happening[] | undefined {
    const tool = textIn(event, "tool_id") ?? ""
    switch (textIn(event, "type")) {
      case "text_delta":
        return [{ kind: "text", text: textIn(event, "delta") ?? "" }]
      case "thinking_delta":
        return [{ kind: "reasoning", text: textIn(event, "delta") ?? "" }]
      case "toolcall_start":
        this.#tools.set(tool, textIn(event, "tool_name") ?? "")
        return []
      case "toolcall_input_delta":
        return []
      case "toolcall_input":
        return [{ kind: "call", tool: this.#tools.get(tool) ?? "", input: memberIn(event, "input") ?? null }]
      case "toolcall_result": {
        const text = textIn(event, "result") ?? ""
        return [{ kind: "result", tool: this.#tools.get(tool) ?? "", text, failed: undefined }]
      }
      default:
        return undefined
    }
  }

  #response(frame: JsonObject): readonly Happening[] | undefined {
    const id = textIn(frame, "id") ?? ""
    if (this.acknowledged.delete(id)) return []
    if (id !== this.#turn) return undefined
    this.#turn = undefined
    if (frame["cancelled"] === true) return [{ kind: "end", how: "cancelled" }]
    return [{ kind: "end", how: frame["ok"] === true ? "done" : "failed" }]
  }
}

function textOf(content: JsonValue | undefined): string {
  if (!Array.isArray(content)) return typeof content === "string" ? content : ""
  return content.map((block: JsonValue) => textIn(block, "text") ?? "").join("")
}
