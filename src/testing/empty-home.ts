// For tests: the answers of a home in which nothing is stored.
import { usageHistory, Calendar } from "../app/usage/usage-history.ts"
import type { HomeAnswers } from "../host/queries/answer.ts"
import { ok } from "../log/event-log.ts"

export const emptyHome: HomeAnswers = {
  "search-sessions": async () => ok({ sessions: [], behind: 0 }),
  documents: async () => ok({ total: 0, matching: 0, offset: 0, documents: [], orgs: [] }),
  document: async () => ok({ passages: [] }),
  "search-documents": async () => ok({ minFit: 0, hasVectors: false, words: [], passages: [] }),
  "usage-history": async ({ days, zone }) => {
    const calendar = new Calendar(0, days, zone)
    return ok({ behind: 0, ...usageHistory({ models: [], tools: [], sessions: new Map(), calendar }) })
  },
}
