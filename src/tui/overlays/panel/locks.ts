// Locks of all sessions of this home. Enter opens the session that has the lock or waits for it.
import { lockTexts } from "../../../display/facts/locks.ts"
import type { ScreenPlace } from "../../place.ts"
import { answered } from "./answered.ts"
import { panelRow } from "./row-lines.ts"
import type { PanelRow, PanelTab } from "./tab.ts"

export const locksTab: PanelTab = { title: "locks", none: "No locks are held.", load }

async function load({ port }: ScreenPlace): Promise<readonly PanelRow[]> {
  const locks = answered(await port.query({ type: "locks" }))
  if (locks.held.length + locks.waiting.length === 0) return []
  return lockTexts(locks, answered(await port.query({ type: "sessions" }))).map(panelRow)
}
