// One organisation on the server of `prove tenants`: its visitors and its staff, their connections and their ids.
import { HouseClient } from "../../../clients/house/house-client.ts"
import { memberIn, textIn } from "../../../contract/json-object.ts"
import type { JsonValue } from "../../../contract/values.ts"
import { hmacToken } from "../served/token.ts"
import { WsCaller } from "../served/ws-caller.ts"
import type { Ids } from "./actions.ts"

/** Refusals are delayed, so each person has several sockets. */
const SOCKETS_EACH = 4

export interface Organisation {
  readonly name: string
  readonly visitors: readonly WsCaller[]
  readonly staff: HouseClient
  readonly staffToken: string
  readonly ids: Ids[]
}

/** What only this organisation may see. */
export function wordOf(name: string): string {
  return `word-of-${name}`
}

/** One of each kind: with an e-mail address, without one, and staff. */
const people = (org: string) => [
  { sub: `owner-${org}`, org, email: `mail@${org}.example` },
  { sub: `nameless-${org}`, org },
  { sub: `staff-${org}`, org, role: "admin", email: "the-same@everywhere.example" },
]

export interface OrganisationOptions {
  readonly url: string
  readonly secret: string
  /** Called with each frame that one of its visitors receives. */
  readonly onText: (text: string) => void
}

export async function openOrganisation(
  name: string,
  { url, secret, onText }: OrganisationOptions,
): Promise<Organisation> {
  const tokens = people(name).map((claims) => hmacToken(claims, secret))
  const sockets = tokens.flatMap((token) => Array<string>(SOCKETS_EACH).fill(token))
  const visitors = await Promise.all(sockets.map((token) => WsCaller.open(`${url}/ws?token=${token}`, onText)))
  const staffToken = tokens.at(-1) ?? ""
  const staff = await HouseClient.connect(`${url}/house`, { door: "prove", key: staffToken })
  const ids = await Promise.all(visitors.map((visitor) => converse(name, visitor)))
  return { name, visitors, staff, staffToken, ids }
}

async function converse(org: string, visitor: WsCaller): Promise<Ids> {
  const opened = await visitor.ask({ action: "create_conversation_session", agentId: "a", userName: wordOf(org) })
  const ids = idsIn(org, opened?.frame)
  if (ids === undefined) throw new Error(`the server opened no conversation: ${opened?.text}`)
  const ended = await visitor.askTurn({ action: "send_message", sessionId: ids.visit, message: wordOf(org) })
  if (textIn(ended?.frame, "type") !== "eventual_response") throw new Error(`the first turn failed: ${ended?.text}`)
  return ids
}

/** Of the visit that an answer opens. */
export function idsIn(org: string, frame: JsonValue | undefined): Ids | undefined {
  const data = memberIn(frame, "data")
  const [visit, conversation] = [textIn(data, "sessionId"), textIn(data, "conversationId")]
  return visit === undefined || conversation === undefined ? undefined : { org, visit, conversation }
}

export function closeOrganisation({ visitors, staff }: Organisation): void {
  for (const visitor of visitors) visitor.close()
  staff.close()
}
