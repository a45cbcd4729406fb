// The port through which a session issues and checks one-time codes.
import type { EventOf } from "../../../contract/events.ts"
import type { VerificationId, VisitId } from "../../../contract/ids.ts"
import type { CodeChannel, Contact } from "../../../contract/values.ts"

export interface CodeService {
  /** `park`: the call waits for the code. `after`: it is refused, and the visitor asks again once verified. */
  readonly mode: "after" | "park"
  /** The channels that reach this contact, the preferred first. */
  channels(contact: Contact): readonly CodeChannel[]
  /** A new code that is not sent yet; undefined if the quota is used up. */
  issue(request: CodeRequest): Promise<IssuedCode | undefined>
  isCode(code: string, verificationId: VerificationId, digest: string): boolean
}

export interface CodeRequest {
  readonly verificationId: VerificationId
  readonly visitId: VisitId
  readonly org: string
  /** Absent in visits of older releases. */
  readonly caller?: string | undefined
  readonly channel: CodeChannel
  readonly contact: Contact
  readonly at: number
}

/** What is stored about a code, and how to send it. Only `deliver` knows the code. */
export interface IssuedCode extends Omit<EventOf<"verification.prepared">, "type" | "verificationId"> {
  readonly deliver: () => Promise<void>
}
