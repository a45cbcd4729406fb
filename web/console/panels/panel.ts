// What a panel of the drawer is, and what it gets.
import type { ReadonlySignal } from "@preact/signals"
import type { ComponentType } from "preact"
import type { Role } from "../../../src/contract/values.ts"
import type { SessionModel } from "../../../src/clients/session/session-model.ts"
import type { Access } from "../state/connection.ts"
import type { SessionList } from "../state/session-list.ts"
import type { SessionStore } from "../state/session-store.ts"

export interface PanelContext {
  readonly access: Access
  /** The host: queries and commands. A refusal is a value. */
  readonly port: Access["port"]
  /** Whether the person may watch, drive or approve. */
  readonly may: (role: Role) => boolean
  /** Sessions of the home and what waits for a person, kept current. */
  readonly list: SessionList
  /** The session that is open; undefined on the start page. */
  readonly store: SessionStore | undefined
  /** Its model, replaced after each event; undefined until it has been read. */
  readonly session: ReadonlySignal<SessionModel | undefined>
}

/** A part of the drawer. It is loaded when it is first opened. */
export interface Panel {
  /** In the address of the page: lower-case letters and hyphens. */
  readonly name: string
  readonly title: string
  readonly isOffered: (context: PanelContext) => boolean
  readonly load: () => Promise<ComponentType<PanelContext>>
}
