// A visitor of the WebSocket API.
import { readFileSync } from "node:fs"
import { memberIn, textIn, type JsonObject } from "../../../src/contract/json-object.ts"
import type { JsonValue } from "../../../src/contract/values.ts"
import type { PromptStep } from "../scenario.ts"
import type { ScenarioClient, Observation, PromptNames } from "./client.ts"
import { ClientBase } from "./client-base.ts"

const ends = { eventual_response: "done", cancelled: "cancelled", error: "failed" } as const

export class WsClient extends ClientBase implements ScenarioClient {
  #visit = ""
  /** The request of this socket's turn. */
  #turn: string | undefined
  /** Received before its call. */
  #approval: Observation | undefined

  async prompt({ prompt, skill }: PromptStep, { model, image }: PromptNames): Promise<"taken" | "refused"> {
    const images = image === undefined ? undefined : [{ url: dataUrl(image) }]
    const request = { action: "send_message", sessionId: this.#visit, message: prompt, model, skill, images }
    const [requestId, answer] = await this.#ask(request)
    if (textIn(answer, "type") === "error") return "refused"
    this.#turn = requestId
    return "taken"
  }

  async answer(isYes: boolean): Promise<"taken" | "refused"> {
    const request = { action: "confirm_tool_action", sessionId: this.#visit, approved: isYes }
    const [, answer] = await this.#ask(request)
    return textIn(answer, "type") === "error" ? "refused" : "taken"
  }

  cancel(): Promise<void> {
    return this.frames.say({ action: "cancel", requestId: this.#turn })
  }

  async history(): Promise<readonly JsonValue[]> {
    const [, answer] = await this.#ask({ action: "get_conversation_messages", sessionId: this.#visit })
    const rows = memberIn(memberIn(answer, "data"), "messages")
    return (Array.isArray(rows) ? rows : []).toReversed().map((row: JsonValue) => ({
      [textIn(row, "direction") === "inbound" ? "user" : "assistant"]: textIn(memberIn(row, "content"), "text"),
    }))
  }

  async settle(): Promise<readonly Observation[]> {
    await this.#ask({ action: "ping" })
    return this.frames.rest
  }

  protected override async openSession(): Promise<void> {
    const conversationId = this.sessionId === "" ? undefined : this.sessionId
    const request = { action: "create_conversation_session", agentId: "scenario", conversationId }
    const [, answer] = await this.#ask(request)
    const data = memberIn(answer, "data")
    this.#visit = textIn(data, "sessionId") ?? ""
    this.sessionId = textIn(data, "conversationId") ?? ""
  }

  async #ask(request: { readonly action: string } & JsonObject): Promise<readonly [string, JsonObject]> {
    const requestId = this.newId()
    await this.frames.say({ ...request, requestId })
    const isIt = (frame: JsonObject) => (textIn(frame, "requestId") === requestId ? frame : undefined)
    return [requestId, await this.frames.answer(`the answer to ${request.action}`, isIt)]
  }

  protected override interpret(frame: JsonObject): readonly Observation[] | undefined {
    switch (frame["type"]) {
      case "stream_token":
        return [{ kind: "text", text: textIn(frame, "token") ?? "" }]
      case "stream_reasoning":
        return [{ kind: "reasoning", text: textIn(frame, "token") ?? "" }]
      case "stream_chunk":
        return this.#tool(memberIn(memberIn(memberIn(frame, "data"), "state"), "rawResponse"))
      case "write_confirmation_required":
        this.#approval = { kind: "approval", tool: textIn(memberIn(memberIn(frame, "data"), "data"), "toolId") ?? "" }
        return []
      case "eventual_response":
      case "cancelled":
      case "error":
        return frame["requestId"] === undefined ? undefined : [{ kind: "end", how: ends[frame["type"]] }]
      case "keepalive":
        return []
      default:
        return undefined
    }
  }

  #tool(raw: JsonValue | undefined): readonly Observation[] | undefined {
    const [call, result] = [memberIn(raw, "toolCall"), memberIn(raw, "toolResult")]
    const tool = textIn(call ?? result, "name") ?? ""
    if (result !== undefined) {
      const failed = memberIn(result, "isError") === true
      return [{ kind: "result", tool, text: textIn(result, "result") ?? "", failed }]
    }
    if (call === undefined) return undefined
    const approval = this.#approval
    this.#approval = undefined
    return [
      { kind: "call", tool, input: memberIn(call, "arguments") ?? null },
      ...(approval === undefined ? [] : [approval]),
    ]
  }
}

function dataUrl(path: string): string {
  return `data:image/png;base64,${readFileSync(path).toString("base64")}`
}
