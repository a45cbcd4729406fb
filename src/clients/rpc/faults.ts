// Faults of the RPC client. A turn that failed or was refused is no fault but an outcome (open-turn.ts).
import { rpcVersion } from "../../protocols/rpc/limits.ts"
import { Fault } from "../base/fault.ts"

/** How the child process ended, with the end of its stderr. */
export interface ChildEnd {
  readonly code: number | null
  readonly signal: string | null
  readonly stderr: string
}

/** Base class of all faults of this library. */
export class RpcFault extends Fault {
  override readonly name: string = "RpcFault"
}

/** The program could not be started. */
export class RpcNotStarted extends RpcFault {
  override readonly name = "RpcNotStarted"

  constructor(program: string, cwd: string | undefined, cause: Error) {
    super(`'${program}' could not be started${cwd === undefined ? "" : ` in '${cwd}'`}: ${cause.message}`, cause)
  }
}

export class RpcVersionMismatch extends RpcFault {
  override readonly name = "RpcVersionMismatch"
  readonly spoken: number

  constructor(spoken: number) {
    super(`the child speaks version ${spoken} of the protocol; this parent speaks version ${rpcVersion}`)
    this.spoken = spoken
  }
}

/** `waitedFor` is a command, or `ready`. */
export class RpcTimeout extends RpcFault {
  override readonly name = "RpcTimeout"
  readonly waitedFor: string

  constructor(waitedFor: string, ms: number) {
    super(`the child did not answer '${waitedFor}' within ${ms} ms`)
    this.waitedFor = waitedFor
  }
}

/** The child is gone; its pending responses will not come. */
export class RpcChildEnded extends RpcFault {
  override readonly name = "RpcChildEnded"
  readonly end: ChildEnd

  constructor(end: ChildEnd) {
    super(`the child ended ${describeEnd(end)}${lastLine(end.stderr)}`)
    this.end = end
  }
}

/** `close` was called. */
export class RpcClosed extends RpcFault {
  override readonly name = "RpcClosed"

  constructor() {
    super("the child was closed")
  }
}

/** The child refused a command: an `error` frame, or a response that is not ok. */
export class RpcRefused extends RpcFault {
  override readonly name = "RpcRefused"
  readonly command: string
  readonly reason: string

  constructor(command: string, reason: string) {
    super(`the child refused '${command}': ${reason}`)
    this.command = command
    this.reason = reason
  }
}

/** The response lacks a field that this command needs. */
export class RpcBadAnswer extends RpcFault {
  override readonly name = "RpcBadAnswer"

  constructor(command: string, missing: string) {
    super(`the child's response to '${command}' has no ${missing}`)
  }
}

/** The frame was not sent: a child cannot name the command of a frame that is too large. */
export class RpcFrameTooLarge extends RpcFault {
  override readonly name = "RpcFrameTooLarge"

  constructor(command: string, bytes: number, limit: number) {
    super(`'${command}' has ${bytes} bytes, and the limit of a frame is ${limit}. Send large texts as attachments.`)
  }
}

/** The child does not read its input, and the buffer is full. */
export class RpcNotReading extends RpcFault {
  override readonly name = "RpcNotReading"

  constructor(waiting: number) {
    super(`the child does not read its input: ${waiting} bytes wait to be read`)
  }
}

function describeEnd({ code, signal }: ChildEnd): string {
  return signal === null ? `with code ${code}` : `by ${signal}`
}

function lastLine(stderr: string): string {
  const last = stderr.trimEnd().split("\n").at(-1) ?? ""
  return last === "" ? "" : `: ${last.slice(0, 500)}`
}
