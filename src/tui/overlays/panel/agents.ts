// The tree of agents, with their locks.
import type { SessionModel } from "../../../clients/session/session-model.ts"
import type { LockListing } from "../../../contract/views/host.ts"
import { agentTexts } from "../../../display/facts/agents.ts"
import type { ScreenPlace } from "../../place.ts"
import { answered } from "./answered.ts"
import { panelRow } from "./row-lines.ts"
import type { PanelRow, PanelTab } from "./tab.ts"

export const agentsTab: PanelTab = { title: "agents", none: "This session has no agents.", load }

async function load({ port }: ScreenPlace, { sessionId }: SessionModel): Promise<readonly PanelRow[]> {
  const [sessions, locks] = await Promise.all([port.query({ type: "sessions" }), port.query({ type: "locks" })])
  const none: LockListing = { held: [], waiting: [] }
  return agentTexts(answered(sessions), locks.kind === "answer" ? locks.value : none, sessionId).map(panelRow)
}
