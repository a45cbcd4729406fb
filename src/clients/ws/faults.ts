// Faults of the WebSocket client. A TurnFault says how a turn ended without a reply; all others belong to one request
// or to the connection.
import type { FieldError } from "../../contract/values.ts"
import { Fault } from "../base/fault.ts"

/** Base class of all faults of this library. */
export class ClientFault extends Fault {
  override readonly name: string = "ClientFault"
}

/** The server could not be reached, or not again after the connection was lost. */
export class NotConnected extends ClientFault {
  override readonly name = "NotConnected"
  /** Close code of the socket; 1006 when the server sent none. */
  readonly code: number | undefined

  constructor(message: string, code?: number, cause?: unknown) {
    super(message, cause)
    this.code = code
  }
}

/** The connection was lost before the response: the server may or may not have carried out the request. */
export class ConnectionLost extends ClientFault {
  override readonly name = "ConnectionLost"

  constructor(action: string) {
    super(`the connection was lost before the response to '${action}'`)
  }
}

/** `close` was called. */
export class SessionClosed extends ClientFault {
  override readonly name = "SessionClosed"

  constructor() {
    super("the session is closed")
  }
}

export class RequestRefused extends ClientFault {
  override readonly name = "RequestRefused"
  readonly action: string
  /** The server's error code: `SESSION_NOT_FOUND`, `NO_PENDING_CONFIRMATION` … */
  readonly code: string

  constructor(action: string, code: string, message: string) {
    super(message === "" ? `the server refused '${action}': ${code}` : message)
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

/** The response lacks a field that this action needs. */
export class BadAnswer extends ClientFault {
  override readonly name = "BadAnswer"

  constructor(action: string, missing: string) {
    super(`the server's response to '${action}' has no ${missing}`)
  }
}

/** The server does not read, and the send buffer is full. */
export class NotReading extends ClientFault {
  override readonly name = "NotReading"

  constructor(waiting: number) {
    super(`the server does not read: ${waiting} bytes wait to be sent`)
  }
}

/** The values do not fit the card; `errors` has every problem. The card stays open. */
export class InteractionInvalid extends ClientFault {
  override readonly name = "InteractionInvalid"
  readonly errors: readonly FieldError[]

  constructor(errors: readonly FieldError[], message = "Some fields need attention.") {
    super(message)
    this.errors = errors
  }
}

/** The confirmation is no longer pending, or another one is. Nothing was sent. */
export class QuestionGone extends ClientFault {
  override readonly name = "QuestionGone"

  constructor() {
    super("the confirmation is no longer pending")
  }
}

/** A turn ended without a reply. */
export class TurnFault extends ClientFault {
  override readonly name: string = "TurnFault"
}

/** No turn started, and the message is not stored. */
export class TurnRefused extends TurnFault {
  override readonly name = "TurnRefused"
  readonly code: string

  constructor(code: string, message: string) {
    super(message === "" ? `the server refused the message: ${code}` : message)
    this.code = code
  }
}

/** The message is stored, and the agent failed. */
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

/** The connection was lost, and the outcome of the turn cannot be determined. */
export class TurnLost extends TurnFault {
  override readonly name = "TurnLost"
  /** Whether the server has the message; undefined when that is not known. */
  readonly isStored: boolean | undefined

  constructor(message: string, isStored: boolean | undefined, cause?: unknown) {
    super(message, cause)
    this.isStored = isStored
  }
}

/** The time limit of the turn was reached; the turn was cancelled. */
export class TurnTimedOut extends TurnFault {
  override readonly name = "TurnTimedOut"

  constructor(ms: number) {
    super(`the turn did not end within ${ms} ms`)
  }
}

/** Too many unread events, or too much text in the turn. */
export class TurnTooLong extends TurnFault {
  override readonly name = "TurnTooLong"
}
