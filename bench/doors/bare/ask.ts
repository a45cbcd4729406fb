// What the bare relay does with a message: two durable commits, one request over node:http with all earlier messages, a plain reader
// of the answer, and calls of tools without any check.
import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { Agent, request as httpRequest } from "node:http"
import { DatabaseSync } from "node:sqlite"
import type { BareFormat, Call } from "./formats.ts"

export interface Listener {
  /** Once for each read from the provider. */
  onDeltas(deltas: readonly string[]): void
  onCall(call: Call): void
  onResult(call: Call, output: string): void
  onEnd(): void
}

export class Relay {
  readonly #provider: string
  readonly #format: BareFormat
  readonly #agent = new Agent({ keepAlive: true })
  readonly #insert

  constructor(provider: string, format: BareFormat, databasePath: string) {
    this.#provider = provider
    this.#format = format
    const database = new DatabaseSync(databasePath)
    database.exec(
      "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE IF NOT EXISTS messages (text TEXT)",
    )
    this.#insert = database.prepare("INSERT INTO messages VALUES (?)")
  }

  /** Stores the message before it returns; `history` gets it and what follows. */
  ask(history: object[], message: string, listener: Listener): void {
    this.#insert.run(message)
    history.push({ role: "user", content: message })
    this.#request(history, listener)
  }

  #request(history: object[], listener: Listener): void {
    const body = JSON.stringify({ model: "m", stream: true, max_tokens: 1000, messages: history })
    const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) }
    const options = { method: "POST", agent: this.#agent, headers }
    const sent = httpRequest(`${this.#provider}${this.#format.path}`, options, (response) => {
      let rest = ""
      let answer = ""
      const calls: Call[] = []
      response.setEncoding("utf8").on("data", (text: string) => {
        const events = (rest + text).split("\n\n")
        rest = events.pop() ?? ""
        const deltas: string[] = []
        for (const event of events) this.#format.read(event, deltas, calls)
        answer += deltas.join("")
        if (deltas.length > 0) listener.onDeltas(deltas)
      })
      response.on("end", () => this.#ended(history, answer, calls[0], listener))
    })
    sent.end(body)
  }

  #ended(history: object[], answer: string, call: Call | undefined, listener: Listener): void {
    if (call !== undefined) return this.#run(history, call, listener)
    this.#insert.run(answer)
    history.push({ role: "assistant", content: answer })
    listener.onEnd()
  }

  /** The intent is durable before the tool runs, and its result before the next request. */
  #run(history: object[], call: Call, listener: Listener): void {
    this.#insert.run(JSON.stringify(call))
    listener.onCall(call)
    const finish = (output: string) => {
      this.#insert.run(output)
      history.push(...this.#format.resultOf(call, output))
      listener.onResult(call, output)
      this.#request(history, listener)
    }
    if (call.name === "read") return finish(readFileSync(call.input.path ?? "", "utf8"))
    let output = ""
    const child = spawn("bash", ["-c", call.input.command ?? ""], { stdio: ["ignore", "pipe", "pipe"] })
    child.stdout.on("data", (piece: Buffer) => (output += piece.toString()))
    child.on("close", () => finish(output))
  }
}
