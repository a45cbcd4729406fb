// Requests and processes that a row of the lock table has as JSON. Values of another shape are ignored.
import { isObject } from "../../../contract/json-object.ts"
import type { ToolProcess } from "../../../contract/values.ts"
import { isLockKind, type LockKind, type LockRequest } from "../conflicts.ts"

export function processesIn(stored: unknown): readonly ToolProcess[] {
  return Array.isArray(stored) ? stored.filter(isProcess) : []
}

export function requestsIn(stored: unknown): readonly LockRequest[] {
  return Array.isArray(stored) ? stored.filter(isLockRequest) : []
}

function isProcess(value: unknown): value is ToolProcess {
  if (!isObject(value) || (value["mark"] !== undefined && typeof value["mark"] !== "string")) return false
  const { pid, group, startTime } = value
  return typeof pid === "number" && typeof group === "number" && typeof startTime === "string"
}

function isLockRequest(value: unknown): value is LockRequest {
  if (!isObject(value) || !isKind(value["kind"]) || typeof value["scope"] !== "string") return false
  const { place, notDuring = [] } = value
  if (place !== undefined && typeof place !== "string") return false
  return Array.isArray(notDuring) && notDuring.every(isKind)
}

function isKind(value: unknown): value is LockKind {
  return typeof value === "string" && isLockKind(value)
}
