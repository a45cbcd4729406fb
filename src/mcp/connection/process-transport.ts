// Carries MCP messages to and from a server process, one JSON text per line on its pipes. When the process exits, floods,
// or does not read, the transport closes and says why. Restarting it is the owner's decision.
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client"
import type { Exit, GatedProcess } from "../../processes/gated-process.ts"
import { describeExit, killProcessGroup } from "../../processes/process-end.ts"
import { StderrLines } from "../../processes/stderr-lines.ts"
import { LineSplitter, type Line } from "../../transports/framing/lines.ts"
import { FloodGuard } from "./flood-guard.ts"

export interface ProcessTransportDeps {
  /** Throws for a text that is not a message. */
  readonly parse: (json: unknown) => JSONRPCMessage
  /** Gets what the server prints on stderr, and lines on stdout that are not messages. */
  readonly debug: (line: string) => void
}

/** Bytes of one message. */
export const MAX_MESSAGE_BYTES = 32 * 1024 * 1024
/** Bytes queued while the process does not read. A single message may be larger. */
const MAX_UNREAD_BYTES = 8 * 1024 * 1024
/** Characters of a line that is no message, in the log. */
const MAX_STRAY_LENGTH = 200
/** Time to read remaining output after the exit. */
const DRAIN_MS = 100
/** Time to exit after the end of its input. */
const EXIT_MS = 500

export class ProcessTransport implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: Transport["onmessage"]
  readonly #gated: GatedProcess
  readonly #deps: ProcessTransportDeps
  readonly #stderr: StderrLines
  readonly #guard = new FloodGuard()
  readonly #splitter = new LineSplitter(MAX_MESSAGE_BYTES, (line) => this.#take(line), "stop")
  #exit: Exit | undefined
  #closeReason: string | undefined

  /** Of a process with `stdin: "pipe"`, whose gate `start` opens. */
  constructor(gated: GatedProcess, deps: ProcessTransportDeps) {
    this.#gated = gated
    this.#deps = deps
    this.#stderr = new StderrLines(deps.debug)
  }

  /** Why it closed. */
  get closeReason(): string | undefined {
    return this.#closeReason
  }

  get exitCode(): number | undefined {
    return this.#exit?.code ?? undefined
  }

  get lastStderrLine(): string | undefined {
    return this.#stderr.last
  }

  start(): Promise<void> {
    this.#gated.stdout.on("data", (chunk: Uint8Array) => this.#splitter.push(chunk))
    this.#gated.stderr.on("data", (chunk: Uint8Array) => this.#stderr.push(chunk))
    void this.#followEnd()
    this.#gated.go()
    return Promise.resolve()
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const { stdin } = this.#gated
    if (this.#closeReason !== undefined) throw new Error(this.#closeReason)
    if (stdin === undefined || !stdin.writable) throw new Error("it closed its input")
    if (stdin.writableLength > MAX_UNREAD_BYTES) {
      this.#break("it does not read its input")
      throw new Error("it does not read its input")
    }
    stdin.write(`${JSON.stringify(message)}\n`)
  }

  /** Ends its input, then kills it and everything it started. */
  async close(): Promise<void> {
    if (this.#closeReason === undefined) {
      this.#gated.stdin?.end()
      await this.#exitWithin(EXIT_MS)
    }
    this.#close("it was stopped")
    await this.#gated.kill()
    this.#gated.ignoreOutput()
  }

  async #exitWithin(ms: number): Promise<void> {
    const timeout = Promise.withResolvers<void>()
    const timer = setTimeout(timeout.resolve, ms)
    await Promise.race([this.#gated.exited, timeout.promise])
    clearTimeout(timer)
  }

  #take(line: Line): void {
    if (this.#closeReason !== undefined) return
    if (line.kind === "too-long") return this.#break(`a message has more than ${MAX_MESSAGE_BYTES} bytes`)
    const problem = this.#guard.count(1, line.kind === "line" ? line.text.length : 0)
    if (problem !== undefined) return this.#break(problem)
    if (line.kind === "not-utf8") return this.#deps.debug("(a line on stdout is not UTF-8)")
    if (line.text.trim() === "") return
    const message = this.#read(line.text)
    if (message !== undefined) this.onmessage?.(message)
  }

  /** Many servers print a greeting on stdout: what is no message is logged and passed over. */
  #read(text: string): JSONRPCMessage | undefined {
    try {
      return this.#deps.parse(JSON.parse(text))
    } catch {
      this.#deps.debug(`(not a message: ${text.slice(0, MAX_STRAY_LENGTH).toWellFormed()})`)
      return undefined
    }
  }

  #break(problem: string): void {
    this.#close(problem)
    killProcessGroup(this.#gated.process.group)
  }

  /** Output before the exit still counts; a process that it started may hold the pipe for longer. */
  async #followEnd(): Promise<void> {
    this.#exit = await this.#gated.exited
    const { stdout } = this.#gated
    const timeout = Promise.withResolvers<void>()
    const timer = setTimeout(timeout.resolve, DRAIN_MS)
    if (!stdout.closed) stdout.once("close", timeout.resolve)
    else timeout.resolve()
    await timeout.promise
    clearTimeout(timer)
    this.#close(describeExit(this.#exit))
  }

  #close(reason: string): void {
    if (this.#closeReason !== undefined) return
    this.#closeReason = reason
    this.#splitter.stop()
    this.onclose?.()
  }
}
