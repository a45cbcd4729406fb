// What can go wrong between a client and its server, each with a class of its own and a sentence for a person. Faults of
// a turn say what became of it; all others belong to one request or to the connection.
import type { FieldError } from "../../contract/values.ts"

/** Every fault of this library is one of these. */
export class ClientFault extends Error {
  override readonly name: string = "ClientFault"
}

/** The server could not be reached, or not again after the connection was lost. */
export class NotConnected extends ClientFault {
  override readonly name = "NotConnected"
  /** Of the socket, where it was closed; 1006 when nothing was said. */
  readonly code: number | undefined

  constructor(sentence: string, code?: number, cause?: unknown) {
    super(sentence, cause === undefined ? undefined : { cause })
    this.code = code
  }
}

/** The connection was lost before the answer came: whether it was carried out is not known. */
export class ConnectionLost extends ClientFault {
  override readonly name = "ConnectionLost"

  constructor(action: string) {
    super(`the connection was lost before '${action}' was answered`)
  }
}

/** The session was closed by its owner. */
export class SessionClosed extends ClientFault {
  override readonly name = "SessionClosed"

  constructor() {
    super("the session is closed")
  }
}

export class RequestRefused extends ClientFault {
  override readonly name = "RequestRefused"
  readonly action: string
  /** As the server names it: `SESSION_NOT_FOUND`, `NO_PENDING_CONFIRMATION` … */
  readonly code: string

  constructor(action: string, code: string, message: string) {
    super(message === "" ? `'${action}' was refused: ${code}` : message)
    this.action = action
    this.code = code
  }
}

export class RequestTimedOut extends ClientFault {
  override readonly name = "RequestTimedOut"
  readonly waitedFor: string

  constructor(waitedFor: string, ms: number) {
    super(`the server did not answer '${waitedFor}' within ${ms} ms`)
    this.waitedFor = waitedFor
  }
}

/** The server answered with something that is no answer to this action. */
export class BadAnswer extends ClientFault {
  override readonly name = "BadAnswer"

  constructor(action: string, missing: string) {
    super(`the server's answer to '${action}' has no ${missing}`)
  }
}

/** The server does not read what it is sent, and no more is kept for it. */
export class NotReading extends ClientFault {
  override readonly name = "NotReading"

  constructor(waiting: number) {
    super(`the server does not read: ${waiting} bytes wait to be sent`)
  }
}

/** Values that do not answer what was asked, all that is wrong with them at once. The question stays open. */
export class InteractionInvalid extends ClientFault {
  override readonly name = "InteractionInvalid"
  readonly errors: readonly FieldError[]

  constructor(errors: readonly FieldError[], message = "Some fields need attention.") {
    super(message)
    this.errors = errors
  }
}

/** What was to be confirmed is not asked any more, or something else is. Nothing was said to the server. */
export class QuestionGone extends ClientFault {
  override readonly name = "QuestionGone"

  constructor() {
    super("what was to be confirmed is not asked any more")
  }
}

/** How a turn can end but by a reply. */
export class TurnFault extends ClientFault {
  override readonly name: string = "TurnFault"
}

/** There was no turn, and the message is not stored. */
export class TurnRefused extends TurnFault {
  override readonly name = "TurnRefused"
  readonly code: string

  constructor(code: string, message: string) {
    super(message === "" ? `the message was refused: ${code}` : message)
    this.code = code
  }
}

/** The message is stored, and the agent failed at it. */
export class TurnFailed extends TurnFault {
  override readonly name = "TurnFailed"
  readonly code: string

  constructor(code: string, message: string) {
    super(message === "" ? `the turn failed: ${code}` : message)
    this.code = code
  }
}

export class TurnCancelled extends TurnFault {
  override readonly name = "TurnCancelled"

  constructor() {
    super("the turn was cancelled")
  }
}

/** The connection was lost, and what became of the turn cannot be seen any more. */
export class TurnLost extends TurnFault {
  override readonly name = "TurnLost"
  /** Whether the server has the message; undefined when that is not known. */
  readonly isStored: boolean | undefined

  constructor(sentence: string, isStored: boolean | undefined, cause?: unknown) {
    super(sentence, cause === undefined ? undefined : { cause })
    this.isStored = isStored
  }
}

/** The turn had a time limit; it was cancelled. */
export class TurnTimedOut extends TurnFault {
  override readonly name = "TurnTimedOut"

  constructor(ms: number) {
    super(`the turn did not end within ${ms} ms`)
  }
}

/** More came than is kept: of the events that nobody took, or of the turn as a whole. */
export class TurnTooLong extends TurnFault {
  override readonly name = "TurnTooLong"
}

export function asError(fault: unknown): Error {
  return fault instanceof Error ? fault : new ClientFault(String(fault))
}
