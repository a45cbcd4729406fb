// The events of the open session, read when a panel shows them and continued while the session has new ones.
import { effect } from "@preact/signals"
import { useEffect, useState } from "preact/hooks"
import type { Recorded } from "../../../src/contract/events.ts"
import { describeRefusal } from "../../../src/contract/text/describe-refusal.ts"
import { eventsBetween, MAX_EVENTS } from "../../../src/clients/session/past-model.ts"
import { EventReader } from "./event-reader.ts"
import type { SessionStore } from "../state/session-store.ts"
import type { PanelContext } from "./panel.ts"

export type SessionEvents =
  | { readonly kind: "reading" }
  | {
      readonly kind: "events"
      readonly events: readonly Recorded[]
      /** Whether older ones are left out. */ readonly isCut: boolean
    }
  | { readonly kind: "problem"; readonly what: string }

const REST_MS = 500
/** For the next panel, as long as the session is open. */
const kept = new WeakMap<SessionStore, readonly Recorded[]>()

/** The newest events of the whole session, oldest first. */
export function useSessionEvents({ access, store, session }: PanelContext): SessionEvents {
  const [read, setRead] = useState<SessionEvents>({ kind: "reading" })
  useEffect(() => {
    if (store === undefined) return undefined
    const known = kept.get(store)
    setRead(known === undefined ? { kind: "reading" } : shown(known))
    const show = (found: readonly Recorded[] | string) => {
      if (typeof found !== "string") kept.set(store, found)
      setRead(shown(found))
    }
    const reader = new EventReader({
      read: (start, end) => readEvents(access, store.sessionId, start, end),
      show,
      rest: () => new Promise((resolve) => setTimeout(resolve, REST_MS)),
      maxEvents: MAX_EVENTS,
      ...(known === undefined ? {} : { known }),
    })
    const stop = effect(() => {
      const seq = session.value?.seq
      if (seq !== undefined) void reader.readTo(seq)
    })
    return () => {
      stop()
      reader.close()
    }
  }, [store])
  return read
}

function shown(found: readonly Recorded[] | string): SessionEvents {
  if (typeof found === "string") return { kind: "problem", what: found }
  return { kind: "events", events: found, isCut: (found[0]?.seq ?? 1) > 1 }
}

async function readEvents(
  { port }: PanelContext["access"],
  sessionId: string,
  start: number,
  end: number,
): Promise<readonly Recorded[] | string> {
  const opened = await port.open(sessionId)
  return opened.kind === "refused" ? describeRefusal(opened.refusal) : eventsBetween(opened.handle, start, end)
}
