// Runs the child sessions of a session in the same host: creates each, gives it its task, reports to the parent, and at
// the end ends its own children, reports the result and closes it. A hibernated parent takes its children along.
import type { SessionId } from "../../contract/ids.ts"
import { describeRefusal } from "../../contract/text/describe-refusal.ts"
import { treeDoor } from "../../contract/rules/session-settings.ts"
import type { Opened } from "../../runner/open-session.ts"
import type { SessionContext, ChildRunner } from "../../runner/session-context.ts"
import { pause } from "../../runner/waiting.ts"
import { isBusy } from "../../session/state.ts"
import { ChildCreation } from "./create-child.ts"
import { reportToParent, forwardBudget } from "./child-reports.ts"
import { readStatus } from "../../projection/status.ts"
import { endFinally, retryMs, requestEnd } from "./end-child.ts"
import { untilChildEnds, sendTask, finalEnd, type ChildEnd } from "./child-task.ts"
import type { OpenSessions } from "../open-sessions.ts"
import type { ChildState } from "../../features/agent-tree/state.ts"

const byParent = { principal: "the parent session", door: treeDoor }

export class ChildSessions implements ChildRunner {
  readonly #host: OpenSessions
  readonly #creation: ChildCreation

  constructor(host: OpenSessions) {
    this.#host = host
    this.#creation = new ChildCreation(host)
  }

  async find(childId: SessionId): Promise<SessionContext | undefined> {
    const opened = await this.#host.opened(childId)
    return opened.kind === "opened" ? opened.session : undefined
  }

  async keep(parent: SessionContext, childId: SessionId, signal: AbortSignal): Promise<void> {
    try {
      await this.#run(parent, childId, signal)
    } finally {
      this.#creation.leave(childId)
    }
  }

  async end(parent: SessionContext, childId: SessionId, when: "now" | "idle", signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#creation.settled(childId)
      const opened = await this.#host.open(childId)
      const isOwn = opened.kind === "opened" && isChildOf(parent, opened.session)
      const result = isOwn && (await requestEnd(opened.session, endOptions(parent, when), byParent, signal))
      if (result !== "came back") await pause(retryMs, signal)
    }
  }

  async detach(parent: SessionContext, childId: SessionId, signal: AbortSignal): Promise<void> {
    try {
      await this.#detach(parent, childId, signal)
    } finally {
      this.#creation.leave(childId)
    }
  }

  /** The child keeps its task, even if it had not received it yet. */
  async #detach(parent: SessionContext, childId: SessionId, signal: AbortSignal): Promise<void> {
    const child = childOf(parent, childId)
    const opened = child === undefined ? undefined : await this.#open(parent, child, signal)
    if (child === undefined || opened === undefined) return
    if (opened.kind === "opened" && isChildOf(parent, opened.session)) {
      const sendFailure = await sendTask(parent, child, opened.session)
      const detached = sendFailure === "not now" ? sendFailure : await opened.session.send({ type: "orphan" }, byParent)
      if (detached === "not now" || detached.kind === "refused") return this.#forget(opened.session, signal)
    }
    await parent.report({ type: "child-detached", childId })
  }

  async #run(parent: SessionContext, childId: SessionId, signal: AbortSignal): Promise<void> {
    const child = childOf(parent, childId)
    const opened = child === undefined ? undefined : await this.#open(parent, child, signal)
    if (child === undefined || opened === undefined) return
    if (opened.kind === "refused" || !isChildOf(parent, opened.session))
      return signal.aborted ? undefined : reportMissing(parent, childId, opened)
    const { session } = opened
    const stopReports = reportToParent(parent, session)
    const stopBudget = forwardBudget(parent, session, byParent)
    try {
      const end = (await isAwake(session, signal)) ? await untilChildEnds(parent, child, session, signal) : undefined
      if (end === "left") await parent.report({ type: "child-detached", childId })
      else if (end !== undefined) await this.#conclude(parent, child, session, end, signal)
      else if (parent.state.asleep) await this.#hibernate(session)
      else await this.#forget(session, signal)
    } finally {
      stopReports()
      stopBudget()
    }
  }

  /** Waits for a child that another host is releasing or that cannot be written now. */
  async #open(parent: SessionContext, child: ChildState, signal: AbortSignal): Promise<Opened | undefined> {
    while (!signal.aborted) {
      const opened = await this.#creation.openOrCreate(parent, child)
      if (opened.kind === "opened" || !passing.has(opened.refusal.code)) return opened
      if (await livesElsewhere(parent, child.id))
        return void (await parent.report({ type: "child-detached", childId: child.id }))
      await pause(retryMs, signal)
    }
    return undefined
  }

  /** Its own children end first, and their cost counts. Its last text is part of the result. */
  async #conclude(
    parent: SessionContext,
    child: ChildState,
    session: SessionContext,
    end: ChildEnd,
    signal: AbortSignal,
  ): Promise<void> {
    await endFinally(session, byParent, signal)
    if (signal.aborted) return
    const { spent, taintedBy: untrustedSource } = session.state
    const { usd: _, ...used } = session.status.usage.total
    const { outcome, result } = await finalEnd(session, child, end)
    const { usd: costUsd, tokens } = spent
    const usage = { costUsd, tokens, used }
    await parent.report({ type: "child-ended", childId: session.id, outcome, result, ...usage, untrustedSource })
    if (!isBusy(session.state)) await this.#host.closeSession(session.id)
  }

  /** A session that was lost or closed meanwhile is opened again, after a pause. */
  async #forget(session: SessionContext, signal: AbortSignal): Promise<void> {
    await pause(retryMs, signal)
    if (!signal.aborted && (await this.find(session.id)) === session) await this.#host.closeSession(session.id)
  }

  async #hibernate(session: SessionContext): Promise<void> {
    await session.send({ type: "hibernate" }, byParent)
    await this.#host.closeSession(session.id)
  }
}

const passing: ReadonlySet<string> = new Set(["session.owned", "log.unavailable", "host.leaving"])

function childOf(parent: SessionContext, childId: SessionId): ChildState | undefined {
  return parent.state.children.find((known) => known.id === childId)
}

function isChildOf(parent: SessionContext, session: SessionContext): boolean {
  return session.state.created?.parent?.sessionId === parent.id
}

/** Hibernates only as long as its parent does. */
async function isAwake(session: SessionContext, signal: AbortSignal): Promise<boolean> {
  if (!session.state.asleep || signal.aborted) return true
  return (await session.send({ type: "wake" }, byParent)).kind === "accepted"
}

async function reportMissing(parent: SessionContext, childId: SessionId, opened: Opened): Promise<void> {
  const hasLeft = opened.kind === "opened" && (await wasChildOf(parent, childId))
  const failed = { type: "child-ended", childId, outcome: "failed", costUsd: 0, tokens: 0 } as const
  await parent.report(hasLeft ? { type: "child-detached", childId } : { ...failed, result: openProblem(opened) })
}

/** Another host has it, as the root of its own tree, and may keep it for as long as it lives. */
async function livesElsewhere(parent: SessionContext, childId: SessionId): Promise<boolean> {
  const row = await parent.services.log.find(childId)
  const status = row.kind === "ok" ? readStatus(row.value.summary) : undefined
  return status !== undefined && status.parentId !== parent.id && (await wasChildOf(parent, childId))
}

/** A detached child has no parent in its state any more; its first event has. */
async function wasChildOf({ id, services }: SessionContext, childId: SessionId): Promise<boolean> {
  const read = await services.log.read(childId, 0, 1)
  const first = read.kind === "ok" ? read.value[0]?.event : undefined
  return first?.type === "session.created" && first.parent?.sessionId === id
}

function openProblem(opened: Opened): string {
  if (opened.kind === "refused") return describeRefusal(opened.refusal)
  return `Session ${opened.session.id} is not a child of this session.`
}

/** Not where a viewer ends the children of a parent that stays. */
function endOptions({ state }: SessionContext, when: "now" | "idle") {
  return when === "idle" || state.life === "ended" ? ({ when, parentExits: true } as const) : { when }
}
