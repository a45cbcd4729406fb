// Runs the actions of one socket in the order of their frames, one at a time. An error is sent and never closes the
// socket.
import { actions, type ActionName, type ClientAction } from "../../protocols/ws/actions.ts"
import { decodeFrame } from "../../protocols/ws/codec.ts"
import { errors, WsError } from "../../protocols/ws/errors.ts"
import { handlers } from "./actions/handlers.ts"
import type { Connection } from "./connection.ts"

export class ActionQueue {
  readonly #connection: Connection
  #last: Promise<void> = Promise.resolve()

  constructor(connection: Connection) {
    this.#connection = connection
  }

  receive(text: string | undefined): void {
    const connection = this.#connection
    connection.traffic.frames += 1
    if (text === undefined) return connection.sendError(undefined, errors.frameBinary)
    const decoded = decodeFrame(text)
    if (decoded.kind === "error") return connection.sendError(decoded.requestId, decoded.error)
    const { action } = decoded
    if (connection.pendingActions >= connection.deps.limits.actionsAtOnce)
      return connection.sendError(action.requestId, errors.tooManyActions)
    connection.pendingActions += 1
    const frame = connection.traffic.frames
    this.#last = this.#last.then(() => this.#run(action, frame))
  }

  async #run(action: ClientAction, frame: number): Promise<void> {
    const connection = this.#connection
    const { deps } = connection
    const startedAt = deps.now()
    connection.actionFrame = frame
    const error = connection.isClosed ? undefined : await this.#handle(action.action, action)
    if (error !== undefined) connection.sendError(action.requestId, error)
    connection.release()
    connection.pendingActions -= 1
    deps.record({
      connection: connection.id,
      principal: connection.caller.principal,
      action: action.action,
      requestId: action.requestId,
      outcome: error?.code ?? "ok",
      ms: deps.now() - startedAt,
    })
  }

  async #handle<Name extends ActionName>(name: Name, action: ClientAction<Name>): Promise<WsError | undefined> {
    const connection = this.#connection
    try {
      const input = actions[name](action, connection.deps.limits)
      if (input instanceof WsError) return input
      return (await handlers[name](connection, input, action.requestId)) ?? undefined
    } catch (fault) {
      const detail = fault instanceof Error ? (fault.stack ?? fault.message) : String(fault)
      connection.deps.warn(`the action '${name}' failed: ${detail}`)
      return errors.actionFailed
    }
  }
}
