// The folds of a session as one stored value, so that opening a session does not take longer the longer it is. A snapshot
// that is damaged or of another version is ignored, and the log is read.
import { hash } from "node:crypto"
import type { Recorded } from "../contract/events.ts"
import { memberIn, textIn } from "../contract/json-object.ts"
import type { JsonValue } from "../contract/values.ts"
import { emptyContext, foldContext, type Context } from "../projection/context.ts"
import { foldStatus, noStatus, type SessionStatus } from "../projection/status.ts"
import { foldTasks, noTasks, type TaskList } from "../features/tasks/task-list.ts"
import { evolve, initialState } from "../session/evolve.ts"
import type { SessionState } from "../session/state.ts"

export interface SessionFolds {
  readonly state: SessionState
  readonly status: SessionStatus
  readonly context: Context
  readonly tasks: TaskList
}

/** Raise it with every change of the four shapes (spec/snapshot). */
export const snapshotVersion = 24

export function noFolds(): SessionFolds {
  return { state: initialState, status: noStatus, context: emptyContext(), tasks: noTasks }
}

export function foldAll(folds: SessionFolds, events: readonly Recorded[]): SessionFolds {
  return {
    state: events.reduce(evolve, folds.state),
    status: events.reduce(foldStatus, folds.status),
    context: events.reduce(foldContext, folds.context),
    tasks: events.reduce(foldTasks, folds.tasks),
  }
}

export function encodeSnapshot(folds: SessionFolds): JsonValue {
  const body = JSON.stringify(folds)
  return { version: snapshotVersion, digest: digestOf(body), body }
}

/** Version and digest prove that these bytes were written with these types, so the shape is not checked again. */
export function decodeSnapshot(value: JsonValue): SessionFolds | undefined {
  const body = textIn(value, "body")
  if (body === undefined || memberIn(value, "version") !== snapshotVersion) return undefined
  if (memberIn(value, "digest") !== digestOf(body)) return undefined
  const folds: SessionFolds = JSON.parse(body)
  return folds
}

function digestOf(body: string): string {
  return hash("sha256", body)
}
