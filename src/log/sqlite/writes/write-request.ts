// What the log asks of its writer and what the writer answers, as schemas: both cross a socket when the writer is a
// process of its own. Events are already encoded. Clock and process liveness are judged by the caller, never by the
// writer. Import types only from here: loading zod is slow, the checks are generated.
import { z } from "zod"
import type { Refused } from "../../event-log.ts"

const epoch = z.int()
const sessionId = z.string()
const lease = z.object({ hostId: z.string(), epoch })

/** A host as it was when it was found dead: one that has renewed its lease since then lives. */
const DeadHost = z.object({ epoch, expiresAt: z.int() })
export type DeadHost = Readonly<z.infer<typeof DeadHost>>

const lines = {
  sessionId,
  epoch,
  expectedSeq: z.int(),
  at: z.number(),
  /** The events as they will lie on disk. */
  lines: z.array(z.string()).readonly(),
  /** JSON. */
  summary: z.string().optional(),
  /** Visits that are opened by these events: they are found by their ids. */
  visits: z.array(z.object({ visitId: z.string(), seq: z.int() })).readonly(),
}

const HostToRegister = z.object({
  hostId: z.string(),
  role: z.string(),
  pid: z.int(),
  startTime: z.string(),
  bootId: z.string(),
})

export const WriteRequest = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("register"),
    host: HostToRegister,
    expiresAt: z.int(),
    forgetBefore: z.int(),
    /** Set for a host that must be the only one of its role: those of the role that were found dead. */
    deadRivals: z.array(DeadHost).readonly().optional(),
  }),
  z.object({ kind: z.literal("change-role"), lease, role: z.string() }),
  z.object({ kind: z.literal("renew"), lease, expiresAt: z.int() }),
  z.object({ kind: z.literal("release-host"), lease }),
  z.object({
    kind: z.literal("create"),
    ...lines,
    /** Whose session it is: it is listed by these. */
    org: z.string().optional(),
    owner: z.string().optional(),
  }),
  z.object({
    kind: z.literal("claim"),
    sessionId,
    epoch,
    /** The owner that was found dead. If it is another one by now, or has renewed its lease, nothing is claimed. */
    replaces: z.object({ epoch, expiresAt: z.int().optional() }).optional(),
  }),
  z.object({ kind: z.literal("release"), sessionId, epoch, leftOpen: z.boolean() }),
  z.object({ kind: z.literal("append"), ...lines, settles: z.string().optional() }),
  z.object({
    kind: z.literal("checkpoint"),
    sessionId,
    epoch,
    stepId: z.string(),
    /** Names this piece of text, so that it is not stored twice when its first commit was in doubt. */
    piece: z.string(),
    /** JSON. */
    blocks: z.string(),
  }),
  /** `value` is JSON. */
  z.object({ kind: z.literal("snapshot"), sessionId, epoch, seq: z.int(), value: z.string() }),
  z.object({ kind: z.literal("remove"), sessionId, epoch }),
])
export type WriteRequest = Readonly<z.infer<typeof WriteRequest>>

export type RequestOf<Kind extends WriteRequest["kind"]> = Extract<WriteRequest, { kind: Kind }>
export type CreateRequest = RequestOf<"create">
export type AppendRequest = RequestOf<"append">
export type ClaimRequest = RequestOf<"claim">
export type CheckpointRequest = RequestOf<"checkpoint">
export type SnapshotRequest = RequestOf<"snapshot">

/** Every answer but a refusal, whose schema is the contract's. */
export const Accepted = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("done") }),
  z.object({ kind: z.literal("registered"), epoch }),
  z.object({ kind: z.literal("lease"), held: z.boolean() }),
  z.object({ kind: z.literal("owner-changed") }),
])
export type Accepted = Readonly<z.infer<typeof Accepted>>
export type WriteAnswer = Accepted | Refused

export interface WritePort {
  /** Resolves when the request is on disk, or refused. Rejects only on a fault of this program. */
  send(request: WriteRequest): Promise<WriteAnswer>
  /** The database needs a writer before it can be read: to be migrated, or recovered after a kill. */
  prepare(): Promise<void>
  /** What was sent before is still written and answered. */
  close(): Promise<void>
}
