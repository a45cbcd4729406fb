// Faults of the IPC client. A turn that failed is no fault but an outcome (open-turn.ts).
import { Fault } from "../base/fault.ts"

/** Base class of all faults of this library. */
export class IpcFault extends Fault {
  override readonly name: string = "IpcFault"
}

/** There is no socket, or no process listens on it. */
export class IpcNotReachable extends IpcFault {
  override readonly name = "IpcNotReachable"
  /** `missing`: there is no such file. `dead`: the agent that created it is gone. */
  readonly why: "missing" | "dead" | "denied" | "other"
  readonly socket: string

  constructor(socket: string, cause: Error) {
    const why = reasonOf(cause)
    super(unreachable[why](socket, cause.message), cause)
    this.why = why
    this.socket = socket
  }
}

/** Why an agent refused the handshake, independent of its text. */
export type HandshakeRefusal = "token-required" | "token-invalid" | "version" | "session" | "other"

/** The agent refused this viewer. */
export class IpcRefused extends IpcFault {
  override readonly name = "IpcRefused"
  readonly refusal: HandshakeRefusal
  /** The agent's own text. */
  readonly reason: string

  constructor(reason: string) {
    super(`the agent refused the handshake: ${reason}`)
    this.refusal = refusalIn(reason)
    this.reason = reason
  }
}

/** The peer closed the connection, or sent something that is no handshake response. */
export class IpcNoHandshake extends IpcFault {
  override readonly name = "IpcNoHandshake"
}

export class IpcTimeout extends IpcFault {
  override readonly name = "IpcTimeout"
  readonly waitedFor: string

  constructor(waitedFor: string, ms: number) {
    super(`the agent did not answer '${waitedFor}' within ${ms} ms`)
    this.waitedFor = waitedFor
  }
}

/** The agent refused a request. */
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

/** The connection is gone; pending answers will not arrive. */
export class IpcLost extends IpcFault {
  override readonly name = "IpcLost"
}

/** `close` was called. */
export class IpcClosed extends IpcFault {
  override readonly name = "IpcClosed"

  constructor() {
    super("the viewer was closed")
  }
}

export class IpcMessageTooLarge extends IpcFault {
  override readonly name = "IpcMessageTooLarge"

  constructor(type: string, bytes: number, limit: number) {
    super(`'${type}' has ${bytes} bytes, and the limit of a message is ${limit}. Send large texts as files.`)
  }
}

/** The agent does not read, and the buffer is full. */
export class IpcNotReading extends IpcFault {
  override readonly name = "IpcNotReading"

  constructor(waiting: number) {
    super(`the agent does not read: ${waiting} bytes wait to be read`)
  }
}

const unreachable: Record<IpcNotReachable["why"], (socket: string, message: string) => string> = {
  missing: (socket) => `there is no socket at ${socket}`,
  dead: (socket) => `nothing listens on ${socket}: the agent is gone`,
  denied: (socket) => `${socket} belongs to another user`,
  other: (socket, message) => `${socket} cannot be reached: ${message}`,
}

function reasonOf(cause: Error): IpcNotReachable["why"] {
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
