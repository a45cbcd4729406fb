// Watches the agents that a lead has started while they commit: who holds the locks, who waits for them.
import { setTimeout as sleep } from "node:timers/promises"
import type { SessionId } from "../../../contract/ids.ts"
import { ask } from "../../host/send-command.ts"
import type { RunningStory } from "../story.ts"
import type { StoryHost } from "../story-host.ts"
import { WatchedSession } from "../watched-session.ts"

export interface LockedCommit {
  readonly agent: string
  /** Times of the intent and of the receipt, in the log. */
  readonly from: number
  readonly to: number
  /** The number of its lock. */
  readonly fence: number
}

export interface Followed {
  readonly mostWaiting: number
  readonly commits: readonly LockedCommit[]
}

const lookEveryMs = 60

/** Until `done` resolves. */
export async function followAgents(
  story: RunningStory,
  host: StoryHost,
  lead: WatchedSession,
  done: Promise<unknown>,
): Promise<Followed> {
  const watched = new Map<SessionId, WatchedAgent>()
  const over = new AbortController()
  const settle = () => over.abort()
  done.then(settle, settle)
  let mostWaiting = 0
  while (!over.signal.aborted) {
    for (const { event } of lead.of("child.spawned"))
      if (!watched.has(event.childId)) watched.set(event.childId, await WatchedAgent.open(story, host, event))
    const { waiting } = await ask(host.port, { type: "locks" })
    for (const { holder, wants } of waiting) agentNamed(watched, holder)?.waits(wants.map(({ lock }) => lock))
    mostWaiting = Math.max(mostWaiting, waiting.length)
    await sleep(lookEveryMs)
  }
  await done
  return { mostWaiting, commits: [...watched.values()].flatMap((agent) => agent.commits()) }
}

/** Locks name their holder by the session. */
function agentNamed(watched: ReadonlyMap<SessionId, WatchedAgent>, holder: string): WatchedAgent | undefined {
  return [...watched].find(([id]) => id === holder)?.[1]
}

class WatchedAgent {
  readonly #name: string
  readonly #output: RunningStory["output"]
  readonly #session: WatchedSession
  #isWaiting = false

  static async open(
    { output }: RunningStory,
    host: StoryHost,
    { childId, reason }: { readonly childId: SessionId; readonly reason: string },
  ): Promise<WatchedAgent> {
    const session = await WatchedSession.open(host, childId, (item) => {
      if (item.kind !== "event") return
      const { event } = item.recorded
      if (event.type === "tool.started" && event.locks !== undefined)
        output.message(reason, `holds ${event.locks.map(({ type, fence }) => `${type} (number ${fence})`).join(", ")}`)
      if (event.type === "turn.ended") output.message(reason, "is done")
    })
    return new WatchedAgent(reason, output, session)
  }

  private constructor(name: string, output: RunningStory["output"], session: WatchedSession) {
    this.#name = name
    this.#output = output
    this.#session = session
  }

  /** Printed once. */
  waits(locks: readonly string[]): void {
    if (this.#isWaiting) return
    this.#isWaiting = true
    this.#output.message(this.#name, `waits for ${locks.join(", ")}`)
  }

  commits(): readonly LockedCommit[] {
    return this.#session.of("tool.started").flatMap(({ at, event: { callId, locks } }) => {
      const fence = locks?.find(({ type }) => type === "git_commit")?.fence
      const end = this.#session.of("tool.ended").find(({ event }) => event.callId === callId)
      return fence === undefined || end === undefined ? [] : [{ agent: this.#name, from: at, to: end.at, fence }]
    })
  }
}
