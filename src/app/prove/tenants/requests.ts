// One random request to a server that has two organisations, and what its answer may not contain. An object of the other
// organisation must look like one that does not exist.
import type { HostCommandType } from "../../../contract/host-commands.ts"
import { sessionOfQuery } from "../../../contract/host-port.ts"
import type { QueryType } from "../../../contract/queries.ts"
import type { Refusal } from "../../../contract/refusals.ts"
import { isActionName } from "../../../protocols/ws/actions.ts"
import { pick } from "../seeded.ts"
import { errorCode } from "../served/ws-caller.ts"
import { frames, hostCommands, listing, queries, sessionCommands, type Ids } from "./actions.ts"
import { idsIn, wordOf, type Organisation } from "./organisation.ts"

export type Whose = "own" | "other" | "none"

export interface TenantRequest {
  readonly door: "websocket" | "native" | "admin"
  readonly action: string
  readonly whose: Whose
  /** Sends it. Resolves with what was wrong, if anything. */
  readonly send: () => Promise<string | undefined>
}

export interface Sides {
  readonly url: string
  readonly mine: Organisation
  readonly other: Organisation
  /** How objects of the other, and those that do not exist, are refused, by action. */
  readonly refusals: Readonly<Record<"other" | "none", Map<string, Set<string>>>>
}

type Below = (below: number) => number

/** Ids of objects that do not exist. */
const missingIds: Ids = {
  org: "nowhere",
  visit: "6f1c0f4e-0000-4000-8000-00000000ffff",
  conversation: "01a1e0d0-0000-7000-8000-00000000ffff",
}

export function randomRequest(sides: Sides, below: Below): TenantRequest {
  const whose = pick(["own", "other", "other", "none"] as const, below)
  const ids = whose === "none" ? missingIds : pick(whose === "own" ? sides.mine.ids : sides.other.ids, below)
  const request = { sides, whose, ids, below }
  const door = below(10)
  if (door < 7) return visitorRequest(request)
  return door < 9 ? nativeRequest(request) : adminRequest(request)
}

interface Chosen {
  readonly sides: Sides
  readonly whose: Whose
  readonly ids: Ids
  readonly below: Below
}

const actionNames = Object.keys(frames).filter(isActionName)
const hostCommandTypes = Object.keys(hostCommands).filter((type): type is HostCommandType =>
  Object.hasOwn(hostCommands, type),
)
const queryTypes = Object.keys(queries).filter((type): type is QueryType => Object.hasOwn(queries, type))

function visitorRequest({ sides, whose, ids, below }: Chosen): TenantRequest {
  const action = pick(actionNames, below)
  const visitor = pick(sides.mine.visitors, below)
  const send = async () => {
    const frame = { action, ...frames[action](ids) }
    if (action === "cancel") visitor.say(frame) // it has no answer
    const answer = await (action === "cancel" ? visitor.settle() : visitor.ask(frame))
    if (answer === undefined) return `${action} got no answer`
    const created = action === "create_conversation_session" ? idsIn(sides.mine.name, answer.frame) : undefined
    if (created !== undefined) sides.mine.ids.push(created)
    if (listing.has(action) || action === "cancel") return foreignIn(answer.text, sides)
    return refusedLikeMissing(sides, { action, whose, code: errorCode(answer.frame), text: answer.text })
  }
  return { door: "websocket", action, whose, send }
}

interface NativeAnswer {
  readonly kind: string
  readonly refusal?: Refusal
}

interface NativeCall {
  readonly action: string
  /** Else its answer is a list, or it is about the host. */
  readonly namesObject: boolean
  readonly call: () => Promise<NativeAnswer>
}

function nativeRequest({ sides, whose, ids, below }: Chosen): TenantRequest {
  const { action, namesObject, call } = nativeCall(sides.mine, ids, below)
  const send = async () => {
    const answer = await call()
    const text = JSON.stringify(answer)
    const code = answer.refusal?.code
    if (namesObject) return refusedLikeMissing(sides, { action, whose, code, text })
    return code === undefined ? foreignIn(text, sides) : undefined
  }
  return { door: "native", action, whose, send }
}

function nativeCall({ staff }: Organisation, ids: Ids, below: Below): NativeCall {
  const kind = below(10)
  if (kind < 7) {
    const query = queries[pick(queryTypes, below)](ids)
    const namesObject = sessionOfQuery(query) !== undefined || query.type === "visit"
    return { action: query.type, namesObject, call: () => staff.query(query) }
  }
  if (kind < 8) {
    const command = hostCommands[pick(hostCommandTypes, below)](ids)
    return { action: command.type, namesObject: true, call: () => staff.perform(command) }
  }
  if (kind < 9) return { action: "open", namesObject: true, call: () => opened(staff, ids) }
  const command = pick(sessionCommands, below)
  return { action: command.type, namesObject: true, call: () => staff.send(ids.conversation, command) }
}

async function opened(staff: Organisation["staff"], { conversation }: Ids): Promise<NativeAnswer> {
  const answer = await staff.open(conversation)
  return answer.kind === "refused" ? answer : { kind: answer.kind }
}

function adminRequest({ sides, whose, ids, below }: Chosen): TenantRequest {
  const isList = below(2) === 0
  const path = isList ? `conversations?org=${ids.org}` : `conversations/${ids.conversation}/messages?org=${ids.org}`
  const action = isList ? "conversations" : "messages"
  const send = async () => {
    const headers = { authorization: `Bearer ${sides.mine.staffToken}` }
    const answer = await fetch(`${sides.url.replace(/^ws/, "http")}/admin/${path}`, { headers })
    const text = await answer.text()
    if (isList) return foreignIn(text, sides)
    return refusedLikeMissing(sides, { action, whose, code: answer.ok ? undefined : String(answer.status), text })
  }
  return { door: "admin", action, whose, send }
}

interface Outcome {
  readonly action: string
  readonly whose: Whose
  /** Of the refusal, if it was refused. */
  readonly code: string | undefined
  readonly text: string
}

/** Refusals that depend on what the socket did before, and on no object. */
const ofSocket: ReadonlySet<string> = new Set(["TURN_IN_PROGRESS", "RATE_LIMITED"])

/** A refusal repeats the id that was asked for, so only what an answer adds can be foreign. */
function refusedLikeMissing(sides: Sides, { action, whose, code, text }: Outcome): string | undefined {
  if (text.includes(wordOf(sides.other.name))) return `the answer to ${action} has words of the other: ${text}`
  if (whose === "own") return undefined
  if (code === undefined) return `${action} was answered for an object that is not its own: ${text}`
  if (ofSocket.has(code)) return undefined
  const codes = sides.refusals[whose]
  codes.set(action, (codes.get(action) ?? new Set()).add(code))
  return undefined
}

function foreignIn(text: string, { other }: Sides): string | undefined {
  const isForeign =
    text.includes(wordOf(other.name)) ||
    other.ids.some(({ conversation, visit }) => text.includes(conversation) || text.includes(visit))
  return isForeign ? `an answer has what belongs to the other: ${text}` : undefined
}
