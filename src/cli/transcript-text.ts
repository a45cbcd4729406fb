// A conversation as plain text. Long outputs are cut; the JSON form has them in full.
import { principalName } from "../contract/rules/approval-answers.ts"
import type { By } from "../contract/values.ts"
import type { AssistantEntry, CallEntry, TranscriptItem, UserEntry } from "../projection/transcript.ts"
import { indented } from "./output.ts"
import { exactArguments, moment } from "../display/format.ts"
import { printable } from "../contract/text/text.ts"

const shownLines = 20
const lineLength = 100

export function transcriptText(items: readonly TranscriptItem[]): string {
  return items
    .flatMap(itemText)
    .map((text) => `${text}\n`)
    .join("\n")
}

function itemText(item: TranscriptItem): readonly string[] {
  switch (item.kind) {
    case "user":
      return [userText(item)]
    case "assistant":
      return assistantText(item)
    case "call":
      return [callText(item)]
    case "notice":
      return [`(${printable(item.text)})`]
  }
}

function userText({ by, at, text, attachments, state, planId, untrustedSource }: UserEntry): string {
  const marks = [
    ...(untrustedSource === undefined ? [] : [`untrusted, from ${printable(untrustedSource)}`]),
    ...(planId === undefined ? [] : ["in a plan"]),
    ...(state === "waiting" ? ["not delivered yet"] : []),
  ]
  const files = attachments.map(({ name, mediaType }) => printable(`[${name}, ${mediaType}]`))
  return [`${printable(by.principal)}, ${moment(at)}${bracketed(marks)}:`, printable(text), ...files].join("\n")
}

/** A step that only called tools has no text. */
function assistantText({ text, cutOff, planId }: AssistantEntry): readonly string[] {
  if (text === "") return []
  const marks = [...(planId === undefined ? [] : ["in a plan"]), ...(cutOff ? ["cut off"] : [])]
  return [`assistant${bracketed(marks)}:\n${printable(text)}`]
}

function callText({ tool, input, state, output, approval }: CallEntry): string {
  const answered = approval?.outcome === undefined ? [] : [`${approval.outcome}${byText(approval.by)}`]
  const head = `${printable(tool)} ${argumentsOf(input)}${bracketed([...answered, state])}`
  return output === undefined || output === "" ? head : `${head}\n${indented(cut(printable(output)), 4)}`
}

function argumentsOf(input: CallEntry["input"]): string {
  const line = exactArguments(input, 0)
  return line.length <= lineLength ? line : exactArguments(input)
}

function byText(by: By | undefined): string {
  return by === undefined ? "" : ` by ${printable(principalName(by.principal))}`
}

function bracketed(marks: readonly string[]): string {
  return marks.length === 0 ? "" : ` [${marks.join(", ")}]`
}

function cut(output: string): string {
  const lines = output.trimEnd().split("\n")
  if (lines.length <= shownLines + 1) return lines.join("\n")
  return [...lines.slice(0, shownLines), `… ${lines.length - shownLines} more lines`].join("\n")
}
