// Visits: a visitor opens a conversation with an agent of the chat service.
import { z } from "zod"
import { command, durable } from "../../../contract/define.ts"
import { VisitId } from "../../../contract/ids.ts"
import { limits } from "../../../contract/limits.ts"
import { Contact } from "../../../contract/values.ts"

/** A visitor connected. The client's capabilities hold for the session until the next visit. */
const VisitOpened = durable("visit.opened", 1, {
  visitId: VisitId,
  agentId: z.string(),
  principal: z.string(),
  contact: Contact,
  /** What the client can show; if absent, what the last visit declared holds. */
  supports: z.array(z.string()).optional(),
  participants: z.object({ user: z.uuid(), agent: z.uuid() }),
  /** The visitor's groups, which decide about access to documents. */
  groups: z.array(z.string()).optional(),
  /** A digest of the visitor's account or address, by which one-time codes are counted. */
  caller: z.string().optional(),
})

const OpenVisit = command("open-visit", {
  visitId: VisitId,
  agentId: z.string().min(1).max(limits.nameLength),
  contact: Contact,
  supports: z.array(z.string().max(limits.nameLength)).max(100).optional(),
  participants: z.object({ user: z.uuid(), agent: z.uuid() }),
  groups: z.array(z.string().max(limits.nameLength)).max(100).optional(),
  /** A digest of the visitor's account or address, by which one-time codes are counted. */
  caller: z.string().max(limits.nameLength).optional(),
})

export const visitsContract = { events: [VisitOpened], commands: [OpenVisit], refusals: [], deltas: [] } as const
