// A session at one moment, as the house describes it to somebody who comes in: what a view begins with. The parts are
// the house's own projections, so only their outer shape is checked.
import type { EventOf } from "../contract/events.ts"
import type { PlanId, SessionId } from "../contract/ids.ts"
import type { JsonValue, ToolMode } from "../contract/values.ts"
import { noReferences, type References } from "../features/references/references.ts"
import { readStatus, type SessionStatus } from "./status.ts"
import type { TaskList } from "../features/tasks/task-list.ts"
import type { TranscriptItem } from "./transcript.ts"

export interface Mark {
  readonly name: string
  readonly toSeq: number
}

export interface OpenPlan {
  readonly id: PlanId
  readonly focus?: string | undefined
}

export interface SessionSnapshot {
  /** Everything up to here is in it; the watch goes on from here. */
  readonly seq: number
  readonly items: readonly TranscriptItem[]
  /** Whether there is more before the items. */
  readonly earlier: boolean
  readonly status: SessionStatus
  /** The plan that is open. */
  readonly plan?: OpenPlan | undefined
  readonly references: References
  /** Whether the model is told what references point at. */
  readonly hintsReferences: boolean
  readonly toolMode: ToolMode
  readonly tasks: TaskList
  readonly marks: readonly Mark[]
  readonly children: readonly SessionId[]
  /** What descendants ask for and nobody has answered, oldest first. */
  readonly asked: readonly EventOf<"child.asked">[]
}

/** Nothing where the answer of the house is not a scene. */
export function readSnapshot(value: JsonValue): SessionSnapshot | undefined {
  const scene: unknown = value
  if (!isSnapshot(scene)) return undefined
  const status = readStatus(scene.status)
  return status === undefined ? undefined : { ...sinceFirst, ...scene, status }
}

/** What a host of the first release does not tell. */
const sinceFirst = { asked: [], references: noReferences, hintsReferences: false } as const

type Told = Omit<SessionSnapshot, keyof typeof sinceFirst> & Partial<Pick<SessionSnapshot, keyof typeof sinceFirst>>

function isSnapshot(value: unknown): value is Told {
  if (typeof value !== "object" || value === null) return false
  if (!("seq" in value) || typeof value.seq !== "number" || !("toolMode" in value)) return false
  if (!("items" in value) || !("tasks" in value) || !("marks" in value) || !("children" in value)) return false
  const { asked = [] } = "asked" in value ? value : {}
  return [value.items, value.tasks, value.marks, value.children, asked].every((list) => Array.isArray(list))
}
