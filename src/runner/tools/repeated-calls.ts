// Notices a model that goes round in circles: the same call, or the same few calls, again and again with the same results.
// It gets a note, then the calls are refused. A result that changes, such as that of a growing log, is no repetition. In
// memory: a new host counts anew.
import { createHash } from "node:crypto"
import type { TurnId } from "../../contract/ids.ts"
import type { JsonValue } from "../../contract/values.ts"
import type { SessionContext } from "../session-context.ts"

/** From this round on the results have a note. */
const NOTED_FROM = 3
/** After so many rounds the next call of the circle does not run. */
const MAX_ROUNDS = 6
/** Different calls of a circle. */
const MAX_CIRCLE = 4
/** Calls remembered: the last round may be incomplete where calls run at the same time. */
const MAX_REMEMBERED = (MAX_ROUNDS + 2) * MAX_CIRCLE

interface PastCall {
  /** Digests. */
  readonly call: string
  readonly result: string
}

interface Circle {
  readonly calls: ReadonlySet<string>
  readonly rounds: number
}

/** Within a turn: a user may want the same thing again. */
interface TurnCalls {
  readonly turnId: TurnId | undefined
  readonly past: readonly PastCall[]
}

const turnCalls = new WeakMap<SessionContext, TurnCalls>()

/** Why the call does not run again; undefined if it may. */
export function repeatRefusal(session: SessionContext, tool: string, input: JsonValue): string | undefined {
  const circle = circleOf(pastCalls(session))
  if (circle.rounds < MAX_ROUNDS || !circle.calls.has(digestOf([tool, input]))) return undefined
  const made =
    circle.calls.size === 1
      ? `The same call was made ${circle.rounds} times with the same result`
      : `The same ${circle.calls.size} calls were made ${circle.rounds} times in turn with the same results`
  return `${made}; it was not run again. Try another way, or say what is missing.`
}

/** The output, with a note if the call and its result repeat earlier ones. */
export function withRepeatNote(session: SessionContext, tool: string, input: JsonValue, output: string): string {
  const { calls, rounds } = circleOf(remember(session, tool, input, digestOf(output)))
  if (rounds < NOTED_FROM) return output
  const repeated =
    calls.size === 1
      ? `The same call gave the same result ${rounds} times. After ${MAX_ROUNDS} it is refused.`
      : `The same ${calls.size} calls gave the same results ${rounds} times. After ${MAX_ROUNDS} they are refused.`
  return `${output}\n[${repeated}]`
}

/** A call that a gate refused at once, such as one that needs an approval where no person can give it. */
export function noteRefusal(session: SessionContext, tool: string, input: JsonValue): void {
  remember(session, tool, input, "refused")
}

function remember(session: SessionContext, tool: string, input: JsonValue, result: string): readonly PastCall[] {
  const past = [...pastCalls(session), { call: digestOf([tool, input]), result }].slice(-MAX_REMEMBERED)
  turnCalls.set(session, { turnId: session.state.turn?.id, past })
  return past
}

function pastCalls(session: SessionContext): readonly PastCall[] {
  const known = turnCalls.get(session)
  return known === undefined || known.turnId !== session.state.turn?.id ? [] : known.past
}

/** The circle with the most rounds at the end. Calls that run at the same time end in any order, so order does not count. */
function circleOf(past: readonly PastCall[]): Circle {
  const counts = new Map<string, number>()
  const calls = new Set<string>()
  let best: Circle = { calls, rounds: 0 }
  for (const { call, result } of past.toReversed()) {
    const key = `${call} ${result}`
    if (!counts.has(key) && counts.size === MAX_CIRCLE) break
    counts.set(key, (counts.get(key) ?? 0) + 1)
    calls.add(call)
    const rounds = Math.min(...counts.values())
    if (rounds > best.rounds && calls.size === counts.size) best = { calls: new Set(calls), rounds }
  }
  return best
}

function digestOf(value: JsonValue): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("base64")
}
