// One-time codes as a session has them made. What a code is, where it goes and how many may be sent is known behind this.
import type { EventOf } from "../../../contract/events.ts"
import type { VerificationId, VisitId } from "../../../contract/ids.ts"
import type { CodeChannel, Contact } from "../../../contract/values.ts"

export interface CodeService {
  /** Whether a call waits for its visitor's code, or is refused and asked for again afterwards. */
  readonly mode: "after" | "park"
  /** The ways in which a code can be sent to this contact, the preferred first. */
  channels(contact: Contact): readonly CodeChannel[]
  /** A new code that has not left the house; nothing where too many were made already. */
  make(order: CodeOrder): Promise<OwnCode | undefined>
  isCode(code: string, verificationId: VerificationId, digest: string): boolean
}

export interface CodeOrder {
  readonly verificationId: VerificationId
  readonly visitId: VisitId
  readonly org: string
  /** Absent in visits of older releases. */
  readonly caller?: string | undefined
  readonly channel: CodeChannel
  readonly contact: Contact
  readonly at: number
}

/** What is stored of a code, and the way to send it. The code itself is nowhere else. */
export interface OwnCode extends Omit<EventOf<"verification.prepared">, "type" | "verificationId"> {
  readonly deliver: () => Promise<void>
}
