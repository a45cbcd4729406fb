// Ends a session, its sub-agents and their processes, wherever they run. An owner that does not answer is asked to exit,
// and its session is taken over.
import { setTimeout as sleep } from "node:timers/promises"
import type { SendOutcome } from "../../contract/host-port.ts"
import type { SessionId } from "../../contract/ids.ts"
import type { Refusal } from "../../contract/refusals.ts"
import type { SessionRow } from "../../log/event-log.ts"
import { sweep } from "../../processes/sweep.ts"
import { readStatus } from "../../projection/status.ts"
import type { SessionActor } from "../../runner/session-actor.ts"
import { accepted, refusalFault } from "../app-fault.ts"
import { startHost, type RunningHost } from "../compose.ts"
import type { AppContext } from "../context.ts"
import { withDescendants } from "../sessions/session-trees.ts"
import { listSessions, sessionNamed } from "../sessions/sessions.ts"
import { askToLeave } from "./background-host.ts"
import { localCaller } from "./send-command.ts"

/** How long an owner may take to answer, and to exit: longer than the lease of a frozen one. */
const answerMs = 5000
const answerTimeoutMs = 10_000
const pollMs = 50
const door = "stop"
const end = { type: "end", when: "now" } as const

/** Returns the session, and how many sub-agents ended with it. */
export async function stopSession(
  context: AppContext,
  idOrName: string,
): Promise<{ readonly id: SessionId; readonly descendants: number }> {
  const running = await startHost(context, { role: "stop", approvalWaitMs: 0 })
  try {
    const { sessionId: id } = await sessionNamed(running.host.log, idOrName)
    return { id, descendants: (await endTree(running, id)) - 1 }
  } finally {
    await running.close()
  }
}

/** Number of sessions that were ended. Those that their parent did not end are ended one by one. */
async function endTree(running: RunningHost, rootId: SessionId): Promise<number> {
  const { log } = running.host
  const tree = withDescendants(await listSessions(log), rootId).toReversed()
  const marks = tree.flatMap(({ row }) => (row.owner === undefined ? [] : [`${row.owner.hostId}:${row.sessionId}`]))
  for (const { row } of tree) {
    const isRoot = row.sessionId === rootId
    if (isRoot || !(await isEnded(running, row.sessionId, answerMs))) await endOne(running, row.sessionId)
  }
  await sweep([], marks)
  return tree.length
}

async function endOne(running: RunningHost, sessionId: SessionId): Promise<void> {
  const { host } = running
  const { owner, place } = await rowOf(running, sessionId)
  const otherOwner = owner?.hostId === host.lease.hostId ? undefined : owner
  const isHere = otherOwner === undefined && host.canRun(place)
  const outcome = isHere ? "not open" : await endInOtherHost(running, sessionId)
  // On another machine the pid is that of another process.
  if (outcome === "no answer" && otherOwner !== undefined && otherOwner.node?.name === host.node?.name)
    askToLeave(otherOwner.pid)
  const ended = typeof outcome === "string" ? await endInThisHost(running, sessionId) : outcome
  accepted(ended)
}

async function endInOtherHost(
  { port }: RunningHost,
  sessionId: SessionId,
): Promise<SendOutcome | "no answer" | "not open"> {
  const timeout = new AbortController()
  const silence = sleep(answerMs, "no answer" as const, { signal: timeout.signal }).catch(() => "no answer" as const)
  const outcome = port.open(sessionId, localCaller(door)).then((opened) => {
    return opened.kind === "refused" ? opened : opened.handle.send(end)
  })
  const sent = await Promise.race([outcome, silence])
  timeout.abort()
  if (sent === "no answer" || sent.kind === "accepted") return sent
  return isElsewhere(sent.refusal) ? "not open" : sent
}

function isElsewhere({ code }: Refusal): boolean {
  return code === "host.gone" || code === "host.leaving" || code === "session.unknown" || code === "session.owned"
}

/** Opened at rest, so that nothing is started that is ended at once. */
async function endInThisHost({ host }: RunningHost, sessionId: SessionId): Promise<SendOutcome> {
  const session = await takeOver(host, sessionId)
  const ended = await session.send(end, localCaller(door))
  session.begin() // ends children too
  return ended
}

async function takeOver(host: RunningHost["host"], sessionId: SessionId): Promise<SessionActor> {
  for (const deadline = Date.now() + answerTimeoutMs; ; await sleep(pollMs)) {
    const opened = await host.open(sessionId, "at rest")
    if (opened.kind === "opened") return opened.session
    if (opened.refusal.code !== "session.owned" || Date.now() > deadline) throw refusalFault(opened.refusal)
  }
}

async function isEnded(running: RunningHost, sessionId: SessionId, withinMs: number): Promise<boolean> {
  for (const deadline = Date.now() + withinMs; ; await sleep(pollMs)) {
    const { summary } = await rowOf(running, sessionId)
    if (readStatus(summary)?.life === "ended") return true
    if (Date.now() > deadline) return false
  }
}

async function rowOf({ host: { log } }: RunningHost, sessionId: SessionId): Promise<SessionRow> {
  const row = accepted(await log.find(sessionId))
  return row.value
}
