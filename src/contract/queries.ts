// Queries to a host and their answers. A query changes nothing and opens no session: it also works for sessions that no
// host has open, except where noted.
import { z } from "zod"
import type { FieldsOf } from "./define.ts"
import { SessionId, VisitId } from "./ids.ts"
import { Attachment } from "./values.ts"
import { ContextUsage } from "./views/context-usage.ts"
import { ContextItem } from "./views/context.ts"
import {
  ExtensionReport,
  HostReport,
  LockListing,
  ModelListing,
  OfferedTool,
  OpenRequest,
  TypedCommand,
  VisitReport,
} from "./views/host.ts"
import { InstructionsReport } from "./views/instructions.ts"
import { list } from "./views/list.ts"
import { SessionSnapshot } from "./views/session-snapshot.ts"
import { SessionLine, WatchedLine } from "./views/status.ts"
import { TranscriptPage } from "./views/transcript.ts"
import { UndoReport } from "./views/undo.ts"

function query<Shape extends z.ZodRawShape, Answer extends z.ZodType>(fields: Shape, answer: Answer) {
  return { fields, answer }
}

const turns = z.int().min(1).max(1000).optional()

/**
 * Answers are checked where they come in from another process. That process may be an older release: a field that is
 * added later has a default or is optional.
 */
export const queries = {
  /** Every session of the home, newest first. */
  sessions: query({}, list(SessionLine)),
  session: query({ sessionId: SessionId }, WatchedLine),
  /** The newest turns, oldest first. `start` of an answer, given as `before`, leads to the turns before it. */
  transcript: query({ sessionId: SessionId, turns, before: z.int().min(0).optional() }, TranscriptPage),
  /** A session at one moment: the newest turns, status, tasks, children, open requests. */
  scene: query({ sessionId: SessionId, turns }, SessionSnapshot),
  /** With `brief` its cost does not depend on the length of the session. */
  visit: query({ visitId: VisitId, brief: z.boolean().optional() }, VisitReport),
  /** The sessions of one organisation, or of one owner in it, newest first. */
  conversations: query(
    { org: z.string(), owner: z.string().optional(), limit: z.int().min(1).max(1000).optional() },
    list(SessionLine),
  ),
  /** What an undo of the newest turns would do. */
  "undo-plan": query({ sessionId: SessionId, turns }, UndoReport),
  /** What the newest undo of an open session did; waits for one that is not finished. */
  "undo-report": query({ sessionId: SessionId }, z.object({ report: UndoReport.optional() })),
  /** What the model would get next. */
  context: query({ sessionId: SessionId }, z.object({ seq: z.int(), items: list(ContextItem) })),
  /** What fills the context window of an open session. */
  "context-usage": query({ sessionId: SessionId }, ContextUsage),
  /** Approvals and escalations that wait for a person, in all sessions. */
  approvals: query({}, list(OpenRequest)),
  /** The tools that an open session would offer the model now. */
  tools: query({ sessionId: SessionId }, list(OfferedTool)),
  /** The models of providers that can be used. */
  models: query({}, list(ModelListing)),
  /** Files as attachments, with a note or a problem for each that cannot be one. */
  "stage-files": query(
    { sessionId: SessionId, paths: z.array(z.string()).max(100) },
    z.object({
      attachments: z.array(Attachment),
      /** One line for each file that exists but is not included. */
      notes: list(z.string()),
      /** One sentence for each path that is not a readable, non-empty file. */
      problems: list(z.string()),
    }),
  ),
  /** The skills of an open session, by name. */
  skills: query({ sessionId: SessionId }, list(z.string())),
  /** The instruction files of an open session, as they are now. */
  instructions: query({ sessionId: SessionId }, InstructionsReport),
  /** The commands of an open session, besides those of its door: of its folder, its user, its extensions. */
  commands: query({ sessionId: SessionId }, list(TypedCommand)),
  /** Holders and waiters of all locks in all hosts of the home. */
  locks: query({}, LockListing),
  /** The extensions of the sessions that are open in this host. */
  extensions: query({}, list(ExtensionReport)),
  host: query({}, HostReport),
}

export type QueryType = keyof typeof queries
export type Queries = {
  [Type in QueryType]: { type: Type } & FieldsOf<(typeof queries)[Type]["fields"]>
}
export type Answers = { [Type in QueryType]: z.infer<(typeof queries)[Type]["answer"]> }
export type HostQuery = Queries[QueryType]
