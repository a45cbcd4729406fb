// A visitor at the network door.
import { readFileSync } from "node:fs"
import { memberIn, textIn, type JsonObject } from "../../../src/contract/json-object.ts"
import type { JsonValue } from "../../../src/contract/values.ts"
import type { PromptStep } from "../scenario.ts"
import type { Guest, Happening, PromptAbout } from "./client.ts"
import { Listener } from "./listener.ts"

const ends = { eventual_response: "done", cancelled: "cancelled", error: "failed" } as const

export class WsGuest extends Listener implements Guest {
  #visit = ""
  /** The request whose turn this socket has. */
  #turn: string | undefined
  /** Told before the call that it is about. */
  #asked: Happening | undefined

  async prompt({ prompt, skill }: PromptStep, { model, image }: PromptAbout): Promise<"taken" | "refused"> {
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
    return this.hearing.say({ action: "cancel", requestId: this.#turn })
  }

  async history(): Promise<readonly JsonValue[]> {
    const [, answer] = await this.#ask({ action: "get_conversation_messages", sessionId: this.#visit })
    const rows = memberIn(memberIn(answer, "data"), "messages")
    return (Array.isArray(rows) ? rows : []).toReversed().map((row: JsonValue) => ({
      [textIn(row, "direction") === "inbound" ? "user" : "assistant"]: textIn(memberIn(row, "content"), "text"),
    }))
  }

  async settle(): Promise<readonly Happening[]> {
    await this.#ask({ action: "ping" })
    return this.hearing.rest
  }

  protected override async comeIn(): Promise<void> {
    const conversationId = this.sessionId === "" ? undefined : this.sessionId
    const request = { action: "create_conversation_session", agentId: "scenario", conversationId }
    const [, answer] = await this.#ask(request)
    const data = memberIn(answer, "data")
    this.#visit = textIn(data, "sessionId") ?? ""
    this.sessionId = textIn(data, "conversationId") ?? ""
  }

  async #ask(request: { readonly action: string } & JsonObject): Promise<readonly [string, JsonObject]> {
    const requestId = this.newId()
    await this.hearing.say({ ...request, requestId })
    const isIt = (frame: JsonObject) => (textIn(frame, "requestId") === requestId ? frame : undefined)
    return [requestId, await this.hearing.answer(`the answer to ${request.action}`, isIt)]
  }

  protected override meaning(frame: JsonObject): readonly Happening[] | undefined {
    switch (frame["type"]) {
      case "stream_token":
        return [{ kind: "text", text: textIn(frame, "token") ?? "" }]
      case "stream_reasoning":
        return [{ kind: "reasoning", text: textIn(frame, "token") ?? "" }]
      case "stream_chunk":
        return this.#tool(memberIn(memberIn(memberIn(frame, "data"), "state"), "rawResponse"))
      case "write_confirmation_required":
        this.#asked = { kind: "approval", tool: textIn(memberIn(memberIn(frame, "data"), "data"), "toolId") ?? "" }
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

  #tool(raw: JsonValue | undefined): readonly Happening[] | undefined {
    const [call, result] = [memberIn(raw, "toolCall"), memberIn(raw, "toolResult")]
    const tool = textIn(call ?? result, "name") ?? ""
    if (result !== undefined) {
      const failed = memberIn(result, "isError") === true
      return [{ kind: "result", tool, text: textIn(result, "result") ?? "", failed }]
    }
    if (call === undefined) return undefined
    const asked = this.#asked
    this.#asked = undefined
    return [{ kind: "call", tool, input: memberIn(call, "arguments") ?? null }, ...(asked === undefined ? [] : [asked])]
  }
}

function dataUrl(path: string): string {
  return `data:image/png;base64,${readFileSync(path).toString("base64")}`
}
