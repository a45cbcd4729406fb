// What happens in one simulated session, from its seed alone: the answers of the model, what clients send, and which
// faults hit which point. Each session has one event type and one point that its faults aim at.
import type { EventType } from "../../../contract/events.ts"
import type { Part } from "../../../models/offline/part.ts"
import { pick } from "../seeded.ts"
import { actionNames, actionsFor, type ActionName } from "./actions.ts"

export type EventPoint = "unwritten" | "stored" | "shown" | "frozen"
export type RequestPoint = "claim" | "release" | "snapshot" | "checkpoint" | "renew"

/** What fails, and when. `nth` counts from 0. */
export type Fault =
  | { readonly point: EventPoint; readonly event: EventType; readonly nth: number }
  | { readonly point: "intent" | "effect" | "compaction"; readonly nth: number }
  | { readonly point: RequestPoint; readonly isStored: boolean; readonly nth: number }
  | { readonly point: RandomPoint; readonly afterMs: number }

export const randomPoints = ["host", "power", "writer", "freeze", "leave", "clock", "full"] as const
export type RandomPoint = (typeof randomPoints)[number]

export interface SessionPlan {
  readonly steps: readonly (readonly Part[])[]
  readonly delayMs: number
  readonly actions: readonly ActionName[]
  readonly clients: number
  readonly hosts: number
  /** A client is cut after one of so many frames; 0: never. */
  readonly cutOneOf: number
  /** Answers of each client to each request for approval. */
  readonly answers: number
  /** What most approvals come with. */
  readonly approvals: ApprovalKind
  readonly faults: readonly Fault[]
}

export const approvalKinds = ["plain", "changed", "granted"] as const
export type ApprovalKind = (typeof approvalKinds)[number]

type Below = (below: number) => number

const eventPoints: readonly EventPoint[] = ["unwritten", "stored", "shown", "frozen"]
const requestPoints: readonly RequestPoint[] = ["claim", "release", "snapshot", "checkpoint", "renew"]

/** Sessions with many answers to one request are rarer than others: one of so many. */
const RACE_ONE_OF = 12
const MAX_ANSWERS = 1000

export function planSession(seed: number, targets: readonly EventType[], below: Below): SessionPlan {
  const event = targets[seed % targets.length] ?? "prompt.admitted"
  const point = eventPoints[Math.floor(seed / targets.length) % eventPoints.length] ?? "stored"
  const isSmall = below(3) > 0
  const isRace = below(RACE_ONE_OF) === 0
  const wanted = actionsFor(event)
  const extra = Array.from({ length: below(isSmall ? 2 : 5) }, () => pick(actionNames, below))
  const actions: ActionName[] = [...wanted]
  for (const action of extra) actions.splice(below(actions.length + 1), 0, action)
  return {
    steps: stepsOf(below, event),
    delayMs: pick([0, 0, 1, 8], below),
    actions: ["prompt", ...actions],
    clients: 1 + below(isSmall ? 2 : 3),
    hosts: 1 + below(2),
    cutOneOf: pick(isRace ? [0, 400] : [0, 10, 25], below), // what is not answered is sent again after a cut
    answers: 1 + below(isRace ? MAX_ANSWERS : 3),
    approvals: approvalsFor(event) ?? pick(approvalKinds, below),
    faults: [...causesOf(event), { point, event, nth: below(6) === 0 ? 1 : 0 }, ...otherFaults(below)],
  }
}

function approvalsFor(event: EventType): ApprovalKind | undefined {
  if (event === "approval.bound" || event === "tool.modified") return "changed"
  return event === "policy.granted" || event === "policy.revoked" ? "granted" : undefined
}

/** Events that follow from a fault need one before. */
function causesOf(event: EventType): readonly Fault[] {
  if (event === "tool.unsettled") return [{ point: "effect", nth: 0 }]
  return event === "turn.adopted" ? [{ point: "stored", event: "step.started", nth: 0 }] : []
}

/** Events of which the first turn calls this tool. */
const firstCalls: readonly { readonly events: readonly EventType[]; readonly tool: string }[] = [
  {
    events: [
      "approval.requested",
      "approval.decided",
      "approval.bound",
      "policy.granted",
      "policy.revoked",
      "tool.modified",
      "tool.refused",
      "child.asked",
      "child.answered",
    ],
    tool: "risky",
  },
  { events: ["tool.unsettled"], tool: "note" },
  { events: ["tasks.written"], tool: "todo" },
]

function otherFaults(below: Below): readonly Fault[] {
  const kind = below(6)
  if (kind === 0) return [{ point: pick(["intent", "effect"] as const, below), nth: below(2) }]
  if (kind === 1) return [{ point: "compaction", nth: 0 }]
  if (kind === 2) return [{ point: pick(requestPoints, below), isStored: below(2) === 0, nth: below(2) }]
  if (kind === 3) return [{ point: pick(randomPoints, below), afterMs: below(300) }]
  return []
}

/** Each text has words of its own, so that a text that is said twice or in part is recognised. */
function stepsOf(below: Below, event: EventType): readonly (readonly Part[])[] {
  const wanted = firstCalls.find(({ events }) => events.includes(event))
  const turns = Array.from({ length: 6 }, (_, turn) => {
    const calls = wanted !== undefined && turn === 0 ? [call(wanted.tool)] : randomCalls(below)
    const first = [...textsOf(`${turn}a`, below), ...calls]
    const last = textsOf(`${turn}b`, below)
    return calls.length === 0 ? [last] : [first, last]
  })
  return turns.flat()
}

function randomCalls(below: Below): readonly Part[] {
  const tools = ["look", "keep", "note", "note", "risky", "todo"] as const
  return Array.from({ length: below(3) }, () => call(pick(tools, below)))
}

function call(tool: string): Part {
  const input = tool === "todo" ? { todos: [{ content: "one", status: "pending" }] } : {}
  return { call: { tool, input } }
}

function textsOf(name: string, below: Below): readonly Part[] {
  const text = { text: Array.from({ length: 1 + below(4) }, (_, word) => `${name}${word}`).join(" ") }
  return below(4) === 0 ? [{ reasoning: `${name}-thought` }, text] : [text]
}
