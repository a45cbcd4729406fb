// The host runs child sessions; what must happen to them is passed on to it.
import type { Performers } from "../../../runner/performer.ts"

export const agentTreePerformers: Performers<"keep-child" | "end-child" | "detach-child"> = {
  "keep-child": {
    perform: (session, { childId }, signal) => session.services.children.keep(session, childId, signal),
  },
  "end-child": {
    perform: (session, { childId, when }, signal) => session.services.children.end(session, childId, when, signal),
  },
  "detach-child": {
    perform: (session, { childId }, signal) => session.services.children.detach(session, childId, signal),
  },
}
