// Turns a command or report into events, without clock, ids or I/O. The events of the command come first, then all that
// follow from them (`advance`), so that one append takes the session from one stable state to the next.
import type { CommandOf, SessionCommand } from "../contract/commands.ts"
import type { SessionEvent } from "../contract/events.ts"
import type { Refusal } from "../contract/refusals.ts"
import type { Who } from "../contract/values.ts"
import { roleRefusal, refused, type Decision, type Stamp } from "./decision.ts"
import { advance } from "./advance.ts"
import { evolve } from "./evolve.ts"
import type { CommandType, Feature, ReportType } from "./feature.ts"
import { features } from "./features.ts"
import { parts } from "./kernel.ts"
import type { ReportOf, RunnerReport } from "./report.ts"
import type { SessionState } from "./state.ts"

export function decide(state: SessionState, input: SessionCommand | RunnerReport, stamp: Stamp): Decision {
  const decision = isCommand(input) ? decideCommand(state, input, stamp) : handleReport(state, input.type, input, stamp)
  if (decision.events === undefined) return decision
  return { ...decision, events: withConsequences(state, decision.events, stamp) }
}

const commandTypes = new Set(parts.flatMap(({ commands }) => Object.keys(commands ?? {})))

/** The types of commands and of reports are different. */
export function isCommand(input: SessionCommand | RunnerReport): input is SessionCommand {
  return commandTypes.has(input.type)
}

function decideCommand(state: SessionState, command: SessionCommand, stamp: Stamp): Decision {
  const refusal = accessRefusal(state, command.type, command, { ...stamp.by, roles: stamp.roles })
  const decision = refusal === undefined ? handleCommand(state, command.type, command, stamp) : refused(refusal)
  return features.reduce((current, { afterDecision }) => {
    return afterDecision?.(state, command, current, stamp) ?? current
  }, decision)
}

function accessRefusal<Type extends CommandType>(
  state: SessionState,
  type: Type,
  command: CommandOf<Type>,
  who: Who,
): Refusal | undefined {
  const rule = firstOf((part) => part.access?.[type]) ?? "drive"
  return typeof rule === "string" ? roleRefusal(rule, who) : rule(state, command, who)
}

function handleCommand<Type extends CommandType>(
  state: SessionState,
  type: Type,
  command: CommandOf<Type>,
  stamp: Stamp,
): Decision {
  const handle = firstOf((part) => part.commands?.[type])
  if (handle === undefined) throw new Error(`no handler for the command ${type}`)
  return handle(state, command, stamp)
}

function handleReport<Type extends ReportType>(
  state: SessionState,
  type: Type,
  report: ReportOf<Type>,
  stamp: Stamp,
): Decision {
  const handle = firstOf((part) => part.reports?.[type])
  if (handle === undefined) throw new Error(`no handler for the report ${type}`)
  return handle(state, report, stamp)
}

function firstOf<Value>(find: (part: Feature) => Value | undefined): Value | undefined {
  for (const part of parts) {
    const found = find(part)
    if (found !== undefined) return found
  }
  return undefined
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
