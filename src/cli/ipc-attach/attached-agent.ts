// A user or script attached to an agent. Lines from a terminal are sent at once; lines from a pipe one at a time, since not
// every agent keeps two turns apart. Detaching ends nothing.
import { IpcFault, type TurnEnd, type Viewer, type ViewerEnd } from "../../clients/ipc/index.ts"
import { typedAnswer } from "../../contract/rules/approval-answers.ts"
import { pendingRequests } from "../../protocols/ipc/view/approval-text.ts"
import { AppFault, exitCodes } from "../../app/app-fault.ts"
import { printNotice } from "../../app/terminal.ts"
import type { AgentPrinter } from "./agent-printer.ts"

export interface AttachedOptions {
  /** Absent with --json. */
  readonly printer: AgentPrinter | undefined
  /** Input comes from a terminal. */
  readonly typed: boolean
}

export class AttachedAgent {
  /** Resolves with the exit code when the client detaches. */
  readonly exited: Promise<number>
  readonly #viewer: Viewer
  readonly #options: AttachedOptions
  readonly #leaving = Promise.withResolvers<number>()
  #work: Promise<void> = Promise.resolve()
  #interrupted = false
  /** Of the last turn. */
  #turnCode: number = exitCodes.done
  /** A command failed, or could not be sent. */
  #hasFailed = false

  constructor(viewer: Viewer, options: AttachedOptions) {
    this.#viewer = viewer
    this.#options = options
    this.exited = this.#leaving.promise
    this.exited.catch(() => {}) // handled by the caller
    void viewer.ended.then((end) => this.#hasEnded(end))
    viewer.on("message_added", ({ message }) => {
      if (message.role === "user") this.#interrupted = false
    })
  }

  leave(exitCode: number): void {
    this.#leaving.resolve(exitCode)
  }

  /** All input is on the socket already. */
  hangUp(exitCode: number): void {
    this.leave(exitCode)
  }

  line(line: string): void {
    const typed = this.#answerIn(line) ?? readTyped(line)
    if (typed.kind === "answer") return void this.#do(typed)
    if (typed.kind === "quit" && this.#options.typed) return this.leave(exitCodes.done)
    if (this.#options.typed) void this.#do(typed)
    else this.#work = this.#work.then(() => this.#do(typed))
  }

  /** The answer to a pending request is sent at once, since its turn is still running. */
  #answerIn(line: string): TypedLine | undefined {
    const { messages, plan } = this.#viewer.state
    const [oldest] = pendingRequests([...messages, ...(plan?.messages ?? [])])
    if (oldest === undefined || line.trim() === "" || line.trim().startsWith("/")) return undefined
    const isAnswer = oldest.isQuestion || typedAnswer(line) !== undefined
    return isAnswer ? { kind: "answer", text: line.trim() } : undefined
  }

  /** At a terminal it detaches; from a pipe it waits for the answers. */
  endInput(): void {
    if (this.#options.typed) return this.leave(exitCodes.done)
    this.line("/quit")
  }

  /** Ctrl-C interrupts a running turn; a second one, or none running, detaches. */
  interrupt(): void {
    if (this.#interrupted || !this.#viewer.state.isBusy) return this.leave(exitCodes.done)
    this.#interrupted = true
    void this.#do({ kind: "stop" })
  }

  async #do(typed: TypedLine): Promise<void> {
    try {
      await this.#runLine(typed)
    } catch (fault) {
      if (!(fault instanceof IpcFault)) return this.#leaving.reject(fault)
      this.#onFailed(fault.message)
    }
  }

  async #runLine(typed: TypedLine): Promise<void> {
    switch (typed.kind) {
      case "nothing":
        return
      case "say":
        return this.#sendText(typed.text)
      case "answer":
        return this.#viewer.send({ type: "user_input", content: typed.text, context_files: [] })
      case "slash": {
        const { isSuccess } = await this.#viewer.slash(typed.command, typed.args, { timeoutMs: 0 })
        this.#hasFailed ||= !isSuccess
        return
      }
      case "stop":
        return this.#viewer.cancel()
      case "quit":
        await this.#idle()
        this.leave(this.#exitCode)
    }
  }

  async #sendText(text: string): Promise<void> {
    if (this.#options.typed) this.#options.printer?.typed(text)
    this.#turnCode = codeOf(await this.#viewer.say(text).done())
  }

  /** A command may have started a turn. */
  async #idle(): Promise<void> {
    if (!this.#viewer.state.isBusy) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const stop = this.#viewer.onEvent(() => this.#viewer.state.isBusy || resolve())
    await promise
    stop()
  }

  get #exitCode(): number {
    return this.#turnCode === exitCodes.done && this.#hasFailed ? exitCodes.failed : this.#turnCode
  }

  #onFailed(reason: string): void {
    this.#hasFailed = true
    printNotice(`turnhouse: ${reason}`)
  }

  #hasEnded(end: ViewerEnd): void {
    if (end.kind === "lost")
      return this.#leaving.reject(new AppFault(`lost the agent: ${end.fault.message}`, exitCodes.unreachable))
    this.leave(this.#exitCode)
  }
}

function codeOf({ kind }: TurnEnd): number {
  if (kind === "cancelled") return exitCodes.interrupted
  return kind === "failed" ? exitCodes.failed : exitCodes.done
}

type TypedLine =
  | { readonly kind: "nothing" }
  | { readonly kind: "say"; readonly text: string }
  | { readonly kind: "slash"; readonly command: string; readonly args: readonly string[] }
  /** An answer to an approval request, which the agent recognises. */
  | { readonly kind: "answer"; readonly text: string }
  | { readonly kind: "stop" }
  | { readonly kind: "quit" }

export const typedHelp =
  "TEXT sends a prompt, /COMMAND runs a command of the agent (/help lists them), //TEXT sends a line with a slash; " +
  "/stop or Ctrl-C cancels, /quit or Ctrl-D detaches"

export function readTyped(line: string): TypedLine {
  const text = line.trim()
  if (text === "") return { kind: "nothing" }
  if (text.startsWith("//")) return { kind: "say", text: text.slice(1) }
  if (!text.startsWith("/")) return { kind: "say", text: line }
  const [command = "", ...args] = splitArguments(text.slice(1))
  if (command === "quit") return { kind: "quit" }
  if (command === "stop") return { kind: "stop" }
  return command === "" ? { kind: "say", text: line } : { kind: "slash", command, args }
}

/** Splits at blanks; quoted text is one word. */
function splitArguments(text: string): readonly string[] {
  const found = text.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)
  return [...found].map(([, double, single, plain]) => double ?? single ?? plain ?? "")
}
