// What can go wrong between a parent and its child, each with a class of its own and a sentence for a person. A turn
// that the model failed or the child refused is no fault: it is one of the ends that a turn can have (turn.ts).
import { rpcVersion } from "../../protocols/rpc/wire.ts"

/** How the child's process ended, with the last it said on stderr. */
export interface ChildEnd {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stderr: string
}

/** Every fault of this library is one of these. */
export class RpcFault extends Error {
  override readonly name: string = "RpcFault"
}

/** The program could not be started at all. */
export class RpcNotStarted extends RpcFault {
  override readonly name = "RpcNotStarted"

  constructor(program: string, cwd: string | undefined, cause: Error) {
    super(`'${program}' could not be started${cwd === undefined ? "" : ` in '${cwd}'`}: ${cause.message}`, { cause })
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

/** Nothing came in time. `waitedFor` is a command, or `ready`. */
export class RpcTimeout extends RpcFault {
  override readonly name = "RpcTimeout"
  readonly waitedFor: string

  constructor(waitedFor: string, ms: number) {
    super(`the child did not answer '${waitedFor}' within ${ms} ms`)
    this.waitedFor = waitedFor
  }
}

/** The child is gone, and whatever it owed will not come. */
export class RpcChildEnded extends RpcFault {
  override readonly name = "RpcChildEnded"
  readonly end: ChildEnd

  constructor(end: ChildEnd) {
    super(`the child ended ${howItEnded(end)}${lastWords(end.stderr)}`)
    this.end = end
  }
}

/** The parent was closed by its owner. */
export class RpcClosed extends RpcFault {
  override readonly name = "RpcClosed"

  constructor() {
    super("the child was closed")
  }
}

/** The child said no to a command: an `error` frame, or an answer that is not ok. */
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

/** The child answered with something that is no answer to this command. */
export class RpcBadAnswer extends RpcFault {
  override readonly name = "RpcBadAnswer"

  constructor(command: string, missing: string) {
    super(`the child's answer to '${command}' has no ${missing}`)
  }
}

/** The frame was not sent: a child would not be able to tell whom to blame for it. */
export class RpcFrameTooLarge extends RpcFault {
  override readonly name = "RpcFrameTooLarge"

  constructor(command: string, bytes: number, limit: number) {
    super(`'${command}' takes ${bytes} bytes, and a frame may have ${limit}; send large texts as attachments`)
  }
}

/** The child does not read what it is sent, and no more is kept for it. */
export class RpcNotReading extends RpcFault {
  override readonly name = "RpcNotReading"

  constructor(waiting: number) {
    super(`the child does not read its input: ${waiting} bytes wait to be taken`)
  }
}

function howItEnded({ code, signal }: ChildEnd): string {
  return signal === null ? `with code ${code}` : `by ${signal}`
}

function lastWords(stderr: string): string {
  const last = stderr.trimEnd().split("\n").at(-1) ?? ""
  return last === "" ? "" : `: ${last.slice(0, 500)}`
}

export function asError(fault: unknown): Error {
  return fault instanceof Error ? fault : new RpcFault(String(fault))
}
