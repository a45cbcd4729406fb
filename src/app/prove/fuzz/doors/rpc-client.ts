// A parent of the stdio door that does as it likes. It checks each line that the child writes.
import { tryParseJson } from "../../../../contract/json-object.ts"
import { decodeCommand } from "../../../../protocols/rpc/codec.ts"
import type { AnsweredCommand } from "../../../../protocols/rpc/frames.ts"
import { checks } from "../../../../protocols/rpc/generated/bodies.js"
import { checks as commandChecks } from "../../../../protocols/rpc/generated/commands.js"
import { checkRpcEvent } from "../../../../protocols/rpc/generated/events.js"
import { Finding } from "../fuzz-target.ts"
import { Awaited } from "./answered.ts"
import { asLine, someLine, type ByteChannel, type Connect, type Door } from "./byte-channel.ts"
import { quoted } from "./fuzzed-host.ts"

export const rpcSeeds: readonly Uint8Array[] = [
  { type: "prompt", id: "1", message: "hello" },
  { type: "prompt", id: "1", message: "hi", attachments: [{ path: "a.txt", name: "n", mime: "text/plain" }] },
  { type: "follow_up", id: "1", message: "more" },
  { type: "compact", id: "1" },
  { type: "new_session", id: "1" },
  { type: "get_messages", id: "1" },
  { type: "set_model", id: "1", model: "offline/demo:0" },
  { type: "get_available_models", id: "1" },
  { type: "abort", id: "1" },
  { type: "get_session_stats", id: "1" },
  { type: "get_state", id: "1" },
  { type: "tools_list", id: "1" },
  { type: "shutdown" },
  { type: "approve", id: "1", approval_id: "apr_1", approved: true, answer: "x" },
  { type: "queue", id: "1", message: "and this" },
].map((frame) => Buffer.from(JSON.stringify(frame)))

export const rpcWords: readonly string[] = [
  ...Object.keys(commandChecks),
  ..."type id message attachments path name mime model approval_id approved answer offline/demo:0".split(" "),
]

export class RpcClient {
  readonly #door: Door
  readonly #connect: Connect
  readonly #answers = new Awaited()
  #channel: ByteChannel | undefined

  constructor(door: Door, connect: Connect) {
    this.#door = door
    this.#connect = connect
  }

  async run(input: Uint8Array): Promise<boolean> {
    await this.#write(asLine(input))
    this.#door.throwReported()
    return someLine(input, (text) => decodeCommand({ kind: "line", text }, true).kind === "command")
  }

  /** The child may have been told to exit before. */
  async check(): Promise<void> {
    const id = this.#answers.newId()
    const answer = this.#answers.answer(id)
    const channel = await this.#write(Buffer.from(`${JSON.stringify({ type: "get_state", id })}\n`))
    const isAnswered = await Promise.race([answer, channel.closed.then(() => channel.isClosed)])
    this.#door.throwReported()
    if (!isAnswered) throw new Finding("get_state", "a valid command was not answered")
  }

  close(): void {
    this.#channel?.close()
  }

  async #write(bytes: Uint8Array): Promise<ByteChannel> {
    if (this.#channel === undefined || this.#channel.isClosed)
      this.#channel = await this.#connect((line) => this.#received(line))
    if (!(await this.#channel.write(bytes))) throw new Finding("read", "the child has read nothing more")
    return this.#channel
  }

  #received(line: string): void {
    const frame: unknown = tryParseJson(line)
    if (!checkRpcEvent(frame) || (frame.type === "response" && !isAnswer(frame.command, frame)))
      return this.#door.report("answer", `not a frame of the protocol: ${quoted(line)}`)
    if (frame.type === "response") this.#answers.received(frame.id)
  }
}

function isAnswer(command: string, frame: unknown): boolean {
  return isAnsweredCommand(command) && checks[command](frame)
}

function isAnsweredCommand(command: string): command is AnsweredCommand {
  return Object.hasOwn(checks, command)
}
