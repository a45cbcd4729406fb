// A page of the panel: rows that are loaded again while it is open.
import type { SessionId } from "../../../contract/ids.ts"
import type { Line } from "../../../display/spans.ts"
import type { SessionModel } from "../../../clients/session/session-model.ts"
import type { ScreenPlace } from "../../place.ts"

export interface PanelTab {
  readonly title: string
  /** What is shown where there are no rows. */
  readonly none: string
  readonly load: (place: ScreenPlace, session: SessionModel) => Promise<readonly PanelRow[]>
}

export interface PanelRow {
  /** None is wider than `width`. */
  readonly lines: (width: number) => readonly Line[]
  /** Opened by enter. */
  readonly sessionId?: SessionId
}
