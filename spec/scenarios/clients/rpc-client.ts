// A parent of the stdio child. The child is started with `--extended`, so that its parent can answer approvals.
import { memberIn, textIn, type JsonObject } from "../../../src/contract/json-object.ts"
import type { JsonValue } from "../../../src/contract/values.ts"
import type { PromptStep } from "../scenario.ts"
import type { ScenarioClient, Observation, PromptNames } from "./client.ts"
import { ClientBase } from "./client-base.ts"

export class RpcClient extends ClientBase implements ScenarioClient {
  readonly #tools = new Map<string, string>()
  #turn: string | undefined
  #approval = ""

  async prompt({ prompt }: PromptStep, { image }: PromptNames): Promise<"taken" | "refused"> {
    const attachments = image === undefined ? undefined : [{ path: image }]
    const id = this.newId()
    await this.frames.say({ type: "prompt", id, message: prompt, attachments })
    if (this.#turn === undefined) {
      this.#turn = id
      return "taken"
    }
    const isIt = (frame: JsonObject) => frame["type"] === "error" && frame["id"] === id
    await this.frames.answer("an error for the prompt, because a turn is running", (frame) => isIt(frame) || undefined)
    return "refused"
  }

  async answer(isYes: boolean): Promise<"taken" | "refused"> {
    const answer = await this.#ask("approve", { approval_id: this.#approval, approved: isYes })
    return answer["type"] === "error" ? "refused" : "taken"
  }

  async cancel(): Promise<void> {
    const id = this.newId()
    this.acknowledged.add(id)
    await this.frames.say({ type: "abort", id })
  }

  async history(): Promise<readonly JsonValue[]> {
    const messages = memberIn(await this.#ask("get_messages"), "messages")
    return (Array.isArray(messages) ? messages : []).map((message: JsonValue) => ({
      [textIn(message, "role") ?? ""]: textOf(memberIn(message, "content")),
    }))
  }

  async settle(): Promise<readonly Observation[]> {
    await this.#ask("get_state")
    return this.frames.rest
  }

  protected override async openSession(): Promise<void> {
    this.#turn = undefined
    this.sessionId = await this.frames.answer("ready", (frame) => textIn(frame, "session_id"))
  }

  async #ask(type: string, fields: JsonObject = {}): Promise<JsonObject> {
    const id = this.newId()
    await this.frames.say({ type, id, ...fields })
    return this.frames.answer(`the response to ${type}`, (frame) => (frame["id"] === id ? frame : undefined))
  }

  protected override interpret(frame: JsonObject): readonly Observation[] | undefined {
    switch (frame["type"]) {
      case "message_update":
        return this.#update(memberIn(frame, "event"))
      case "approval":
        this.#approval = textIn(frame, "approval_id") ?? ""
        return [{ kind: "approval", tool: textIn(frame, "tool_name") ?? "" }]
      case "subagent_start":
      case "subagent_update":
      case "subagent_done":
        return frame["agent_name"] === "approval" ? [] : undefined // `approval` has the same
      case "agent_end":
        return []
      case "error":
        return frame["id"] === this.#turn ? [] : undefined // the turn's response reports it too
      case "response":
        return this.#response(frame)
      default:
        return undefined
    }
  }

  #update(event: JsonValue | undefined): readonly Observation[] | undefined {
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

  #response(frame: JsonObject): readonly Observation[] | undefined {
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
