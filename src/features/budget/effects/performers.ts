import type { Performers } from "../../../runner/performer.ts"

export const budgetPerformers: Performers<"await-budget"> = {
  "await-budget": {
    async perform(session, { turnId }, signal) {
      await session.services.ledger.released(session.id, signal)
      if (!signal.aborted) await session.report({ type: "park-elapsed", turnId })
    },
  },
}
