// A session in another process, as the native client sees it.
import type { SessionCommand } from "../../contract/commands.ts"
import type { SendOutcome, SessionHandle, Watcher } from "../../contract/host-port.ts"
import type { SessionId } from "../../contract/ids.ts"
import type { ShellEnvironment } from "../../contract/session-options.ts"
import type { Who } from "../../contract/values.ts"

/** What a handle needs from its client. */
export interface Remote {
  send(sessionId: SessionId, command: SessionCommand, who?: Who): Promise<SendOutcome>
  watch(sessionId: SessionId, cursor: number, watcher: Watcher, env?: ShellEnvironment): Promise<() => void>
}

export class RemoteHandle implements SessionHandle {
  readonly sessionId: SessionId
  readonly #remote: Remote
  readonly #who: Who | undefined
  readonly #env: ShellEnvironment | undefined
  #cursor = 0

  constructor(remote: Remote, sessionId: SessionId, who?: Who, env?: ShellEnvironment) {
    this.#remote = remote
    this.sessionId = sessionId
    this.#who = who
    this.#env = env
  }

  /** The last event that a watcher of this handle received. After a lost connection, watch again from here. */
  get cursor(): number {
    return this.#cursor
  }

  send(command: SessionCommand): Promise<SendOutcome> {
    return this.#remote.send(this.sessionId, command, this.#who)
  }

  watch(cursor: number, watcher: Watcher): Promise<() => void> {
    this.#cursor = cursor
    const tracking: Watcher = (item) => {
      if (item.kind === "event") this.#cursor = item.recorded.seq
      watcher(item)
    }
    return this.#remote.watch(this.sessionId, cursor, tracking, this.#env)
  }
}
