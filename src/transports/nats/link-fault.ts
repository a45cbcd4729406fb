// Why a link could not be opened.

/**
 * `unreachable`: no connection to NATS. `no-host`: no process listens for that host. `no-answer`: it did not answer in time.
 * `refused`: it has another key, or too many links are being opened.
 */
export type LinkFaultKind = "unreachable" | "no-host" | "no-answer" | "refused"

export class LinkFault extends Error {
  override readonly name = "LinkFault"
  readonly kind: LinkFaultKind

  constructor(kind: LinkFaultKind, message: string, cause?: unknown) {
    super(message, { cause })
    this.kind = kind
  }
}
