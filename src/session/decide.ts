// From a command or report to events: no clock, no ids, no I/O. First what was asked, then everything that follows
// from it by itself (`advance`), so that one append takes the session from one resting place to the next.
import type { SessionCommand } from "../contract/commands.ts"
import type { SessionEvent } from "../contract/events.ts"
import type { TurnId } from "../contract/ids.ts"
import { advance } from "./advance.ts"
import { answerApproval, revokeGrant } from "../features/approvals/decide.ts"
import { orphanSession, signalChildren, spawnChild } from "../features/agent-tree/decide.ts"
import { accepted, refused, type Decision, type Stamp } from "./decision.ts"
import { settleEscalation } from "./escalation.ts"
import { evolve } from "./evolve.ts"
import { hibernate, wake, wokenBy } from "../features/hibernation/decide.ts"
import { answerInteraction } from "./interactions.ts"
import { endSession, interruptTurn, stay } from "./stopping.ts"
import { enterPlan, exitPlan } from "../features/plan-mode/decide.ts"
import { admitPrompt, withdrawPrompt } from "./prompts.ts"
import { decideReport } from "./decide-report.ts"
import type { RunnerReport } from "./report.ts"
import { mark, rewind } from "../features/rewinding/decide.ts"
import { whyNotAllowed } from "./roles.ts"
import { isBusy, type SessionState } from "./state.ts"
import { addTask, changeTask } from "../features/tasks/decide.ts"
import { verifyCode } from "./verification.ts"
import { openVisit } from "./visits.ts"

export function decide(state: SessionState, input: SessionCommand | RunnerReport, stamp: Stamp): Decision {
  const decision = isCommand(input)
    ? wokenBy(state, input, decideAllowed(state, input, stamp), stamp)
    : decideReport(state, input, stamp)
  if (decision.events === undefined) return decision
  return { ...decision, events: withConsequences(state, decision.events, stamp) }
}

/** The first event of a session is not a decision about one: it is made by whoever creates it. */
export function isCommand(input: SessionCommand | RunnerReport): input is SessionCommand {
  return Object.hasOwn(commandTypes, input.type)
}

const commandTypes = {
  prompt: true,
  withdraw: true,
  interrupt: true,
  resume: true,
  approve: true,
  "open-visit": true,
  answer: true,
  verify: true,
  "settle-escalation": true,
  "revoke-grant": true,
  "select-model": true,
  "select-tools": true,
  "select-voting": true,
  "enter-plan": true,
  "exit-plan": true,
  compact: true,
  "clear-context": true,
  rewind: true,
  mark: true,
  "add-task": true,
  "change-task": true,
  spawn: true,
  "signal-children": true,
  orphan: true,
  hibernate: true,
  wake: true,
  alias: true,
  "raise-budget": true,
  rename: true,
  end: true,
  stay: true,
} satisfies Record<SessionCommand["type"], true>

function decideAllowed(state: SessionState, command: SessionCommand, stamp: Stamp): Decision {
  const refusal = whyNotAllowed(state, command, { ...stamp.by, roles: stamp.roles })
  return refusal === undefined ? decideCommand(state, command, stamp) : refused(refusal)
}

function decideCommand(state: SessionState, command: SessionCommand, stamp: Stamp): Decision {
  const { by } = stamp
  switch (command.type) {
    case "prompt":
      return admitPrompt(state, command, stamp)
    case "withdraw":
      return withdrawPrompt(state, command, stamp)
    case "interrupt":
      return isMeant(state, command.turnId) ? accepted(...interruptTurn(state, stamp)) : accepted()
    case "resume":
      return resumeTurn(state, stamp)
    case "approve":
      return answerApproval(state, command, stamp)
    case "open-visit":
      return openVisit(state, command, stamp)
    case "answer":
      return answerInteraction(state, command, stamp)
    case "verify":
      return verifyCode(state, command, stamp)
    case "settle-escalation":
      return settleEscalation(state, command, stamp)
    case "revoke-grant":
      return revokeGrant(state, command, stamp)
    case "select-model":
      return accepted({ type: "model.selected", model: command.model, by })
    case "select-tools":
      return accepted({ type: "tools.selected", mode: command.mode, by })
    case "select-voting":
      return accepted({ type: "voting.selected", voting: command.voting, by })
    case "enter-plan":
      return enterPlan(state, command.focus, stamp)
    case "exit-plan":
      return exitPlan(state, command.summary, stamp)
    case "compact":
      if (isBusy(state)) return refused({ code: "session.busy" })
      return accepted({ type: "compaction.started", compactionId: `cmp_${stamp.id}`, why: "asked" })
    case "clear-context":
      if (isBusy(state)) return refused({ code: "session.busy" })
      return accepted({ type: "context.cleared", by })
    case "rewind":
      return rewind(state, command, stamp)
    case "mark":
      return mark(state, command, stamp)
    case "add-task":
      return addTask(state, command, stamp)
    case "change-task":
      return changeTask(state, command, stamp)
    case "spawn":
      return spawnChild(state, command, stamp)
    case "signal-children":
      return signalChildren(state, command, stamp)
    case "orphan":
      return orphanSession(state, stamp)
    case "hibernate":
      return hibernate(state, stamp)
    case "wake":
      return wake(state, stamp)
    case "alias":
      return accepted({ type: "session.aliased", alias: command.alias, by })
    case "raise-budget":
      return raiseBudget(state, command.budget, stamp)
    case "rename":
      return accepted({ type: "session.renamed", name: command.name, by })
    case "end":
      return endSession(state, command, stamp)
    case "stay":
      return stay(state, stamp)
  }
}

function withConsequences(state: SessionState, events: readonly SessionEvent[], stamp: Stamp): readonly SessionEvent[] {
  const all: SessionEvent[] = []
  let current = state
  for (let next = events; next.length > 0; next = advance(current, stamp)) {
    for (const event of next) current = evolve(current, { seq: current.seq + 1, at: stamp.at, event })
    all.push(...next)
  }
  return all
}

/** Whoever means a turn that is over, or not there yet, wants nothing of the one that runs. */
function isMeant({ turn }: SessionState, turnId: TurnId | undefined): boolean {
  return turnId === undefined || turnId === turn?.id
}

function resumeTurn(state: SessionState, stamp: Stamp): Decision {
  if (state.turn?.parked === undefined) return refused({ code: "turn.not-parked" })
  return accepted({ type: "turn.resumed", turnId: state.turn.id, by: stamp.by })
}

function raiseBudget(state: SessionState, budget: SessionState["budget"], stamp: Stamp): Decision {
  const raised = { type: "budget.raised", budget, by: stamp.by } as const
  if (state.turn?.parked?.why !== "budget") return accepted(raised)
  return accepted(raised, { type: "turn.resumed", turnId: state.turn.id, by: stamp.by })
}
