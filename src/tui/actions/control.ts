// What actions may do with the screen.
import type { SessionCommand } from "../../contract/commands.ts"
import type { SessionId } from "../../contract/ids.ts"
import type { SessionLink } from "../../clients/session/session-link.ts"
import type { ScreenPlace } from "../place.ts"
import type { CompletionSources } from "../state/completion.ts"
import type { History } from "../state/history.ts"
import type { Notice, ScreenState } from "../state/screen-state.ts"
import type { Size } from "../terminal/renderer.ts"
import type { Terminal } from "../terminal/terminal.ts"

export interface ScreenControl {
  readonly place: ScreenPlace
  readonly state: ScreenState
  readonly link: SessionLink | undefined
  readonly size: Size
  readonly terminal: Pick<Terminal, "suspend" | "lend">
  readonly history: History
  readonly sources: CompletionSources
  /** When keys that count twice were last pressed. */
  readonly pressedAt: { escape: number; leave: number }
  update(change: Partial<ScreenState>): void
  notify(tone: Notice["tone"], text: string): void
  /** Runs work of a key; a fault is shown and not thrown. */
  start(work: () => Promise<void>): void
  /** Sends a command to the session. Shows a refusal; false then. */
  send(command: SessionCommand): Promise<boolean>
  openSession(sessionId: SessionId): Promise<void>
  /** Submits the draft as soon as there is a session, unless it is changed before. */
  submitWhenOpen(): void
  /** The request that is shown may be another one. */
  followRequests(): void
  leave(exit: ScreenExit): void
}

export interface ScreenExit {
  readonly reason: "detached" | "left" | "closed"
  /** The session that was shown last. */
  readonly sessionId: SessionId | undefined
  /** Whether a turn goes on. */
  readonly isWorking: boolean
}
