// What the model would get next, in numbers, for `/context`. Tokens are a rough guess: no model's own count is asked.
import type { JsonValue } from "../../contract/values.ts"
import { isObject, objectsOf, textOf } from "../query-answers.ts"

const charactersPerToken = 4

export function contextText(value: JsonValue): string {
  const items = isObject(value) ? objectsOf(value["items"]) : []
  const ofKind = (kind: string) => items.filter((item) => item["kind"] === kind)
  const parts = ofKind("assistant").flatMap((item) => objectsOf(item["parts"]))
  const calls = parts.filter((part) => part["kind"] === "call")
  const attachments = ofKind("user").flatMap((item) => objectsOf(item["attachments"]))
  const characters = items.reduce((sum, item) => sum + lengthOf(item), 0)
  const lines = [
    `Prompts: ${ofKind("user").length}`,
    `Answers: ${ofKind("assistant").length}`,
    `Tool calls: ${calls.length}`,
    ...counted("Attachments", attachments.length),
    ...counted("Summaries", ofKind("summary").length),
    `Characters: ${characters}, about ${Math.ceil(characters / charactersPerToken)} tokens`,
  ]
  return lines.join("\n")
}

function counted(label: string, count: number): readonly string[] {
  return count === 0 ? [] : [`${label}: ${count}`]
}

function lengthOf(item: ReturnType<typeof objectsOf>[number]): number {
  const said = textOf(item, "text")?.length ?? 0
  const parts = objectsOf(item["parts"]).map((part) => textOf(part, "text") ?? JSON.stringify(part["input"] ?? ""))
  const results = isObject(item["results"]) ? objectsOf(Object.values(item["results"]).filter(isObject)) : []
  const outputs = results.map((result) => textOf(result, "output") ?? "")
  return [...parts, ...outputs].reduce((sum, text) => sum + text.length, said)
}
