// Children of a session are sessions of the same house. Keeping one means: it exists, it got its task once (the
// prompt's id is made from the child's), and when its turn is over its parent is told the result.
import type { EventOf } from "../contract/events.ts"
import type { SessionId } from "../contract/ids.ts"
import { sentence } from "../contract/refusal-sentence.ts"
import { contextItems } from "../projection/context.ts"
import type { Opened } from "../runner/open-session.ts"
import type { ChildKeeper } from "../runner/services.ts"
import type { SessionActor } from "../runner/session-actor.ts"
import { untilAborted } from "../runner/waiting.ts"
import type { ChildState } from "../session/state.ts"
import type { House } from "./house.ts"

type TurnEnded = EventOf<"turn.ended">

export class ChildSessions implements ChildKeeper {
  readonly #house: House

  constructor(house: House) {
    this.#house = house
  }

  async keep(parent: SessionActor, childId: SessionId, signal: AbortSignal): Promise<void> {
    const child = parent.state.children.find((known) => known.id === childId)
    if (child === undefined) return
    const opened = await this.#openOrCreate(parent, child)
    if (opened.kind === "refused") return report(parent, childId, "failed", sentence(opened.refusal))
    if (opened.session.state.created?.parent?.sessionId !== parent.id)
      return report(parent, childId, "failed", `Session ${childId} is not a child of this session.`)
    const ended = await turnOf(opened.session, child, parent, signal)
    if (ended === undefined) return
    const { usd, tokens } = opened.session.state.spent
    const result = ended.error ?? lastText(opened.session)
    await parent.report({
      type: "child-ended",
      childId,
      outcome: outcomeOf(ended),
      result,
      costUsd: usd,
      tokens,
    })
    await this.#house.closeSession(childId)
  }

  async end(childId: SessionId, when: "now" | "idle", signal: AbortSignal): Promise<void> {
    const opened = await this.#house.open(childId)
    if (opened.kind === "refused" || signal.aborted) return
    const by = { principal: "the parent session", door: "tree" }
    await opened.session.send({ type: "end", when, reason: "the parent session ended it" }, by)
    await untilAborted(signal) // the wish stands until the child is gone: doing it again would change nothing
  }

  async #openOrCreate(parent: SessionActor, child: ChildState): Promise<Opened> {
    const opened = await this.#house.open(child.id)
    if (opened.kind === "opened" || opened.refusal.code !== "session.unknown") return opened
    const { created } = parent.state
    if (created === undefined) return opened
    const { org, owner, preset, cwd, toolMode, limits, budget, system, agentId } = created
    return this.#house.create({
      sessionId: child.id,
      origin: "child",
      model: child.model ?? parent.state.model,
      parent: {
        sessionId: parent.id,
        rootId: created.parent?.rootId ?? parent.id,
        depth: (created.parent?.depth ?? 0) + 1,
        reason: child.reason,
      },
      org,
      owner,
      preset,
      cwd,
      toolMode,
      limits,
      budget,
      system,
      agentId,
    })
  }
}

/** Gives the child its task and waits for the end of the turn; nothing when it is no longer wanted. */
async function turnOf(
  session: SessionActor,
  child: ChildState,
  parent: SessionActor,
  signal: AbortSignal,
): Promise<TurnEnded | undefined> {
  const { promise, resolve } = Promise.withResolvers<TurnEnded | undefined>()
  const unwatch = session.watch((item) => {
    if (item.kind === "event" && item.recorded.event.type === "turn.ended") resolve(item.recorded.event)
    if (item.kind === "event" && item.recorded.event.type === "approval.requested")
      void parent.report({
        type: "child-reported",
        childId: child.id,
        status: `asks for ${item.recorded.event.approvalId}`,
      })
    if (item.kind === "lost") resolve(undefined)
  })
  void untilAborted(signal).then(() => resolve(undefined))
  const by = { principal: `session ${parent.id}`, door: "tree" }
  const promptId = `prm_${child.id}` as const
  const untrustedSource = parent.state.taintedBy // what came from outside does not become trusted by passing it on
  const sent = await session.send({ type: "prompt", promptId, text: child.task, ifBusy: "wait", untrustedSource }, by)
  if (sent.kind === "refused") await report(parent, child.id, "failed", sentence(sent.refusal))
  const alreadyDone = sent.kind === "accepted" && session.state.turn === undefined && session.state.waiting.length === 0
  const ended = sent.kind === "refused" ? undefined : alreadyDone ? await lastTurn(session) : await promise
  unwatch()
  return ended
}

/** The child finished before its parent came back to hear of it: its log knows how. */
async function lastTurn(session: SessionActor): Promise<TurnEnded | undefined> {
  const newest = await session.services.log.read(session.id, Math.max(0, session.state.seq - 100), 100)
  const events = newest.kind === "ok" ? newest.value.map(({ event }) => event) : []
  return events.findLast((event) => event.type === "turn.ended")
}

function outcomeOf(ended: TurnEnded): "done" | "interrupted" | "failed" {
  return ended.reason === "step-limit" ? "failed" : ended.reason
}

function lastText(session: SessionActor): string {
  const last = contextItems(session.context).findLast((item) => item.kind === "assistant")
  return last?.parts.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join("\n\n") ?? ""
}

async function report(parent: SessionActor, childId: SessionId, outcome: "failed", result: string): Promise<void> {
  await parent.report({ type: "child-ended", childId, outcome, result, costUsd: 0, tokens: 0 })
}
