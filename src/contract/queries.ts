// What can be asked of a house without changing anything. The answers are JSON made from projections; nobody needs to
// have a session open to ask about it, and asking opens none.
import { z } from "zod"
import { live as query } from "./define.ts"
import { SessionId, VisitId } from "./ids.ts"
import { limits } from "./limits.ts"
import { LockType } from "./values.ts"

/** Every session of the home, newest first, as lines of the directory. */
const Sessions = query("sessions", {})
/** One session's line, with who watches it now. */
const Session = query("session", { sessionId: SessionId })
/**
 * What people saw: the newest turns, oldest first. `seq` in the answer is the cursor to go on from; `start`, given back
 * as `before`, leads to the turns that came earlier.
 */
const TranscriptOf = query("transcript", {
  sessionId: SessionId,
  turns: z.int().min(1).max(1000).optional(),
  before: z.int().min(0).optional(),
})
/** A session as somebody sees it who comes in, all at one moment: the newest turns, what it is doing, tasks, children. */
const SceneOf = query("scene", { sessionId: SessionId, turns: z.int().min(1).max(1000).optional() })
/**
 * The session to which a visit belongs, with the visit as it was opened, and what is known of the visitor now; with
 * `brief` without that, so that the answer takes as long for a long session as for a short one.
 */
const Visit = query("visit", { visitId: VisitId, brief: z.boolean().optional() })
/** Lines of the directory that belong to one organisation, newest first; of one owner, if one is named. */
const Conversations = query("conversations", {
  org: z.string(),
  owner: z.string().optional(),
  limit: z.int().min(1).max(1000).optional(),
})
/** What the model would get next. */
const ContextOf = query("context", { sessionId: SessionId })
/** What waits for a person, in all sessions. */
const Approvals = query("approvals", {})
/** The tools that a session would be offered now. */
const Tools = query("tools", { sessionId: SessionId })
/** The models of providers that can be used. */
const Models = query("models", {})
/** Files as attachments, with a note about each that cannot be one. */
const StageFiles = query("stage-files", { sessionId: SessionId, paths: z.array(z.string()).max(100) })
/** The skills that a session has, by name. */
const Skills = query("skills", { sessionId: SessionId })
/** The commands, besides those of its door, that can be typed in a session: of its folder, its user, its extensions. */
const Commands = query("commands", { sessionId: SessionId })
/** Runs one of them. The answer is text to be shown, or text that is to be sent as a prompt. */
const RunCommand = query("run-command", {
  sessionId: SessionId,
  name: z.string().min(1).max(limits.nameLength),
  args: z.array(z.string()).max(100),
})
/** Who holds which lock, and who waits for one, in all hosts of the home. */
const Locks = query("locks", {})
/** Takes a lock for a session, or says who has it: nobody waits here. */
const AcquireLock = query("acquire-lock", {
  sessionId: SessionId,
  lock: LockType,
  scope: z.string().max(4096),
  description: z.string().max(limits.nameLength).optional(),
})
const ReleaseLock = query("release-lock", { sessionId: SessionId, lock: LockType, scope: z.string().max(4096) })
/** Says to all how far the holder is. */
const SetLockStatus = query("set-lock-status", {
  sessionId: SessionId,
  lock: LockType,
  scope: z.string().max(4096),
  status: z.string().max(limits.nameLength),
})
/** How the extensions of the sessions that are open in this host are doing. */
const Extensions = query("extensions", {})
/** The host itself: what it is, how long it runs, what it has open. */
const Host = query("host", {})

export const HostQuery = z.discriminatedUnion("type", [
  Sessions,
  Session,
  TranscriptOf,
  SceneOf,
  Visit,
  Conversations,
  ContextOf,
  Approvals,
  Tools,
  Models,
  StageFiles,
  Skills,
  Commands,
  RunCommand,
  Locks,
  AcquireLock,
  ReleaseLock,
  SetLockStatus,
  Extensions,
  Host,
])
export type HostQuery = z.infer<typeof HostQuery>
export type QueryOf<Type extends HostQuery["type"]> = Extract<HostQuery, { type: Type }>
