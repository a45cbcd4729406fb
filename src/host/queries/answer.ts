// Answers about sessions and the house itself, made from projections. A session that is open here is asked; of all
// others the directory and the log know. Nothing is opened and nothing is written.
import type { SessionEvent } from "../../contract/events.ts"
import type { Answered } from "../../contract/host-port.ts"
import type { SessionId } from "../../contract/ids.ts"
import { limits } from "../../contract/limits.ts"
import type { HostQuery, QueryOf } from "../../contract/queries.ts"
import type { JsonValue } from "../../contract/values.ts"
import type { Outcome, SessionRow } from "../../log/event-log.ts"
import { ok } from "../../log/outcome.ts"
import { contextItems } from "../../projection/context.ts"
import { activityOf, noStatus, readStatus } from "../../projection/status.ts"
import { readFolds } from "../../runner/read-folds.ts"
import type { SessionActor } from "../../runner/session-actor.ts"
import type { SessionFolds } from "../../runner/snapshot.ts"
import { toolsOfTurn } from "../../runner/tools/tool-set.ts"
import { type SessionState } from "../../session/state.ts"
import { conversationRows, visitOf } from "./conversations.ts"
import type { SessionHost } from "../session-host.ts"
import { readEarlier } from "./earlier-turns.ts"
import { openEscalations } from "./open-escalations.ts"
import { openRequests } from "./open-requests.ts"
import { stageFiles } from "./stage-files.ts"
import { readTail } from "./latest-turns.ts"
import { listCommands, runCommand } from "./session-commands.ts"
import { openChildApprovals } from "../../features/agent-tree/state.ts"

/** What a house cannot know of itself. */
export interface HostFacts {
  readonly role: string
  readonly release: string
  readonly startedAt: number
  models(): Promise<readonly object[]>
}

type LockQuery = QueryOf<"locks" | "acquire-lock" | "release-lock" | "set-lock-status">

export async function answer(host: SessionHost, facts: HostFacts, query: HostQuery): Promise<Answered> {
  const found = await answerTo(host, facts, query)
  return found.kind === "refused" ? found : { kind: "answer", value: plain(found.value) }
}

async function answerTo(host: SessionHost, facts: HostFacts, query: HostQuery): Promise<Outcome<unknown>> {
  switch (query.type) {
    case "sessions":
      return sessionLines(host)
    case "session":
      return sessionLine(host, query.sessionId)
    case "transcript":
      return transcriptOf(host, query)
    case "scene":
      return sceneOf(host, query.sessionId, query.turns)
    case "visit":
      return visitOf(host.log, query, (sessionId) => stateOf(host, sessionId))
    case "conversations":
      return conversations(host, query)
    case "context":
      return contextOf(host, query.sessionId)
    case "approvals":
      return approvals(host)
    case "tools":
      return toolsOf(host, query.sessionId)
    case "models":
      return ok(await facts.models())
    case "stage-files":
      return staged(host, query.sessionId, query.paths)
    case "skills":
      return skillsOf(host, query.sessionId)
    case "commands":
      return listCommands(host, query.sessionId)
    case "run-command":
      return runCommand(host, query)
    case "locks":
    case "acquire-lock":
    case "release-lock":
    case "set-lock-status":
      return answerAboutLocks(host, query)
    case "extensions":
      return ok(extensionsOf(await host.sessions()))
    case "host":
      return ok(await hostFacts(host, facts))
  }
}

/** A lock is taken for a session that is open. What knows about them is loaded when somebody asks. */
async function answerAboutLocks(host: SessionHost, query: LockQuery): Promise<Outcome<unknown>> {
  const { acquireLock, lockBook, releaseLock, setLockStatus } =
    await import("../../features/locks/effects/lock-answers.ts")
  if (query.type === "locks") return lockBook(host.locks, Date.now())
  const opened = await host.opened(query.sessionId)
  if (opened.kind === "refused") return opened
  switch (query.type) {
    case "acquire-lock":
      return acquireLock(opened.session, query)
    case "release-lock":
      return releaseLock(opened.session, query)
    case "set-lock-status":
      return setLockStatus(opened.session, query)
  }
}

async function sessionLines({ log }: SessionHost): Promise<Outcome<unknown>> {
  const listed = await log.list()
  return listed.kind === "refused" ? listed : ok(listed.value.map(lineOf))
}

async function conversations({ log }: SessionHost, query: QueryOf<"conversations">): Promise<Outcome<unknown>> {
  const rows = await conversationRows(log, query)
  return rows.kind === "refused" ? rows : ok(rows.value.map(lineOf))
}

async function stateOf(host: SessionHost, sessionId: SessionId): Promise<Outcome<SessionState>> {
  const folds = await foldsOf(host, sessionId)
  return folds.kind === "refused" ? folds : ok(folds.value.state)
}

/** Only a session that is open has skills. */
async function skillsOf(host: SessionHost, sessionId: SessionId): Promise<Outcome<unknown>> {
  const opened = await host.opened(sessionId)
  return opened.kind === "refused" ? opened : ok((await opened.session.services.skills?.list()) ?? [])
}

async function sessionLine(host: SessionHost, sessionId: SessionId): Promise<Outcome<unknown>> {
  const row = await host.log.find(sessionId)
  if (row.kind === "refused") return row
  const session = await openHere(host, sessionId)
  if (session === undefined) return ok({ ...lineOf(row.value), watching: [] })
  const { status, state, watching } = session
  return ok({ ...lineOf({ ...row.value, seq: state.seq, summary: { ...status } }), watching })
}

function lineOf({ sessionId, createdAt, updatedAt, seq, owner, summary }: SessionRow) {
  const status = readStatus(summary) ?? noStatus
  return { sessionId, createdAt, updatedAt, seq, host: owner ?? null, activity: activityOf(status), status }
}

async function transcriptOf(host: SessionHost, query: QueryOf<"transcript">): Promise<Outcome<unknown>> {
  const { sessionId, turns, before } = query
  if (before === undefined) {
    const folds = await foldsOf(host, sessionId)
    return folds.kind === "refused" ? folds : readTail(host.log, sessionId, folds.value.state, turns)
  }
  const row = await host.log.find(sessionId)
  return row.kind === "refused" ? row : readEarlier(host.log, sessionId, Math.min(before, row.value.seq), turns)
}

/** All of one moment: what comes after `seq` is told to whoever watches from there. */
async function sceneOf(host: SessionHost, sessionId: SessionId, turns?: number): Promise<Outcome<unknown>> {
  const folds = await foldsOf(host, sessionId)
  if (folds.kind === "refused") return folds
  const { state, status, tasks } = folds.value
  const { references } = folds.value.context
  const tail = await readTail(host.log, sessionId, state, turns)
  if (tail.kind === "refused") return tail
  const { toolMode, marks, plan } = state
  const children = state.children.map(({ id }) => id)
  const restSeq = restBefore(state)
  const hintsReferences = (await openHere(host, sessionId))?.services.hintsReferences === true
  const asked = await askedOf(host, sessionId, state)
  if (asked.kind === "refused") return asked
  const now = { status, plan, references, hintsReferences, toolMode, tasks, marks, children, restSeq }
  return ok({ ...tail.value, ...now, asked: asked.value })
}

/** The newest end of a turn before which nothing was said that still waits. */
function restBefore({ turnEnds, waiting, prompts }: SessionState): number {
  const oldest = prompts.find(({ id }) => id === waiting[0]?.promptId)
  return turnEnds.findLast((seq) => oldest === undefined || seq < oldest.seq) ?? 0
}

/** What descendants ask for here; the words stand where they came in. */
async function askedOf(
  { log }: SessionHost,
  sessionId: SessionId,
  state: SessionState,
): Promise<Outcome<SessionEvent[]>> {
  const events: SessionEvent[] = []
  for (const { seq } of openChildApprovals(state)) {
    const read = await log.read(sessionId, seq - 1, 1)
    if (read.kind === "refused") return read
    events.push(...read.value.map(({ event }) => event))
  }
  return ok(events)
}

async function contextOf(host: SessionHost, sessionId: SessionId): Promise<Outcome<unknown>> {
  const folds = await foldsOf(host, sessionId)
  if (folds.kind === "refused") return folds
  const { state, context } = folds.value
  return ok({ seq: state.seq, items: [...contextItems(context)] })
}

async function approvals({ log }: SessionHost): Promise<Outcome<unknown>> {
  const open = await openRequests(log)
  if (open.kind === "refused") return open
  const escalated = await openEscalations(log)
  if (escalated.kind === "refused") return escalated
  const requests = open.value.requests.map(({ row, request, askedAt, input }) => {
    const { type: _, ...asked } = request
    return { kind: "approval", sessionId: row.sessionId, ...asked, askedAt, input }
  })
  const escalations = escalated.value.map(({ row, reason, askedAt }) => {
    return { kind: "escalation", sessionId: row.sessionId, reason, askedAt }
  })
  return ok([...requests, ...escalations])
}

/** Only a session that is open has tools. */
async function toolsOf(host: SessionHost, sessionId: SessionId): Promise<Outcome<unknown>> {
  const opened = await host.opened(sessionId)
  if (opened.kind === "refused") return opened
  await opened.session.hooks?.toolsWithin(limits.toolsListMs)
  const { state, tools: all } = opened.session
  const tools = toolsOfTurn(state, all)
  return ok(
    tools.map(({ name, description, class: toolClass, inputSchema }) => ({
      name,
      description,
      class: toolClass,
      inputSchema,
    })),
  )
}

async function staged(host: SessionHost, sessionId: SessionId, paths: readonly string[]): Promise<Outcome<unknown>> {
  const folds = await foldsOf(host, sessionId)
  if (folds.kind === "refused") return folds
  return ok(await stageFiles(paths, folds.value.state.created?.cwd ?? "/"))
}

/** A line for each extension and tree of sessions: children have those of their root. */
function extensionsOf(sessions: readonly SessionActor[]) {
  const hooked = sessions.filter(({ hooks }) => hooks !== undefined)
  const trees = new Map(hooked.map((session) => [session.state.created?.parent?.rootId ?? session.id, session]))
  return [...trees].flatMap(([sessionId, { hooks, services }]) =>
    (hooks?.statuses ?? []).map(({ folder, pid, lastFault, ...status }) => ({
      sessionId,
      ...status,
      folder: folder ?? null,
      pid: pid ?? null,
      lastFault: lastFault === undefined ? null : services.scrubber.text(lastFault),
    })),
  )
}

async function hostFacts(host: SessionHost, { role, release, startedAt }: HostFacts) {
  const sessions = await host.sessions()
  const watching = sessions.reduce((count, session) => count + session.watching.length, 0)
  const { isLeaving, lease } = host
  const { hostId } = lease
  return { hostId, role, release, pid: process.pid, startedAt, sessions: sessions.length, watching, isLeaving }
}

async function foldsOf(host: SessionHost, sessionId: SessionId): Promise<Outcome<SessionFolds>> {
  const session = await openHere(host, sessionId)
  return session === undefined ? readFolds(host.log, sessionId) : ok(session)
}

async function openHere(host: SessionHost, sessionId: SessionId): Promise<SessionActor | undefined> {
  const opened = await host.opened(sessionId)
  return opened.kind === "opened" ? opened.session : undefined
}

/** Projections are plain JSON by construction, whatever their types are called. */
function plain(value: unknown): JsonValue {
  if (isPlain(value)) return value
  throw new Error("a projection was not plain JSON")
}

function isPlain(value: unknown): value is JsonValue {
  return value !== undefined && typeof value !== "function"
}
