// A client of one protocol in a proof. It remembers over all connections what it was shown and what was acknowledged, and
// compares that when it comes back.
import type { Report, ViolationKind } from "../../violation.ts"

export interface DoorClient {
  /** Sends a message; false if the connection is lost. Whether it was stored is seen in the session. */
  prompt(text: string): boolean
  /** Answers the open approval, if this client was shown one. False if it cannot. */
  approve(approvalId: string, isApproved: boolean): boolean
  close(): void
  /** Resolves when the connection is lost. */
  readonly closed: Promise<void>
}

export interface ConnectOptions {
  readonly memory: DoorMemory
  readonly signal: AbortSignal
  /** Called with the reason when an attempt to connect has failed, or hangs. */
  readonly onProblem?: (problem: string) => void
}

/** Messages by role, as a client has them. */
export interface Message {
  readonly role: "user" | "assistant"
  readonly text: string
}

/** Asked after each frame that a client has read: whether its connection is cut there. */
export type CutsAt = (frame: string) => boolean

/** What a client knows of the conversation, over all its connections. */
export class DoorMemory {
  readonly cutsAt: CutsAt
  /** Called with each frame as it was received. */
  onFrame: (text: string) => void = () => {}
  readonly #name: string
  readonly #report: Report
  readonly #answersRepeat: boolean
  readonly #known = new Map<string, Message>()

  /** `name`: of the door, for the report. `answersRepeat`: the model may say the same text again. */
  constructor(name: string, report: Report, answersRepeat: boolean, cutsAt: CutsAt = () => false) {
    this.cutsAt = cutsAt
    this.#name = name
    this.#report = report
    this.#answersRepeat = answersRepeat
  }

  violate(kind: ViolationKind, event: string, what: string): void {
    this.#report(kind, event, `${this.#name}: ${what}`)
  }

  /** It was shown or acknowledged, so it must be in every later list of messages, once. */
  know(message: Message): void {
    this.#known.set(keyOf(message), message)
  }

  /** Called with the whole conversation when the client has connected again. */
  compare(messages: readonly Message[]): void {
    const keys = messages.map(keyOf)
    for (const [key, message] of this.#known)
      if (!keys.includes(key))
        this.#violateBy(
          message,
          "lost",
          `is missing after the client came back, which was shown: ${JSON.stringify(messages)}`,
        )
    for (const [index, message] of messages.entries()) {
      const isSecond = keys.indexOf(keyOf(message)) < index
      if (isSecond && !(message.role === "assistant" && this.#answersRepeat))
        this.#violateBy(message, "doubled", "is shown more than once")
    }
  }

  #violateBy({ role, text }: Message, kind: ViolationKind, what: string): void {
    this.violate(kind, role === "user" ? "prompt.admitted" : "text.ended", `the ${role} message "${text}" ${what}`)
  }
}

function keyOf({ role, text }: Message): string {
  return `${role} ${text}`
}
