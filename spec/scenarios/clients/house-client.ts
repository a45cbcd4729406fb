// A client of the native API (house wire).
import { randomUUID } from "node:crypto"
import { memberIn, textIn, type JsonObject } from "../../../src/contract/json-object.ts"
import type { JsonValue } from "../../../src/contract/values.ts"
import type { PromptStep } from "../scenario.ts"
import type { ScenarioClient, Observation, PromptNames } from "./client.ts"
import { ofType } from "./frame-interpreter.ts"
import { HouseEvents } from "./house-events.ts"
import { ClientBase, type Connect } from "./client-base.ts"

export class HouseClient extends ClientBase implements ScenarioClient {
  readonly #folder: string
  #events = new HouseEvents(0)

  constructor(connect: Connect, folder: string) {
    super(connect)
    this.#folder = folder
  }

  async prompt({ prompt, skill }: PromptStep, { model, image }: PromptNames): Promise<"taken" | "waits" | "refused"> {
    const attachments = image === undefined ? undefined : await this.#staged(image)
    const wasBusy = this.#events.isInTurn
    const promptId = `prm_${randomUUID()}`
    const sent = await this.#send({ type: "prompt", promptId, text: prompt, ifBusy: "wait", model, skill, attachments })
    if (sent["type"] === "refused") return "refused"
    return wasBusy ? "waits" : "taken"
  }

  async answer(isYes: boolean): Promise<"taken" | "refused"> {
    const sent = await this.#send({ type: "approve", ...this.#events.approval, approved: isYes })
    return sent["type"] === "refused" ? "refused" : "taken"
  }

  async cancel(): Promise<void> {
    const id = this.newId()
    this.acknowledged.add(id)
    await this.frames.say({ type: "send", id, sessionId: this.sessionId, command: { type: "interrupt" } })
  }

  async history(): Promise<readonly JsonValue[]> {
    const answer = await this.#ask("query", { query: { type: "transcript", sessionId: this.sessionId } })
    const items = memberIn(memberIn(answer, "value"), "items")
    return (Array.isArray(items) ? items : []).flatMap((item: JsonValue) => {
      const kind = textIn(item, "kind")
      return kind === "user" || kind === "assistant" ? [{ [kind]: textIn(item, "text") }] : []
    })
  }

  async settle(): Promise<readonly Observation[]> {
    await this.#ask("query", { query: { type: "host" } })
    return this.frames.rest
  }

  /** A running turn is received again from its beginning. */
  protected override async openSession(): Promise<void> {
    const cursor = this.#events.turnFrom
    this.#events = new HouseEvents(cursor)
    await this.frames.say({ type: "hello", version: 1, door: "scenario" })
    await this.frames.answer("hello", ofType("hello"))
    if (this.sessionId === "") await this.#create()
    await this.#ask("open", { sessionId: this.sessionId, cursor })
  }

  async #create(): Promise<void> {
    const created = await this.#ask("create", { wish: { cwd: this.#folder, origin: "scenario" } })
    this.sessionId = textIn(memberIn(created, "value"), "sessionId") ?? ""
  }

  async #staged(path: string): Promise<JsonValue | undefined> {
    const query = { type: "stage-files", sessionId: this.sessionId, paths: [path] }
    return memberIn(memberIn(await this.#ask("query", { query }), "value"), "attachments")
  }

  #send(command: JsonObject): Promise<JsonObject> {
    return this.#ask("send", { sessionId: this.sessionId, command })
  }

  async #ask(type: string, fields: JsonObject): Promise<JsonObject> {
    const id = this.newId()
    await this.frames.say({ type, id, ...fields })
    return this.frames.answer(`the answer to ${type}`, (frame) => (frame["id"] === id ? frame : undefined))
  }

  protected override interpret(frame: JsonObject): readonly Observation[] | undefined {
    const isAcknowledged = frame["type"] === "answer" && this.acknowledged.delete(textIn(frame, "id") ?? "")
    return isAcknowledged ? [] : this.#events.interpret(frame)
  }
}
