// Requests for approval at a terminal: one question at a time, the exact arguments shown, no answer taken for a yes.
// The question is withdrawn when somebody else decides first.
import { createInterface, type Interface } from "node:readline/promises"
import type { EventOf } from "../../contract/events.ts"
import type { JsonValue } from "../../contract/values.ts"
import { findCall, openApprovals } from "../../session/state.ts"
import type { SessionActor } from "../../runner/session-actor.ts"
import { localUser } from "../compose.ts"
import { exactArguments, indented } from "../exact-arguments.ts"
import { oneLine, say, styled } from "../terminal.ts"
import type { FollowOptions } from "./follow-turn.ts"

type Request = Pick<EventOf<"approval.requested">, "approvalId" | "callId" | "tool" | "digest" | "reason">

type DeskOptions = Pick<FollowOptions, "approve" | "asks" | "refuses">

export class ApprovalDesk {
  readonly #session: SessionActor
  readonly #options: DeskOptions
  #questions: Promise<void> = Promise.resolve()
  #interface: Interface | undefined
  readonly #closing = new AbortController()

  constructor(session: SessionActor, options: DeskOptions) {
    this.#session = session
    this.#options = options
  }

  /** What was open before we came. */
  openOnes(): readonly Request[] {
    return openApprovals(this.#session.state).map(({ id, callId, digest }) => {
      const tool = findCall(this.#session.state, callId)?.tool ?? "a tool"
      return { approvalId: id, callId, digest, tool, reason: `${tool} waits for an approval.` }
    })
  }

  ask(request: Request): void {
    if (this.#options.approve) void this.#answer(request, true)
    else if (this.#options.asks) this.#questions = this.#questions.then(() => this.#question(request))
    else if (this.#options.refuses) void this.#answer(request, false, "there is nobody to ask")
    else if (this.#isOpen(request)) say(`an approval is waited for: turnhouse approve ${request.approvalId}`)
  }

  close(): void {
    this.#closing.abort()
    this.#interface?.close()
  }

  async #question(request: Request): Promise<void> {
    const call = findCall(this.#session.state, request.callId)
    if (!this.#isOpen(request) || call === undefined || this.#closing.signal.aborted) return
    say(`\n${styled("yellow", "approval")} ${request.reason}\n${shown(request.tool, call.input)}`)
    this.#interface ??= this.#openInterface()
    try {
      const answer = await this.#read(this.#interface, this.#withdrawn(request))
      await this.#answer(request, /^\s*y(es)?\s*$/i.test(answer))
    } catch (fault) {
      if (!(fault instanceof Error) || fault.name !== "AbortError") throw fault
      say("\n(no longer asked)")
    }
  }

  /** The end of input is a no. */
  #read(terminal: Interface, signal: AbortSignal): Promise<string> {
    const closed = new Promise<string>((resolve) => terminal.once("close", () => resolve("")))
    return Promise.race([terminal.question("Allow this? [y/N] ", { signal }), closed])
  }

  /** A terminal that is being read turns Ctrl-C into a key; it is meant for the turn all the same. */
  #openInterface(): Interface {
    const opened = createInterface({ input: process.stdin, output: process.stderr })
    opened.on("SIGINT", () => process.kill(process.pid, "SIGINT"))
    return opened
  }

  #isOpen({ approvalId }: Request): boolean {
    return openApprovals(this.#session.state).some(({ id }) => id === approvalId)
  }

  #withdrawn(request: Request): AbortSignal {
    const settled = new AbortController()
    const unwatch = this.#session.watch((item) => {
      const event = item.kind === "event" ? item.recorded.event : undefined
      if (event?.type !== "approval.decided" || event.approvalId !== request.approvalId) return
      unwatch()
      settled.abort()
    })
    return AbortSignal.any([settled.signal, this.#closing.signal])
  }

  async #answer({ approvalId, digest }: Request, approved: boolean, note?: string): Promise<void> {
    const by = { principal: localUser(), door: "run" }
    await this.#session.send({ type: "approve", approvalId, approved, digest, note }, by)
  }
}

/** Exactly what would run: nothing folded, nothing cut, nothing hidden. */
function shown(tool: string, input: JsonValue): string {
  return `  ${oneLine(tool, 100)}\n${indented(exactArguments(input), 2)}`
}
