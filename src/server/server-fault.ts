// Keeps the server from starting, and its operator can fix it.
export class ServerFault extends Error {
  override readonly name = "ServerFault"
  /** `usage`: an option or a setting is wrong. */
  readonly kind: "usage" | "failed"

  constructor(message: string, kind: "usage" | "failed" = "usage") {
    super(message)
    this.kind = kind
  }
}
