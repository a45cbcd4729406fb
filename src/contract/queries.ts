// Queries to a host and their answers. A query changes nothing and opens no session: it also works for sessions that no
// host has open, except where noted.
import { z } from "zod"
import type { FieldsOf } from "./define.ts"
import { SessionId, VisitId } from "./ids.ts"
import { limits } from "./limits.ts"
import { Attachment } from "./values.ts"
import { ContextUsage } from "./views/context-usage.ts"
import { ContextItem } from "./views/context.ts"
import {
  ExtensionReport,
  HostReport,
  LockListing,
  McpServerReport,
  ModelListing,
  OfferedTool,
  OpenRequest,
  SettingLine,
  TypedCommand,
  VisitReport,
} from "./views/host.ts"
import { InstructionsReport } from "./views/instructions.ts"
import { list } from "./views/list.ts"
import { DocumentPage, DocumentSearch, DocumentText } from "./views/documents.ts"
import { NodesReport } from "./views/nodes.ts"
import { FoundSessions, SessionPage, SessionScope } from "./views/session-lists.ts"
import { SessionSnapshot } from "./views/session-snapshot.ts"
import { SessionLine, WatchedLine } from "./views/status.ts"
import { TranscriptPage } from "./views/transcript.ts"
import { UndoReport } from "./views/undo.ts"
import { UsageHistory } from "./views/usage-history.ts"

function query<Shape extends z.ZodRawShape, Answer extends z.ZodType>(fields: Shape, answer: Answer) {
  return { fields, answer }
}

/** Whose documents: absent for all that the client may see. Narrowed by the host to what its key permits. */
const readers = {
  org: z.string().max(200).optional(),
  /** What a member of these groups finds. Absent: every document, or in a search every document that is not locked. */
  groups: z.array(z.string().max(200)).max(100).optional(),
}
/** Files of a prompt. */
const stagedFiles = z.object({
  attachments: z.array(Attachment),
  /** One line for each file that exists but is not included. */
  notes: list(z.string()),
  /** One sentence for each path that is not a readable, non-empty file. */
  problems: list(z.string()),
})

const turns = z.int().min(1).max(1000).optional()

/**
 * Answers are checked where they come in from another process. That process may be an older release: a field that is
 * added later has a default or is optional.
 */
export const queries = {
  /** Every session of the home, newest first. */
  sessions: query({}, list(SessionLine)),
  session: query({ sessionId: SessionId }, WatchedLine),
  /** A part of the list that people see: what waits for a person first, then what is live, then what is recent. */
  "session-page": query(
    {
      /** Only sessions whose title or folder matches, as in the pickers of all clients. */
      filter: z.string().max(500).optional(),
      offset: z.int().min(0).optional(),
      limit: z.int().min(1).max(200),
      /** The `version` that the client has: rows that are the same are not sent again. */
      known: z.string().max(100).optional(),
      scope: SessionScope.optional(),
    },
    SessionPage,
  ),
  /** The sessions of a tree: the session, its agents, and those that they belong to. */
  "session-tree": query({ sessionId: SessionId }, list(SessionLine)),
  /** Of these ids, those that are sessions. */
  "session-lines": query({ sessionIds: z.array(z.string().max(100)).max(200) }, list(SessionLine)),
  /** Sessions in whose texts all words occur, the best first. The first search of a home takes longer: see `behind`. */
  "search-sessions": query(
    { text: z.string().max(500), limit: z.int().min(1).max(100).optional(), scope: SessionScope.optional() },
    FoundSessions,
  ),
  /** What the sessions took and cost by day, of the days up to today in the named time zone (that of the host). */
  "usage-history": query(
    { days: z.int().min(1).max(366), zone: z.string().max(100).optional(), scope: SessionScope.optional() },
    UsageHistory,
  ),
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
  /** The images of a result, by the `seq` that the transcript names; none if that event has none. */
  "result-images": query({ sessionId: SessionId, seq: z.int().min(1) }, z.object({ images: list(Attachment) })),
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
  "stage-files": query({ sessionId: SessionId, paths: z.array(z.string()).max(100) }, stagedFiles),
  /** Paths of files in the folder of a session that match what was typed after `@`, the best first. */
  files: query({ sessionId: SessionId, text: z.string().max(limits.nameLength) }, list(z.string())),
  /** The files in the folder of a session that the text of a prompt mentions with `@`. */
  "mentioned-files": query({ sessionId: SessionId, text: z.string().max(limits.mentionsLength) }, stagedFiles),
  /** The skills of an open session, by name. */
  skills: query({ sessionId: SessionId }, list(z.string())),
  /** The instruction files of an open session, as they are now. */
  instructions: query({ sessionId: SessionId }, InstructionsReport),
  /** The commands of an open session, besides those of its door: of its folder, its user, its extensions. */
  commands: query({ sessionId: SessionId }, list(TypedCommand)),
  /** The documents of the knowledge index by organisation and name; the filter looks at names, titles and sets. */
  documents: query(
    {
      ...readers,
      filter: z.string().max(200).optional(),
      offset: z.int().min(0).optional(),
      limit: z.int().min(1).max(200),
    },
    DocumentPage,
  ),
  /** Passages of one document, from the one with the number `from` on. */
  document: query(
    {
      ...readers,
      org: z.string().max(200),
      name: z.string().max(4096),
      from: z.int().min(0).optional(),
      limit: z.int().min(1).max(50),
    },
    DocumentText,
  ),
  /** What an agent would find for a question, and why. Without an organisation in the local one. */
  "search-documents": query({ ...readers, text: z.string().max(2000), limit: z.int().min(1).max(50) }, DocumentSearch),
  /** Holders and waiters of all locks in all hosts of the home. */
  locks: query({}, LockListing),
  /** The extensions of the sessions that are open in this host. */
  extensions: query({}, list(ExtensionReport)),
  /** The MCP servers of the sessions that are open in this host. Starts none. */
  "mcp-servers": query({}, list(McpServerReport)),
  /** The configuration that the host was started with, as its files are now. */
  settings: query({}, list(SettingLine)),
  host: query({}, HostReport),
  /** The machines that share the log, and sessions that none of them can run. */
  nodes: query({}, NodesReport),
}

export type QueryType = keyof typeof queries
export type Queries = {
  [Type in QueryType]: { type: Type } & FieldsOf<(typeof queries)[Type]["fields"]>
}
export type Answers = { [Type in QueryType]: z.infer<(typeof queries)[Type]["answer"]> }
export type HostQuery = Queries[QueryType]
