// A viewer on the session socket (brainwires IPC).
import type { Socket } from "node:net"
import { lstatSync, readFileSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"
import { memberIn, textIn, tryParseJson } from "../../../../contract/json-object.ts"
import type { JsonValue } from "../../../../contract/values.ts"
import { agentFiles } from "../../../../protocols/ipc/agent-paths.ts"
import { frameLimits } from "../../../../protocols/ipc/limits.ts"
import { isOwn } from "../../../../transports/claimed-socket.ts"
import { LineSplitter } from "../../../../transports/framing/lines.ts"
import { openSocket } from "../../../../transports/socket-address.ts"
import { messageOf } from "../../../app-fault.ts"
import type { ConnectOptions, DoorClient, DoorMemory, Message } from "./door-client.ts"

const LOOK_MS = 15

/** Resolves when the socket of the session answers and its conversation is compared; gives up with the signal. */
export async function connectViewer(
  folder: string,
  id: string,
  { memory, signal, onProblem = () => {} }: ConnectOptions,
): Promise<DoorClient> {
  const files = agentFiles(folder, id)
  for (let problem = "no attempt"; ; await sleep(LOOK_MS)) {
    if (signal.aborted) throw new Error(`the session socket ${files.socket} did not answer: ${problem}`)
    try {
      const file = lstatSync(files.socket)
      const viewer = new Viewer(await openSocket(files.socket), memory)
      onProblem("it is connected and has no answer")
      const isCurrent = () => !signal.aborted && isOwn(files.socket, file)
      const answer = await viewer.open(readFileSync(files.token, "utf8").trim(), isCurrent)
      if (answer === undefined) return viewer
      problem = answer
      viewer.close()
    } catch (fault) {
      problem = messageOf(fault) // the next host has not replaced the files yet
    }
    onProblem(problem)
  }
}

class Viewer implements DoorClient {
  readonly #socket: Socket
  readonly #memory: DoorMemory
  readonly #sent: string[] = []
  readonly #opened = Promise.withResolvers<string | undefined>()
  readonly #closed = Promise.withResolvers<void>()
  #isAccepted = false
  /** Chunks of the turn that is being sent. */
  #chunks = ""
  #endedText: string | undefined

  constructor(socket: Socket, memory: DoorMemory) {
    this.#socket = socket
    this.#memory = memory
    const lines = new LineSplitter(frameLimits.lineBytes, (line) =>
      this.#receive(line.kind === "line" ? line.text : ""),
    )
    socket.on("data", (chunk: Buffer) => lines.push(chunk))
    socket.on("error", () => {}) // a close follows
    socket.on("close", () => {
      this.#opened.resolve("the connection was closed")
      this.#closed.resolve()
    })
  }

  get closed(): Promise<void> {
    return this.#closed.promise
  }

  /**
   * Undefined when the conversation was received, else why not. The system accepts connections for a suspended host, which never answers:
   * the attempt ends when the socket is not `isCurrent`.
   */
  open(token: string, isCurrent: () => boolean): Promise<string | undefined> {
    this.#write({ version: 2, is_reattach: true, session_id: null, session_token: token })
    const look = setInterval(() => !isCurrent() && this.#opened.resolve("the socket was replaced first"), LOOK_MS)
    return this.#opened.promise.finally(() => clearInterval(look))
  }

  prompt(text: string): boolean {
    if (this.#socket.destroyed) return false
    this.#sent.push(text)
    this.#write({ type: "user_input", content: text, context_files: [] })
    return true
  }

  approve(approvalId: string, isApproved: boolean): boolean {
    if (this.#socket.destroyed) return false
    this.#write({ type: "slash_command", command: isApproved ? "approve" : "deny", args: [approvalId] })
    return true
  }

  close(): void {
    this.#socket.destroy()
  }

  #write(frame: JsonValue): void {
    this.#socket.write(`${JSON.stringify(frame)}\n`)
  }

  #receive(line: string): void {
    if (this.#socket.destroyed) return
    this.#memory.onFrame(line)
    const frame = tryParseJson(line)
    this.#take(frame)
    if (this.#memory.cutsAt(textIn(frame, "type") ?? "handshake")) this.close()
  }

  #take(frame: JsonValue | undefined): void {
    if (!this.#isAccepted) return this.#takeAnswer(frame)
    switch (textIn(frame, "type")) {
      case "conversation_sync":
        this.#memory.compare(messagesIn(memberIn(frame, "messages")))
        return this.#opened.resolve(undefined)
      case "ack":
        return this.#acknowledge()
      case "stream_chunk":
        this.#chunks += textIn(frame, "text") ?? ""
        return
      case "stream_end":
        this.#endedText = this.#chunks
        this.#chunks = ""
        return
      case "message_added":
        return this.#add(memberIn(frame, "message"))
      default:
    }
  }

  #takeAnswer(frame: JsonValue | undefined): void {
    this.#isAccepted = memberIn(frame, "accepted") === true
    if (!this.#isAccepted) this.#opened.resolve(textIn(frame, "error") ?? "an unknown answer")
  }

  /** Messages are acknowledged in the order in which they were sent. */
  #acknowledge(): void {
    const text = this.#sent.shift()
    if (text !== undefined) this.#memory.know({ role: "user", text })
  }

  #add(value: JsonValue | undefined): void {
    const [message] = messagesIn(value === undefined ? [] : [value])
    if (message === undefined) return
    this.#memory.know(message)
    if (message.role !== "assistant" || this.#endedText === undefined) return
    if (this.#endedText !== message.text)
      this.#memory.violate(
        "lost",
        "text.ended",
        `the chunks add up to "${this.#endedText}", the message is "${message.text}"`,
      )
    this.#endedText = undefined
  }
}

function messagesIn(list: JsonValue | undefined): readonly Message[] {
  if (!Array.isArray(list)) return []
  return list.flatMap((value: JsonValue) => {
    const role = textIn(value, "role")
    return role === "user" || role === "assistant" ? [{ role, text: textIn(value, "content") ?? "" }] : []
  })
}
