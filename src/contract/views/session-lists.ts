// Parts of the list of all sessions.
import { z } from "zod"
import { SessionId } from "../ids.ts"
import { list } from "./list.ts"
import { SessionLine } from "./status.ts"

/** Narrows a query about all sessions. The host narrows it further to what the key of the client permits. */
export const SessionScope = z.object({
  /** The sessions of one organisation. */
  org: z.string().optional(),
  /** One session. */
  sessionId: SessionId.optional(),
})
export type SessionScope = z.infer<typeof SessionScope>

export const ListedSession = z.object({
  line: SessionLine,
  /** Generations below the first session of its tree that is listed. */
  depth: z.int(),
})
export type ListedSession = z.infer<typeof ListedSession>

export const SessionPage = z.object({
  /** Sessions in which something happened. */
  total: z.int(),
  /** Sessions of the list: without agents that have ended, or those that match the filter. */
  matching: z.int(),
  /** The place of the first row in the list. */
  offset: z.int(),
  /** Changes with the answer. */
  version: z.string(),
  /** Absent where the query knew this version. */
  rows: list(ListedSession).optional(),
})
export type SessionPage = z.infer<typeof SessionPage>

export const FoundSession = z.object({
  line: SessionLine,
  /** The best first. */
  matches: list(
    z.object({
      /** The event that has the text. */
      seq: z.int(),
      at: z.number(),
      kind: z.enum(["prompt", "answer", "call", "output"]),
      snippet: z.string(),
    }),
  ),
})
export type FoundSession = z.infer<typeof FoundSession>

export const FoundSessions = z.object({
  sessions: list(FoundSession),
  /** Sessions with texts that are not in the index yet; it goes on in the background. */
  behind: z.int(),
})
export type FoundSessions = z.infer<typeof FoundSessions>
