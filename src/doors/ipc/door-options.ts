// What the host gives to the socket of a session.
import type { HostPort } from "../../contract/host-port.ts"
import type { SessionId } from "../../contract/ids.ts"
import type { By } from "../../contract/values.ts"
import type { SessionStatus } from "../../projection/status.ts"
import type { IpcLimits } from "../../protocols/ipc/limits.ts"
import type { Admits } from "../../transports/unix-socket.ts"

export interface IpcDoorOptions {
  readonly sessionId: SessionId
  /** Of the session, where the caller knows it; otherwise it is queried. */
  readonly status?: SessionStatus | undefined
  readonly folder: string
  /**
   * The host owns the session. A socket of another host of the home is replaced, since that host may be frozen or about
   * to exit. A socket of another program is never replaced.
   */
  readonly replaces?: boolean
  readonly port: HostPort
  readonly admits: Admits
  readonly by: By
  /** Of the host. */
  readonly pid: number | null
  readonly newId: () => string
  /** 64 hexadecimal digits. */
  readonly newToken: () => string
  readonly newSessionId: () => SessionId
  readonly now: () => number
  readonly limits?: Partial<IpcLimits>
  readonly blockedCommands: readonly string[]
  /** After its first viewer the session accepts only viewers with its token. */
  readonly newSessionOnce: boolean
  /** Resolves when a child of the session has a socket of its own. */
  readonly childReady: (childId: SessionId) => Promise<void>
  readonly warn: (message: string) => void
}
