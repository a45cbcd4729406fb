// Reading the host's answers to the queries of commands. A value of another form comes from a host of another version
// and counts as absent.
import { isJsonObject, memberIn, textIn, type JsonObject } from "../contract/json-object.ts"
import type { JsonValue } from "../contract/values.ts"
import type { AgentLine } from "../features/agent-tree/tree.ts"
import { readSnapshot, type SessionSnapshot } from "../projection/session-snapshot.ts"
import { readStatus } from "../projection/status.ts"
import type { SlashCall, SlashStep } from "./command.ts"

export function objectsIn(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : []
}

/** The session as it is now. */
export function querySnapshot(
  { view: { sessionId } }: SlashCall,
  next: (snapshot?: Partial<SessionSnapshot>) => SlashStep,
  turns = 1,
): Extract<SlashStep, { kind: "query" }> {
  const query = { type: "scene", sessionId, turns } as const
  return { kind: "query", query, next: (answer) => next(readSnapshot(answer)) }
}

/** The sessions of a home, newest first. */
export function agentLines(value: JsonValue): readonly AgentLine[] {
  return objectsIn(value).flatMap((line) => {
    const sessionId = textIn(line, "sessionId")
    const status = readStatus(line["status"])
    return sessionId === undefined || status === undefined
      ? []
      : [{ sessionId, status, live: (line["host"] ?? null) !== null }]
  })
}

/** A rough estimate: no model is asked for its own count. */
const CHARACTERS_PER_TOKEN = 4

/** What the model gets next, in numbers. */
export function contextText(value: JsonValue): string {
  const items = objectsIn(memberIn(value, "items"))
  const ofKind = (kind: string) => items.filter((item) => item["kind"] === kind)
  const calls = ofKind("assistant").flatMap((item) => objectsIn(item["parts"]).filter(({ kind }) => kind === "call"))
  const attachments = ofKind("user").flatMap((item) => objectsIn(item["attachments"]))
  const characters = items.reduce((sum, item) => sum + lengthOf(item), 0)
  const lines: readonly (readonly [string, number])[] = [
    ["Prompts", ofKind("user").length],
    ["Answers", ofKind("assistant").length],
    ["Tool calls", calls.length],
    ["Attachments", attachments.length],
    ["Summaries", ofKind("summary").length],
  ]
  const always = new Set(["Prompts", "Answers", "Tool calls"])
  return [
    ...lines.flatMap(([label, count]) => (count > 0 || always.has(label) ? [`${label}: ${count}`] : [])),
    `Characters: ${characters}, about ${Math.ceil(characters / CHARACTERS_PER_TOKEN)} tokens`,
  ].join("\n")
}

function lengthOf(item: JsonObject): number {
  const parts = objectsIn(item["parts"]).map((part) => textIn(part, "text") ?? JSON.stringify(part["input"] ?? ""))
  const results = isJsonObject(item["results"]) ? Object.values(item["results"]) : []
  const outputs = results.map((result) => textIn(result, "output") ?? "")
  return [textIn(item, "text") ?? "", ...parts, ...outputs].reduce((sum, text) => sum + text.length, 0)
}
