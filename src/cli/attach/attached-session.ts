// A user or script attached to a live session: shows its events and sends input lines. Detaching never ends the session;
// only `/stop` and Ctrl-C interrupt a turn.
import type { CommandOf, SessionCommand } from "../../contract/commands.ts"
import type { Recorded } from "../../contract/events.ts"
import type { HostPort, SendOutcome, SessionHandle, WatchItem } from "../../contract/host-port.ts"
import type { ApprovalId, PromptId, TurnId } from "../../contract/ids.ts"
import { describeRefusal } from "../../contract/text/describe-refusal.ts"
import { lateAnswerMs, rememberedCall, typedFor, type TypedAnswer } from "../../contract/rules/approval-answers.ts"
import { localCaller, newChildId, newPromptId } from "../../app/host/send-command.ts"
import { findByPrefix } from "../../app/find-by-prefix.ts"
import { AppFault, exitCodes } from "../../app/app-fault.ts"
import type { SlashResult } from "../../slash-commands/resolve.ts"
import { printJson } from "../log-lines.ts"
import type { OpenApproval } from "../../projection/open-requests.ts"
import type { SessionView } from "../../app/sessions/session-view.ts"
import type { Notifier } from "../notifier.ts"
import { requestText } from "../run/notices.ts"
import type { RunPrompt } from "../run/prompt-with-files.ts"
import { exitCodeOf, isRefusal } from "../run/turn-end.ts"
import { printNotice } from "../../app/terminal.ts"
import { lineHelp, parseLine, type LineCommand } from "../../slash-commands/typed-line.ts"
import type { LivePrinter } from "./live-printer.ts"

export interface AttachOptions {
  readonly port: HostPort
  /** Absent with --json. */
  readonly printer: LivePrinter | undefined
  /** Input comes from a terminal; from a pipe the command waits for the turns it starts. */
  readonly typed: boolean
  readonly notifier?: Notifier | undefined
  /** Adds the files that a typed prompt mentions. */
  readonly withFiles?: (text: string) => Promise<RunPrompt>
}

export class AttachedSession {
  /** Resolves with the exit code when the client detaches. */
  readonly exited: Promise<number>
  readonly #handle: SessionHandle
  readonly #view: SessionView
  readonly #options: AttachOptions
  readonly #leaving = Promise.withResolvers<number>()
  /** Prompts of this client, and the turns they were delivered to. */
  readonly #prompts = new Set<PromptId>()
  readonly #turns = new Set<TurnId>()
  #sends: Promise<void> = Promise.resolve()
  /** Seq of the last command; until it is seen, the session only looks idle. */
  #sentSeq = 0
  #pendingSends = 0
  #inputEnded = false
  #interrupted = false
  #refusedCalls = 0
  /** When a request was last answered, by any client. */
  #settledAt = 0
  #exitCode: number = exitCodes.done

  constructor(handle: SessionHandle, view: SessionView, options: AttachOptions) {
    this.#handle = handle
    this.#view = view
    this.#options = options
    this.exited = this.#leaving.promise
    this.exited.catch(() => {}) // handled by the caller
  }

  async start(cursor: number): Promise<void> {
    for (const request of this.#view.requests) {
      this.#options.printer?.ask(request)
      this.#options.notifier?.needed(request.approvalId, requestText(request))
    }
    const unwatch = await this.#handle.watch(cursor, (item) => this.#onItem(item))
    const leave = () => {
      unwatch()
      this.#options.notifier?.close()
    }
    void this.exited.then(leave, leave)
  }

  leave(exitCode: number): void {
    this.#leaving.resolve(exitCode)
  }

  hangUp(exitCode: number): void {
    void this.#sends.then(() => this.leave(exitCode))
  }

  line(line: string): void {
    const isLate = Date.now() - this.#settledAt < lateAnswerMs
    const typed = typedFor(this.#view.requests[0], line, isLate)
    if (typed?.command === "answer") return this.#reply(typed.text)
    const command: LineCommand = typed === undefined ? parseLine(line) : { kind: "answer", ...typed }
    switch (command.kind) {
      case "nothing":
        return
      case "prompt":
        return this.#prompt(command.text)
      case "stop":
        return this.#send({ type: "interrupt" })
      case "answer":
        return this.#answer(command)
      case "quit":
        return this.leave(exitCodes.done)
      case "help":
        printNotice(lineHelp)
        return this.#slash({ kind: "slash", name: "help", args: [] })
      case "slash":
        return this.#slash(command)
      case "unknown":
        return unknown(command.word)
    }
  }

  /** At a terminal it detaches; from a pipe it waits for the turns it started. */
  endInput(): void {
    if (this.#options.typed) return void this.#sends.then(() => this.leave(exitCodes.done))
    this.#inputEnded = true
    this.#leaveWhenIdle()
  }

  /** Ctrl-C interrupts a running turn; a second one, or none running, detaches. */
  interrupt(): void {
    if (this.#interrupted || !this.#view.isBusy) return this.leave(exitCodes.done)
    this.#interrupted = true
    this.#send({ type: "interrupt" })
  }

  #onItem(item: WatchItem): void {
    if (item.kind === "lost")
      return this.#leaving.reject(new AppFault(describeRefusal(item.refusal), exitCodes.unreachable))
    if (item.kind === "event") this.#view.take(item.recorded)
    if (this.#options.printer === undefined) printJson(item)
    else this.#options.printer.show(item)
    if (item.kind !== "event") return
    this.#onEvent(item.recorded)
    this.#leaveWhenIdle()
  }

  #onEvent({ event }: Recorded): void {
    switch (event.type) {
      case "prompt.promoted":
        if (this.#prompts.has(event.promptId)) this.#turns.add(event.turnId)
        return
      case "approval.requested":
      case "child.asked":
        return this.#notify(event.approvalId)
      case "approval.decided":
      case "child.answered":
        this.#settledAt = Date.now()
        return this.#options.notifier?.settled(event.approvalId)
      case "turn.started":
        this.#refusedCalls = 0
        this.#interrupted = false
        return
      case "tool.refused":
        if (isRefusal(event)) this.#refusedCalls += 1
        return
      case "turn.ended":
        if (this.#turns.delete(event.turnId))
          this.#exitCode = exitCodeOf({ ...event, refusedCalls: this.#refusedCalls, signal: 0 })
        return
      case "session.ended":
      case "session.hibernated":
        return this.leave(this.#exitCode)
      default:
        return // only shown
    }
  }

  #notify(approvalId: ApprovalId): void {
    const request = this.#view.request(approvalId)
    if (request !== undefined) this.#options.notifier?.needed(approvalId, requestText(request))
  }

  #prompt(text: string): void {
    const prompt = this.#newPrompt(text)
    const { typed, printer, withFiles } = this.#options
    if (typed) printer?.typed(prompt.promptId)
    this.#enqueue(async () => {
      const sent = await this.#sendNow({ ...prompt, ...(await withFiles?.(text)) })
      if (sent.kind === "refused") this.#onRefused(describeRefusal(sent.refusal))
    })
  }

  #newPrompt(text: string): CommandOf<"prompt"> {
    const promptId = newPromptId()
    this.#prompts.add(promptId)
    return { type: "prompt", promptId, text, ifBusy: "wait" }
  }

  /** Plain text while a question is the oldest request, or a number just after it was answered. */
  #reply(text: string): void {
    const [request] = this.#view.requests
    if (request === undefined)
      return printNotice("the question was just answered; send the text again if it is a prompt")
    const { approvalId, digest } = request
    this.#send({ type: "approve", approvalId, approved: true, digest, answer: text })
  }

  #answer({ command, idPrefix }: TypedAnswer): void {
    const request = this.#findRequest(idPrefix)
    if (request === undefined) return
    const { approvalId, digest, tool, input } = request
    const remember = command === "always" ? rememberedCall(tool, input) : undefined
    if (command === "always" && remember === undefined)
      return printNotice("the argument contains a '*' and cannot be remembered: answer y or n")
    this.#send({ type: "approve", approvalId, approved: command !== "deny", digest, remember })
  }

  #findRequest(idOrPrefix: string | undefined): OpenApproval | undefined {
    const { requests } = this.#view
    const [oldest] = requests
    if (oldest === undefined) printNotice("no approval request is pending")
    if (oldest === undefined || idOrPrefix === undefined) return oldest
    const found = findByPrefix(requests, "apr_", idOrPrefix, ({ approvalId }) => approvalId)
    if (found.kind === "one") return found.item
    printNotice(
      found.kind === "none"
        ? `No pending request matches '${idOrPrefix}'`
        : `'${idOrPrefix}' matches more than one request`,
    )
    return undefined
  }

  #send(command: SessionCommand): void {
    this.#enqueue(async () => {
      const sent = await this.#sendNow(command)
      if (sent.kind === "refused") this.#onRefused(describeRefusal(sent.refusal))
    })
  }

  #slash(command: Extract<LineCommand, { kind: "slash" }>): void {
    this.#enqueue(async () => {
      const { runTyped } = await import("../../slash-commands/run-typed.ts")
      const result = await runTyped(command, {
        port: this.#options.port,
        sessionId: this.#handle.sessionId,
        requests: this.#view.requests,
        caller: localCaller("attach"),
        newSessionId: newChildId,
        now: Date.now,
        send: (sent) => this.#sendNow(sent),
        prompt: (text) => this.#sendNow(this.#newPrompt(text)),
      })
      this.#showResult(result)
    })
  }

  #showResult(result: SlashResult): void {
    const { printer } = this.#options
    const { command, error } = result
    if (printer === undefined) process.stdout.write(`${JSON.stringify(result)}\n`)
    if (error === `Unknown command: /${command}`) return unknown(`/${command}`)
    if (!result.success) return this.#onRefused(error ?? `/${command} failed`)
    printer?.ran(result)
  }

  /** In the order of input. */
  #enqueue(work: () => Promise<void>): void {
    this.#pendingSends += 1
    this.#sends = this.#sends.then(() => this.#runNext(work))
  }

  async #runNext(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (fault) {
      return this.#leaving.reject(fault)
    }
    this.#pendingSends -= 1
    this.#leaveWhenIdle()
  }

  async #sendNow(command: SessionCommand): Promise<SendOutcome> {
    const sent = await this.#handle.send(command)
    if (sent.kind === "accepted") this.#sentSeq = Math.max(this.#sentSeq, sent.seq)
    return sent
  }

  #onRefused(reason: string): void {
    printNotice(`turnhouse: ${reason}`)
    this.#exitCode = exitCodes.failed
  }

  #leaveWhenIdle(): void {
    if (!this.#inputEnded || this.#pendingSends > 0 || this.#view.state.seq < this.#sentSeq) return
    const { state, status } = this.#view
    if (status.parked && state.turn?.parked?.until === undefined) return this.leave(exitCodes.refused)
    if (!this.#view.isBusy && state.waiting.length === 0) this.leave(this.#exitCode)
  }
}

function unknown(word: string): void {
  printNotice(`unknown command '${word}'. /help lists the commands; // sends a line that begins with a slash.`)
}
