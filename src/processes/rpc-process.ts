// One process that speaks JSON-RPC in `Content-Length` frames on its pipes, such as an extension or a language server:
// sends requests, reads responses, serves calls of the process. When it exits or breaks the framing it is closed and all
// pending requests fail. Restarting it is the owner's decision.
import type { Exit, GatedProcess } from "./gated-process.ts"
import { describeExit, killProcessGroup } from "./process-end.ts"
import { StderrLines } from "./stderr-lines.ts"
import { errorAnswer, decodeBody, encodeResponse, type Answer, type RpcMessage } from "../protocols/json-rpc.ts"
import { contentFrame, ContentLengthSplitter, type ContentFrame } from "../transports/framing/content-length.ts"

export type Reply = Answer | { readonly kind: "fault"; readonly reason: string } | { readonly kind: "given-up" }

export type RpcCall = Extract<RpcMessage, { kind: "call" }>
export type RpcNotice = Extract<RpcMessage, { kind: "notice" }>

/** What the owner provides. */
export interface RpcHandlers {
  /** Handles a call of the process; must not throw. */
  readonly serve: (call: RpcCall) => Promise<Answer>
  readonly notice: (notice: RpcNotice) => void
  /** Gets what it prints on stderr. */
  readonly debug: (line: string) => void
}

export interface RequestOptions {
  /** After it aborts, a late response is dropped. */
  readonly signal?: AbortSignal
  /** Gets notifications that arrive before the response. */
  readonly onNotice?: ((notice: RpcNotice) => void) | undefined
}

/** Levels of nesting in a message. A deeper one ends the process. */
const MAX_DEPTH = 128
/** Bytes queued while the process does not read. A single request may be larger. */
const MAX_UNREAD_BYTES = 8 * 1024 * 1024
/** Concurrent calls of the process. */
const MAX_CALLS = 64
/** Time to read remaining output after the exit, when a process it started still holds the pipe. */
const drainMs = 100

export class RpcProcess {
  /** Resolves with the reason when the process takes no more requests. */
  readonly closed: Promise<string>
  readonly #gated: GatedProcess
  readonly #handlers: RpcHandlers
  readonly #stderr: StderrLines
  readonly #splitter = new ContentLengthSplitter((frame) => this.#take(frame))
  readonly #waiting = new Map<number, (reply: Reply) => void>()
  /** Notifications carry no request id: they belong to the oldest unanswered request, because extensions work in order. */
  readonly #listeners = new Map<number, (notice: RpcNotice) => void>()
  readonly #closing = Promise.withResolvers<string>()
  #served = 0
  #receivedBytes = 0
  #exit: Exit | undefined
  #closeReason: string | undefined

  /** Opens the gate of a process with `stdin: "pipe"`. */
  constructor(gated: GatedProcess, handlers: RpcHandlers) {
    this.#gated = gated
    this.#handlers = handlers
    this.#stderr = new StderrLines(handlers.debug)
    this.closed = this.#closing.promise
    gated.stdout.on("data", (chunk: Uint8Array) => {
      this.#receivedBytes += chunk.length
      this.#splitter.push(chunk)
    })
    gated.stdout.once("end", () => this.#splitter.end())
    gated.stderr.on("data", (chunk: Uint8Array) => this.#stderr.push(chunk))
    void this.#followEnd()
    gated.go()
  }

  get pid(): number {
    return this.#gated.process.pid
  }

  /** In total, so that its owner can notice a flood. */
  get receivedBytes(): number {
    return this.#receivedBytes
  }

  get isClosed(): boolean {
    return this.#closeReason !== undefined
  }

  get exitCode(): number | undefined {
    return this.#exit?.code ?? undefined
  }

  get lastStderrLine(): string | undefined {
    return this.#stderr.last
  }

  /** Never rejects. */
  request(id: number, body: string, { signal, onNotice }: RequestOptions = {}): Promise<Reply> {
    const { promise, resolve } = Promise.withResolvers<Reply>()
    if (this.#closeReason !== undefined) return Promise.resolve({ kind: "fault", reason: this.#closeReason })
    if (signal?.aborted === true) return Promise.resolve({ kind: "given-up" })
    if (onNotice !== undefined) this.#listeners.set(id, onNotice)
    const giveUp = () => {
      if (this.#listeners.has(id)) this.#listeners.set(id, () => {})
      this.#settle(id, { kind: "given-up" })
    }
    signal?.addEventListener("abort", giveUp, { once: true })
    this.#waiting.set(id, (reply) => {
      signal?.removeEventListener("abort", giveUp)
      resolve(reply)
    })
    this.#write(body)
    return promise
  }

  notify(body: string): void {
    this.#write(body)
  }

  /** Many programs exit at the end of their input. */
  endInput(): void {
    this.#gated.stdin?.end()
  }

  /** Kills it and everything it started; resolves when all are gone. */
  async kill(reason = "it was killed"): Promise<void> {
    this.#close(reason)
    killProcessGroup(this.#gated.process.group)
    await this.#gated.kill()
    this.#gated.ignoreOutput()
  }

  /** As `kill`, after a grace period. */
  async terminate(): Promise<void> {
    this.#close("it was stopped")
    await this.#gated.kill()
    this.#gated.ignoreOutput()
  }

  #write(body: string): void {
    const { stdin } = this.#gated
    if (stdin === undefined || !stdin.writable) return // the exit is reported separately
    if (stdin.writableLength > MAX_UNREAD_BYTES) return this.#break("it does not read its input")
    stdin.write(contentFrame(body), "latin1")
  }

  #take(frame: ContentFrame): void {
    if (this.isClosed) return
    if (frame.kind === "fault") return this.#break(frame.problem)
    if (frame.kind === "stray") return this.#handlers.debug(`(printed between two frames: ${frame.text})`)
    const received = decodeBody(frame.text, MAX_DEPTH)
    switch (received.kind) {
      case "answer":
        this.#listeners.delete(received.id)
        return this.#settle(received.id, received.answer)
      case "call":
        return void this.#serve(received)
      case "notice":
        this.#handlers.notice(received)
        return this.#listeners.values().next().value?.(received)
      case "not-json":
        return this.#break("a message is not JSON")
      case "too-deep":
        return this.#break(`a message is nested more than ${MAX_DEPTH} levels deep`)
      case "nothing":
        return // no pending request
    }
  }

  async #serve(call: RpcCall): Promise<void> {
    if (this.#served >= MAX_CALLS)
      return this.#write(encodeResponse(call.id, errorAnswer("failed", "too many calls at once")))
    this.#served++
    try {
      this.#write(encodeResponse(call.id, await this.#handlers.serve(call)))
    } finally {
      this.#served--
    }
  }

  #settle(id: number, reply: Reply): void {
    const settle = this.#waiting.get(id)
    this.#waiting.delete(id)
    settle?.(reply)
  }

  /** The start of the next frame is unknown: the stream cannot continue. */
  #break(problem: string): void {
    this.#close(problem)
    killProcessGroup(this.#gated.process.group)
  }

  /** Output before the exit still counts; a process it started may hold the pipe for longer. */
  async #followEnd(): Promise<void> {
    const { stdout } = this.#gated
    const silent = new Promise<void>((resolve) => stdout.once("close", resolve))
    const exited = this.#gated.exited.then((exit) => (this.#exit = exit))
    await Promise.race([exited, silent])
    const timeout = Promise.withResolvers<void>()
    const timer = setTimeout(timeout.resolve, drainMs)
    await Promise.race([Promise.all([exited, silent]), timeout.promise])
    clearTimeout(timer)
    if (this.#exit === undefined) return this.#break("it closed its output")
    this.#close(describeExit(this.#exit))
  }

  #close(reason: string): void {
    if (this.#closeReason !== undefined) return
    this.#closeReason = reason
    for (const id of this.#waiting.keys()) this.#settle(id, { kind: "fault", reason })
    this.#closing.resolve(reason)
  }
}
