// Follows the log of a session. Lines are printed from the log itself, byte for byte; watching only signals new ones. A
// terminal shows the end of streaming text in its last line.
import type { SessionDelta } from "../../contract/deltas.ts"
import type { SessionHandle, WatchItem } from "../../contract/host-port.ts"
import { describeRefusal } from "../../contract/text/describe-refusal.ts"
import type { HomeLog } from "../../app/sessions/sessions.ts"
import { storedLines } from "../../app/sessions/stored-lines.ts"
import { AppFault, exitCodes } from "../../app/app-fault.ts"
import { printLine, printStreamed } from "../log-lines.ts"
import { oneLine } from "../../contract/text/text.ts"
import { styled } from "../../app/terminal.ts"

const tailLength = 70

export class FollowedLog {
  /** Resolves with the exit code; rejects if the session is lost. */
  readonly exited: Promise<number>
  readonly #log: HomeLog
  readonly #handle: SessionHandle
  readonly #json: boolean
  readonly #leaving = Promise.withResolvers<number>()
  #seen: number
  #printing: Promise<void> = Promise.resolve()
  #tail = ""

  /** Events up to `seen` were printed already. */
  constructor(log: HomeLog, handle: SessionHandle, seen: number, json: boolean) {
    this.#log = log
    this.#handle = handle
    this.#seen = seen
    this.#json = json
    this.exited = this.#leaving.promise
  }

  async start(): Promise<void> {
    const unwatch = await this.#handle.watch(this.#seen, (item) => this.#onItem(item))
    const leave = () => {
      unwatch()
      this.#clearTail()
    }
    void this.exited.then(leave, leave)
  }

  leave(exitCode: number): void {
    this.#leaving.resolve(exitCode)
  }

  #onItem(item: WatchItem): void {
    switch (item.kind) {
      case "event":
        return this.#enqueue(() => (item.recorded.seq > this.#seen ? this.#print() : undefined))
      case "streamed":
        return this.#enqueue(() => printStreamed(item, this.#json))
      case "delta":
        return this.#delta(item.delta)
      case "lost":
        return this.#leaving.reject(new AppFault(describeRefusal(item.refusal), exitCodes.unreachable))
    }
  }

  /** One after another, in order. */
  #enqueue(print: () => void | Promise<void>): void {
    this.#printing = this.#printing.then(print).catch((fault: unknown) => this.#leaving.reject(fault))
  }

  async #print(): Promise<void> {
    this.#clearTail()
    for await (const line of storedLines(this.#log, this.#handle.sessionId, this.#seen)) {
      printLine(line, this.#json)
      this.#seen = line.seq
    }
  }

  #delta(delta: SessionDelta): void {
    if (delta.type !== "text.delta" || this.#json || !process.stdout.isTTY) return
    this.#tail = (this.#tail + delta.delta).slice(-tailLength)
    process.stdout.write(`\r\u001b[K    …  ${styled("dim", oneLine(this.#tail, tailLength), process.stdout)}`)
  }

  #clearTail(): void {
    if (this.#tail !== "") process.stdout.write("\r\u001b[K")
    this.#tail = ""
  }
}
