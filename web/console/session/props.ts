// What the parts of a session's page get.
import type { PanelContext } from "../panels/panel.ts"
import type { SessionStore } from "../state/session-store.ts"

export interface SessionViewProps {
  readonly store: SessionStore
  readonly context: PanelContext
}
