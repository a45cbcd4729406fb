// Notices a model that makes the same call again and again and gets the same result: it gets a note, then the call is refused.
// A result that changes, such as that of a growing log, is no repetition. In memory: a new host counts anew.
import { createHash } from "node:crypto"
import type { JsonValue } from "../../contract/values.ts"
import type { SessionContext } from "../session-context.ts"

/** From this call on the result has a note. */
const NOTED_FROM = 3
/** After so many calls the next one does not run. */
const MAX_REPEATS = 6

interface LastCall {
  readonly call: string
  readonly result: string
  readonly count: number
}

const lastCalls = new WeakMap<SessionContext, LastCall>()

/** Why the call does not run again; undefined if it may. */
export function repeatRefusal(session: SessionContext, tool: string, input: JsonValue): string | undefined {
  const last = lastCalls.get(session)
  if (last === undefined || last.count < MAX_REPEATS || last.call !== callKey(session, tool, input)) return undefined
  return `The same call was made ${last.count} times with the same result; it was not run again. Try another way, or say what is missing.`
}

/** The output, with a note if the call and its result repeat the last ones. */
export function withRepeatNote(session: SessionContext, tool: string, input: JsonValue, output: string): string {
  const call = callKey(session, tool, input)
  const result = createHash("sha256").update(output).digest("base64")
  const last = lastCalls.get(session)
  const count = last !== undefined && last.call === call && last.result === result ? last.count + 1 : 1
  lastCalls.set(session, { call, result, count })
  if (count < NOTED_FROM) return output
  return `${output}\n[The same call gave the same result ${count} times. After ${MAX_REPEATS} it is refused.]`
}

/** Within a turn: a user may want the same thing again. */
function callKey({ state }: SessionContext, tool: string, input: JsonValue): string {
  return JSON.stringify([state.turn?.id ?? null, tool, input])
}
