// Reading what a house answers to a command's questions. What has another shape comes from a host of another version
// and counts as not there.
import type { SessionId } from "../contract/ids.ts"
import type { JsonValue } from "../contract/values.ts"
import type { AgentLine } from "../projection/agent-tree.ts"
import { readStatus } from "../projection/status.ts"

type JsonObject = { readonly [key: string]: JsonValue | undefined }

export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

export function objectsOf(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : []
}

export function textOf(value: JsonObject, key: string): string | undefined {
  const found = value[key]
  return typeof found === "string" ? found : undefined
}

/** The sessions of a house, newest first. */
export function agentLines(value: JsonValue): readonly AgentLine[] {
  return objectsOf(value).flatMap((line) => {
    const sessionId: SessionId | undefined = textOf(line, "sessionId")
    const status = readStatus(line["status"])
    return sessionId === undefined || status === undefined ? [] : [{ sessionId, status, live: isLive(line) }]
  })
}

function isLive({ host }: JsonObject): boolean {
  return host !== null && host !== undefined
}
