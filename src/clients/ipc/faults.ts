// What can go wrong between a viewer and an agent, each with a class of its own and a sentence for a person. A turn that
// failed is no fault: it is one of the ends that a turn can have (turn.ts).

/** Every fault of this library is one of these. */
export class IpcFault extends Error {
  override readonly name: string = "IpcFault"
}

/** There is no socket, or nobody listens on it. */
export class IpcNotReachable extends IpcFault {
  override readonly name = "IpcNotReachable"
  /** `missing`: there is no such file. `dead`: it was left behind by an agent that is gone. */
  readonly why: "missing" | "dead" | "denied" | "other"
  readonly socket: string

  constructor(socket: string, cause: Error) {
    const why = whyNot(cause)
    super(unreachable[why](socket, cause.message), { cause })
    this.why = why
    this.socket = socket
  }
}

/** What the agents of this protocol say when they turn somebody away, as a type that does not depend on their words. */
export type HandshakeRefusal = "token-required" | "token-invalid" | "version" | "session" | "other"

/** The agent does not take this viewer. */
export class IpcRefused extends IpcFault {
  override readonly name = "IpcRefused"
  readonly refusal: HandshakeRefusal
  /** In the agent's own words. */
  readonly reason: string

  constructor(reason: string) {
    super(`the agent refused the handshake: ${reason}`)
    this.refusal = refusalIn(reason)
    this.reason = reason
  }
}

/** Whatever listens there closed the connection without a word, or said something that is no handshake. */
export class IpcNoHandshake extends IpcFault {
  override readonly name = "IpcNoHandshake"
}

/** Nothing came in time. */
export class IpcTimeout extends IpcFault {
  override readonly name = "IpcTimeout"
  readonly waitedFor: string

  constructor(waitedFor: string, ms: number) {
    super(`the agent did not answer '${waitedFor}' within ${ms} ms`)
    this.waitedFor = waitedFor
  }
}

/** The agent said no to what it was asked. */
export class IpcDenied extends IpcFault {
  override readonly name = "IpcDenied"
  readonly command: string
  readonly reason: string

  constructor(command: string, reason: string) {
    super(`the agent refused '${command}': ${reason}`)
    this.command = command
    this.reason = reason
  }
}

/** The connection is gone, and whatever the agent owed will not come over it. */
export class IpcLost extends IpcFault {
  override readonly name = "IpcLost"
}

/** The viewer was closed by its owner. */
export class IpcClosed extends IpcFault {
  override readonly name = "IpcClosed"

  constructor() {
    super("the viewer was closed")
  }
}

export class IpcMessageTooLarge extends IpcFault {
  override readonly name = "IpcMessageTooLarge"

  constructor(type: string, bytes: number, limit: number) {
    super(`'${type}' takes ${bytes} bytes, and a message may have ${limit}; name large texts as files`)
  }
}

/** The agent does not read what it is sent, and no more is kept for it. */
export class IpcNotReading extends IpcFault {
  override readonly name = "IpcNotReading"

  constructor(waiting: number) {
    super(`the agent does not read: ${waiting} bytes wait to be taken`)
  }
}

export function asError(fault: unknown): Error {
  return fault instanceof Error ? fault : new IpcFault(String(fault))
}

const unreachable: Record<IpcNotReachable["why"], (socket: string, message: string) => string> = {
  missing: (socket) => `there is no socket at ${socket}`,
  dead: (socket) => `nobody listens on ${socket}: the agent is gone`,
  denied: (socket) => `${socket} belongs to somebody else`,
  other: (socket, message) => `${socket} cannot be reached: ${message}`,
}

function whyNot(cause: Error): IpcNotReachable["why"] {
  const code = "code" in cause ? cause.code : undefined
  if (code === "ENOENT" || code === "ENOTDIR") return "missing"
  if (code === "ECONNREFUSED") return "dead"
  return code === "EACCES" || code === "EPERM" ? "denied" : "other"
}

function refusalIn(reason: string): HandshakeRefusal {
  if (reason === "Session token required for reattachment") return "token-required"
  if (reason === "Invalid session token") return "token-invalid"
  if (reason.startsWith("Protocol version mismatch")) return "version"
  return reason === "Session mismatch" ? "session" : "other"
}
