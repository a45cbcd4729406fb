// Requests to the log's writer and its answers, as schemas: they cross a socket if the writer is a separate process.
// Events are already encoded. The caller judges time and liveness, never the writer. Import only types from here:
// loading zod is slow, and the checks are generated.
import { z } from "zod"
import type { Refused } from "../../event-log.ts"

const epoch = z.int()
const sessionId = z.string()
const lease = z.object({ hostId: z.string(), epoch })

/** A host that was found dead with this expiry: if it has renewed its lease since then, it is alive. */
const DeadHost = z.object({ epoch, expiresAt: z.int() })
export type DeadHost = Readonly<z.infer<typeof DeadHost>>

const lines = {
  sessionId,
  epoch,
  expectedSeq: z.int(),
  at: z.number(),
  /** The events as they are stored. */
  lines: z.array(z.string()).readonly(),
  /** JSON. */
  summary: z.string().optional(),
  /** Visits that these events open. */
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
    /** For a host that must be the only one of its role: the dead hosts of that role. */
    deadRivals: z.array(DeadHost).readonly().optional(),
  }),
  z.object({ kind: z.literal("change-role"), lease, role: z.string() }),
  z.object({ kind: z.literal("renew"), lease, expiresAt: z.int() }),
  z.object({ kind: z.literal("release-host"), lease }),
  z.object({
    kind: z.literal("create"),
    ...lines,
    /** For listing. */
    org: z.string().optional(),
    owner: z.string().optional(),
  }),
  z.object({
    kind: z.literal("claim"),
    sessionId,
    epoch,
    /** The owner that was found dead. If the owner has changed or renewed its lease, nothing is claimed. */
    replaces: z.object({ epoch, expiresAt: z.int().optional() }).optional(),
  }),
  z.object({ kind: z.literal("release"), sessionId, epoch, leftOpen: z.boolean() }),
  z.object({ kind: z.literal("append"), ...lines, settles: z.string().optional() }),
  z.object({
    kind: z.literal("checkpoint"),
    sessionId,
    epoch,
    stepId: z.string(),
    /** Identifies this piece of text, so that it is not stored twice after a commit of unknown outcome. */
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

/** Every answer but a refusal, whose schema is in the contract. */
export const Accepted = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("done") }),
  z.object({ kind: z.literal("registered"), epoch }),
  z.object({ kind: z.literal("lease"), held: z.boolean() }),
  z.object({ kind: z.literal("owner-changed") }),
])
export type Accepted = Readonly<z.infer<typeof Accepted>>
export type WriteAnswer = Accepted | Refused

/** Where a log sends its writes: a writer in this process or the writer process of the home. */
export interface WritePort {
  /** Resolves when the request is on disk or refused. Rejects only for a fault of this program. */
  send(request: WriteRequest): Promise<WriteAnswer>
  /** Lets a writer migrate the database, or recover it after a kill, before it is read. */
  prepare(): Promise<void>
  /** Earlier requests are still written and answered. */
  close(): Promise<void>
}
