// Follows what changes on a server whose protocol sends such notices only on request. A lost subscription is made again, and
// the owner is informed, because a notice may have been lost in between.
import type { Client } from "@modelcontextprotocol/client"
import { setTimeout as pause } from "node:timers/promises"

/** Time for the server to accept a subscription. */
const ACCEPT_MS = 10_000
const FIRST_PAUSE_MS = 250
const MAX_PAUSE_MS = 60_000

/** Until the signal. The notices go to the handlers of the client. */
export async function followToolChanges(client: Client, onAgain: () => void, signal: AbortSignal): Promise<void> {
  let pauseMs = FIRST_PAUSE_MS
  let wasFollowed = false
  while (!signal.aborted) {
    const since = performance.now()
    const isFollowed = await followOnce(client, () => wasFollowed && onAgain(), signal)
    wasFollowed ||= isFollowed
    const wasStable = isFollowed && performance.now() - since >= MAX_PAUSE_MS
    pauseMs = wasStable ? FIRST_PAUSE_MS : Math.min(pauseMs * 2, MAX_PAUSE_MS)
    await pause(pauseMs, undefined, { signal, ref: false }).catch(() => {})
  }
}

/** Until the subscription ends. False if the server has refused it. */
async function followOnce(client: Client, onOpen: () => void, signal: AbortSignal): Promise<boolean> {
  try {
    const { closed } = await client.listen({ toolsListChanged: true }, { timeout: ACCEPT_MS, signal })
    onOpen()
    await closed
    return true
  } catch {
    return false // it may be possible later; the tools stay those that were listed
  }
}
