// Answers queries from projections, and carries out commands to the host. A session that is open here answers itself;
// for all others the directory and the log are read. A query opens nothing and writes nothing.
import type { HostCommandResults, HostCommands, HostCommandType } from "../../contract/host-commands.ts"
import type { Answered } from "../../contract/host-port.ts"
import type { SessionId } from "../../contract/ids.ts"
import { limits } from "../../contract/limits.ts"
import type { Answers, Queries, QueryType } from "../../contract/queries.ts"
import type { HostReport, ModelListing, SettingLine } from "../../contract/views/host.ts"
import type { InstructionFile, InstructionText } from "../../contract/views/instructions.ts"
import { ok, type Outcome, refused } from "../../log/event-log.ts"
import { contextItems } from "../../projection/context.ts"
import type { SessionActor } from "../../runner/session-actor.ts"
import { contextUsage } from "../../runner/prompt/context-usage.ts"
import { readInstructions } from "../../runner/prompt/instructions.ts"
import { toolsOfTurn } from "../../runner/tools/tool-set.ts"
import type { SessionHost } from "../session-host.ts"
import { conversationRows, visitOf } from "./conversations.ts"
import { readEarlierTurns, readLatestTurns } from "./transcript-pages.ts"
import { foldsOf, openInThisHost } from "./open-folds.ts"
import { openEscalations } from "../../features/chat-service/escalation/effects/open-escalations.ts"
import { openRequests } from "./open-requests.ts"
import { listCommands, runCommand } from "./session-commands.ts"
import { moveSession, type Connect } from "../move-session.ts"
import { nodesReport } from "./nodes.ts"
import { lineOf, lines, sessionLines, sessionPage, sessionTree } from "./session-lists.ts"
import { sessionSnapshot } from "./session-snapshot.ts"
import { findFiles, mentionedFiles, type SessionFilesPort } from "./session-files.ts"
import { stageFiles } from "./stage-files.ts"
import { extensionReports, serverReports } from "./tree-reports.ts"
import { planUndo, undoReport } from "./undo.ts"

/** Queries over all sessions of the home, or about files beside its log. */
export type HomeAnswers = {
  readonly [Type in HomeQueryType]: (query: Queries[Type]) => Promise<Outcome<Answers[Type]>>
}

type HomeQueryType = "search-sessions" | "usage-history" | "documents" | "document" | "search-documents"

/** Facts that the host gets from its composition. */
export interface HostFacts {
  readonly role: string
  readonly release: string
  readonly startedAt: number
  models(): Promise<readonly ModelListing[]>
  /** Throws if a file has a mistake. */
  settings(): Promise<readonly SettingLine[]>
  readonly home: HomeAnswers
  readonly files: SessionFilesPort
  /** Connects to another host. Absent where there is no other. */
  readonly connect?: Connect
}

export async function answer<Type extends QueryType>(
  host: SessionHost,
  facts: HostFacts,
  query: Queries[Type] & { readonly type: Type },
): Promise<Answered<Answers[Type]>> {
  return asAnswer(await answers[query.type](host, query, facts))
}

export async function perform<Type extends HostCommandType>(
  host: SessionHost,
  facts: HostFacts,
  command: HostCommands[Type] & { readonly type: Type },
): Promise<Answered<HostCommandResults[Type]>> {
  return asAnswer(await commands[command.type](host, command, facts))
}

type AnswerTable = {
  [Type in QueryType]: (host: SessionHost, query: Queries[Type], facts: HostFacts) => Promise<Outcome<Answers[Type]>>
}
type CommandTable = {
  [Type in HostCommandType]: (
    host: SessionHost,
    command: HostCommands[Type],
    facts: HostFacts,
  ) => Promise<Outcome<HostCommandResults[Type]>>
}

/** Loads the locks on first use. */
const locks = () => import("../../features/locks/effects/lock-answers.ts")

const answers: AnswerTable = {
  sessions: async ({ log }) => lines(await log.list()),
  session: sessionLine,
  "session-page": ({ log }, query) => sessionPage(log, query),
  "session-tree": ({ log }, query) => sessionTree(log, query),
  "session-lines": ({ log }, query) => sessionLines(log, query),
  "search-sessions": (_host, query, { home }) => home["search-sessions"](query),
  "usage-history": (_host, query, { home }) => home["usage-history"](query),
  transcript,
  scene: (host, { sessionId, turns }) => sessionSnapshot(host, sessionId, turns),
  visit: (host, query) => visitOf(host, query),
  conversations: async ({ log }, query) => lines(await conversationRows(log, query)),
  "undo-plan": (host, { sessionId, turns }) => planUndo(host, sessionId, turns),
  "undo-report": (host, { sessionId }) => undoReport(host, sessionId),
  "result-images": resultImages,
  context,
  "context-usage": usageOfContext,
  approvals,
  tools,
  models: async (_host, _query, facts) => ok(await facts.models()),
  "stage-files": stagedFiles,
  files: (host, query, { files }) => findFiles(host, query, files),
  "mentioned-files": (host, query, { files }) => mentionedFiles(host, query, files),
  skills,
  instructions,
  commands: (host, { sessionId }) => listCommands(host, sessionId),
  documents: (_host, query, { home }) => home.documents(query),
  document: (_host, query, { home }) => home.document(query),
  "search-documents": (_host, query, { home }) => home["search-documents"](query),
  locks: async (host) => (await locks()).listLocks(host.locks),
  extensions: async (host) => ok(extensionReports(await host.sessions())),
  "mcp-servers": async (host) => ok(serverReports(await host.sessions())),
  settings: settingLines,
  host: async (host, _query, facts) => ok(await hostReport(host, facts)),
  nodes: ({ log, node }, _query, { release }) => nodesReport(log, { release, ...node }),
}

const commands: CommandTable = {
  "run-command": inSession(runCommand),
  "acquire-lock": inSession(async (session, command) => (await locks()).acquireLock(session, command)),
  "release-lock": inSession(async (session, command) => (await locks()).releaseLock(session, command)),
  "set-lock-status": inSession(async (session, command) => (await locks()).setLockStatus(session, command)),
  "move-session": (host, command, { connect }) => moveSession(host, command, connect),
}

/** For a session that is open here. */
function inSession<Command extends { readonly sessionId: SessionId }, Result>(
  carryOut: (session: SessionActor, command: Command) => Promise<Outcome<Result>>,
) {
  return async (host: SessionHost, command: Command): Promise<Outcome<Result>> => {
    const opened = await host.opened(command.sessionId)
    return opened.kind === "refused" ? opened : carryOut(opened.session, command)
  }
}

function asAnswer<Value>(outcome: Outcome<Value>): Answered<Value> {
  return outcome.kind === "refused" ? outcome : { kind: "answer", value: outcome.value }
}

async function sessionLine(host: SessionHost, { sessionId }: Queries["session"]): Promise<Outcome<Answers["session"]>> {
  const row = await host.log.find(sessionId)
  if (row.kind === "refused") return row
  const session = await openInThisHost(host, sessionId)
  if (session === undefined) return ok({ ...lineOf(row.value), watching: [] })
  const { status, state, watching } = session
  return ok({ ...lineOf({ ...row.value, seq: state.seq, summary: { ...status } }), watching })
}

async function transcript(
  host: SessionHost,
  { sessionId, turns, before }: Queries["transcript"],
): Promise<Outcome<Answers["transcript"]>> {
  if (before === undefined) {
    const folds = await foldsOf(host, sessionId)
    return folds.kind === "refused" ? folds : readLatestTurns(host.log, sessionId, folds.value.state, turns)
  }
  const row = await host.log.find(sessionId)
  return row.kind === "refused" ? row : readEarlierTurns(host.log, sessionId, Math.min(before, row.value.seq), turns)
}

async function resultImages(
  { log }: SessionHost,
  { sessionId, seq }: Queries["result-images"],
): Promise<Outcome<Answers["result-images"]>> {
  const read = await log.read(sessionId, seq - 1, 1)
  if (read.kind === "refused") return read
  const event = read.value[0]?.event
  return ok({ images: event?.type === "tool.ended" ? (event.images ?? []) : [] })
}

async function context(host: SessionHost, { sessionId }: Queries["context"]): Promise<Outcome<Answers["context"]>> {
  const folds = await foldsOf(host, sessionId)
  if (folds.kind === "refused") return folds
  return ok({ seq: folds.value.state.seq, items: [...contextItems(folds.value.context)] })
}

async function usageOfContext(
  host: SessionHost,
  { sessionId }: Queries["context-usage"],
): Promise<Outcome<Answers["context-usage"]>> {
  const opened = await host.opened(sessionId)
  if (opened.kind === "refused") return opened
  await Promise.all([
    opened.session.hooks?.toolsWithin(limits.toolsListMs),
    opened.session.servers?.ready(undefined, limits.toolsListMs),
  ])
  return contextUsage(opened.session, AbortSignal.timeout(limits.toolsListMs))
}

async function approvals({ log }: SessionHost): Promise<Outcome<Answers["approvals"]>> {
  const open = await openRequests(log)
  if (open.kind === "refused") return open
  const escalated = await openEscalations(log)
  if (escalated.kind === "refused") return escalated
  const requests = open.value.requests.map(({ row, request, askedAt, input }) => {
    const { type: _, ...fields } = request
    return { kind: "approval", sessionId: row.sessionId, ...fields, askedAt, input } as const
  })
  const escalations = escalated.value.map(({ row, reason, requestedAt }) => {
    return { kind: "escalation", sessionId: row.sessionId, reason, askedAt: requestedAt } as const
  })
  return ok([...requests, ...escalations])
}

async function tools(host: SessionHost, { sessionId }: Queries["tools"]): Promise<Outcome<Answers["tools"]>> {
  const opened = await host.opened(sessionId)
  if (opened.kind === "refused") return opened
  await Promise.all([
    opened.session.hooks?.toolsWithin(limits.toolsListMs),
    opened.session.servers?.ready(undefined, limits.toolsListMs),
  ])
  const { state, tools: all } = opened.session
  return ok(
    toolsOfTurn(state, all).map(({ name, description, class: toolClass, inputSchema }) => {
      return { name, description, class: toolClass, inputSchema }
    }),
  )
}

async function stagedFiles(
  host: SessionHost,
  { sessionId, paths }: Queries["stage-files"],
): Promise<Outcome<Answers["stage-files"]>> {
  const folds = await foldsOf(host, sessionId)
  if (folds.kind === "refused") return folds
  return ok(await stageFiles(paths, folds.value.state.created?.cwd ?? "/"))
}

async function skills(host: SessionHost, { sessionId }: Queries["skills"]): Promise<Outcome<Answers["skills"]>> {
  const opened = await host.opened(sessionId)
  if (opened.kind === "refused") return opened
  const found = (await opened.session.services.skills?.list()) ?? []
  return ok(found.flatMap(({ name, otherName }) => (otherName === undefined ? [name] : [name, otherName])))
}

async function instructions(
  host: SessionHost,
  { sessionId }: Queries["instructions"],
): Promise<Outcome<Answers["instructions"]>> {
  const opened = await host.opened(sessionId)
  if (opened.kind === "refused") return opened
  const { files, unread, notices } = await readInstructions(opened.session)
  return ok({ files: files.map(listed), unread, notices })
}

function listed(read: InstructionText): InstructionFile {
  const { text: _, ...file } = read
  return file
}

async function settingLines(
  _host: SessionHost,
  _query: Queries["settings"],
  facts: HostFacts,
): Promise<Outcome<Answers["settings"]>> {
  try {
    return ok(await facts.settings())
  } catch (fault) {
    return refused({ code: "config.bad", what: fault instanceof Error ? fault.message : String(fault) })
  }
}

async function hostReport(host: SessionHost, { role, release, startedAt }: HostFacts): Promise<HostReport> {
  const sessions = await host.sessions()
  const watching = sessions.reduce((count, session) => count + session.watching.length, 0)
  const { isLeaving, lease } = host
  const { hostId } = lease
  const facts = { hostId, role, release, pid: process.pid, startedAt, isLeaving, now: Date.now() }
  return { ...facts, sessions: sessions.length, watching }
}
