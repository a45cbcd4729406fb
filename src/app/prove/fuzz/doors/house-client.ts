// A client of the native API that does as it likes. It checks each line that the host sends.
import { tryParseJson } from "../../../../contract/json-object.ts"
import type { SessionId } from "../../../../contract/ids.ts"
import { checks as commandNames } from "../../../../contract/generated/commands.js"
import { decodeClientFrame } from "../../../../protocols/house/codec.ts"
import { checks } from "../../../../protocols/house/generated/frames.js"
import { Finding } from "../fuzz-target.ts"
import { Awaited } from "./answered.ts"
import { asLine, someLine, type ByteChannel, type Connect, type Door } from "./byte-channel.ts"
import { quoted, sessionPlaceholder, withId } from "./fuzzed-host.ts"

export const houseWords: readonly string[] = [
  ...Object.keys(commandNames),
  ..."type id query open create send close hello version key door sessionId cursor snapshot turns quiet env who wish cwd".split(
    " ",
  ),
  ..."origin model thinking preset toolMode system agent name aliases command text promptId ifBusy principal roles".split(
    " ",
  ),
  sessionPlaceholder,
]

const unhandled = "the host could not do that"
const greeting = Buffer.from(`${JSON.stringify({ type: "hello", version: 1, door: "prove" })}\n`)

export interface HouseDoor extends Door {
  readonly sessionId: SessionId
  readonly connect: Connect
  /** Each connects in another way, as a client that has not said hello. */
  readonly strangers: readonly Connect[]
}

export class FuzzingHouseClient {
  readonly #door: HouseDoor
  readonly #answers = new Awaited()
  #channel: ByteChannel | undefined

  constructor(door: HouseDoor) {
    this.#door = door
  }

  async run(input: Uint8Array): Promise<boolean> {
    const bytes = withId(input, sessionPlaceholder, this.#door.sessionId)
    if (isGreeting(bytes)) await this.#greet(bytes)
    else await this.#write(asLine(bytes))
    this.#door.throwReported()
    return someLine(input, (line) => decodeClientFrame(line).kind === "frame")
  }

  /** On a new connection, which also ends the watches of the last one. */
  async check(): Promise<void> {
    this.#channel?.close()
    const id = this.#answers.newId()
    const answer = this.#answers.answer(id)
    await this.#write(Buffer.from(`${JSON.stringify({ type: "query", id, query: { type: "host" } })}\n`))
    const isAnswered = await answer
    this.#door.throwReported()
    if (!isAnswered) throw new Finding("query", "a valid query was not answered")
  }

  close(): void {
    this.#channel?.close()
  }

  async #greet(bytes: Uint8Array): Promise<void> {
    for (const connect of this.#door.strangers) {
      const channel = await connect((line) => this.#received(line))
      await channel.write(asLine(bytes))
      channel.close()
    }
  }

  async #write(bytes: Uint8Array): Promise<void> {
    if (this.#channel === undefined || this.#channel.isClosed) {
      this.#channel = await this.#door.connect((line) => this.#received(line))
      await this.#channel.write(greeting)
    }
    if (!(await this.#channel.write(bytes))) throw new Finding("read", "the host has read nothing more")
  }

  #received(line: string): void {
    const frame: unknown = tryParseJson(line)
    if (!checks.host(frame)) return this.#door.report("answer", `not a frame of the protocol: ${quoted(line)}`)
    if (frame.type === "answer") this.#answers.received(frame.id)
    if (frame.type !== "refused") return
    if (line.includes(unhandled)) this.#door.report("request", quoted(line))
    if (this.#answers.isAwaited(frame.id)) this.#door.report("query", `a valid query was refused: ${quoted(line)}`)
    this.#answers.received(frame.id)
  }
}

function isGreeting(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes('"hello"')
}
