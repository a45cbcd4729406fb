// A Jupyter notebook as text: its cells with their numbers, and what they printed. Pure.
import { isJsonObject, memberIn, textIn, tryParseJson } from "../../contract/json-object.ts"
import type { JsonValue } from "../../contract/values.ts"

/** Characters of the outputs of one cell. */
const MAX_OUTPUT_LENGTH = 4000

/** Undefined if the text is not a notebook. */
export function notebookText(json: string): string | undefined {
  const cells = memberIn(tryParseJson(json), "cells")
  if (!isList(cells)) return undefined
  return cells.map((cell, index) => cellText(cell, index + 1)).join("\n")
}

function cellText(cell: JsonValue, number: number): string {
  const kind = textIn(cell, "cell_type") ?? "unknown"
  const outputs = memberIn(cell, "outputs")
  const printed = isList(outputs) ? bounded(outputs.map(outputText).join("\n")) : ""
  const output = printed === "" ? [] : [`--- Output of cell ${number} ---`, printed]
  return [`--- Cell ${number} (${kind}) ---`, joined(memberIn(cell, "source")), ...output].join("\n")
}

/** Texts are stored as one string or as a list of lines with their line feeds. */
function joined(text: JsonValue | undefined): string {
  if (typeof text === "string") return text
  return isList(text) ? text.filter((line) => typeof line === "string").join("") : ""
}

function outputText(output: JsonValue): string {
  if (textIn(output, "output_type") === "error")
    return `${textIn(output, "ename") ?? "Error"}: ${textIn(output, "evalue") ?? ""}`
  const text = joined(memberIn(output, "text"))
  if (text !== "") return text
  const data = memberIn(output, "data")
  if (!isJsonObject(data)) return ""
  const plain = joined(data["text/plain"])
  const others = Object.keys(data).filter((mediaType) => !mediaType.startsWith("text/"))
  return [...(plain === "" ? [] : [plain]), ...others.map((mediaType) => `[${mediaType}, not shown]`)].join("\n")
}

function bounded(text: string): string {
  if (text.length <= MAX_OUTPUT_LENGTH) return text
  const start = text.slice(0, MAX_OUTPUT_LENGTH).toWellFormed()
  return `${start}\n[… ${text.length - MAX_OUTPUT_LENGTH} more characters of output]`
}

function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value)
}
