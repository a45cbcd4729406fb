// Changing files: the file is read first, so that the change fits what is there and the answer can say what happened.
// A file that could not be seen whole is not appended to, and text that stands there twice is not replaced.
import type { Settled } from "../prompt.ts"
import { fileText } from "./file-text.ts"
import { answer, call, type Move, notDone, noTool, shown } from "./move.ts"
import type { RequestOf } from "./request.ts"
import { withoutTrailing } from "../../../contract/trailing.ts"

export function replaceText(
  { path, from, to }: RequestOf<"replace">,
  all: readonly Settled[],
  tools: ReadonlySet<string>,
): Move {
  const results = sinceStale(all)
  const edited = results.find((result) => result.tool === "edit")
  if (edited?.status === "done") return answer(`I replaced "${from}" by "${to}" in ${path}.`)
  if (edited !== undefined) return notDone(`I did not change ${path}`, edited)
  if (!tools.has("edit")) return noTool("edit")
  const seen = results.find((result) => result.tool === "read")
  if (seen === undefined && tools.has("read")) return call("read", { path }, `I read ${path} before I change it.`)
  if (seen !== undefined && seen.status !== "done")
    return notDone(`I did not change ${path}, because I could not read it`, seen)
  const obstacle = seen && replaceObstacle(path, from, seen.output)
  if (obstacle !== undefined) return answer(obstacle, "failed")
  return call("edit", { path, old_string: from, new_string: to }, `I replace "${from}" by "${to}" in ${path}.`)
}

export function writeText(
  { path, text }: RequestOf<"write">,
  all: readonly Settled[],
  tools: ReadonlySet<string>,
): Move {
  const results = sinceStale(all)
  const written = results.find((result) => result.tool === "write")
  const seen = results.find((result) => result.tool === "read")
  if (written?.status === "done") {
    return answer(seen?.status === "done" ? `I replaced what was in ${path}.` : `I wrote ${path}.`)
  }
  if (written !== undefined) return notDone(`I did not write ${path}`, written)
  if (!tools.has("write")) return noTool("write")
  if (seen === undefined && tools.has("read")) return call("read", { path }, `I look whether ${path} exists already.`)
  if (seen !== undefined && !isThereOrMissing(seen)) {
    return notDone(`I did not write ${path}, because I could not see what is there`, seen)
  }
  return call("write", { path, content: `${text}\n` }, `I write ${path}.`)
}

export function appendText(
  { path, text }: RequestOf<"append">,
  all: readonly Settled[],
  tools: ReadonlySet<string>,
): Move {
  const results = sinceStale(all)
  const changed = results.find((result) => result.tool === "edit" || result.tool === "write")
  if (changed?.status === "done") return answer(`I appended "${text}" to ${path}.`)
  if (changed !== undefined) return notDone(`I did not append to ${path}`, changed)
  const seen = results.find((result) => result.tool === "read")
  if (seen === undefined) {
    return tools.has("read") ? call("read", { path }, `I read ${path} to see how it ends.`) : noTool("read")
  }
  if (isMissing(seen)) return begin(path, text, tools)
  if (seen.status !== "done") return notDone(`I did not append to ${path}, because I could not read it`, seen)
  return addAtEnd(path, text, seen.output, tools)
}

function begin(path: string, text: string, tools: ReadonlySet<string>): Move {
  if (!tools.has("write")) return noTool("write")
  return call("write", { path, content: `${text}\n` }, `${path} has no text yet; I begin it.`)
}

function addAtEnd(path: string, text: string, output: string, tools: ReadonlySet<string>): Move {
  const seen = fileText(output)
  if (!seen.whole) return answer(`I did not append to ${path}: it is so long that I have not seen its end.`, "failed")
  const body = withoutTrailing(seen.text, "\n")
  if (body === "") return begin(path, text, tools)
  if (!tools.has("edit")) return noTool("edit")
  const end = uniqueEnd(body)
  if (end === undefined) return answer(`I did not append to ${path}: its end is not unlike the rest of it.`, "failed")
  return call("edit", { path, old_string: end, new_string: `${end}\n${text}` }, `I add a line at the end of ${path}.`)
}

/** A tool that wants the file read (again) first gets that once: after a restart it has forgotten an earlier look. */
function sinceStale(all: readonly Settled[]): readonly Settled[] {
  const stale = all.findIndex(
    ({ status, output }) => status === "failed" && /\bread it (?:again )?first\b/i.test(output),
  )
  return all.slice(stale + 1)
}

/** As many last lines as it takes to name one place. */
function uniqueEnd(body: string): string | undefined {
  const lines = body.split("\n")
  for (let count = 1; count <= Math.min(lines.length, 50); count++) {
    const end = lines.slice(-count).join("\n")
    if (end.trim() !== "" && occurrences(body, end) === 1) return end
  }
  return undefined
}

function replaceObstacle(path: string, from: string, output: string): string | undefined {
  const { text, whole } = fileText(output)
  const count = occurrences(text, from)
  if (count === 0 && whole) return `I did not change ${path}: "${from}" does not stand in it.`
  if (count < 2) return undefined
  const lines = text.split("\n").filter((line) => line.includes(from))
  return `I did not change ${path}: "${from}" stands in it ${count} times. Quote more of the text, so that it names one place:${shown(lines.join("\n"))}`
}

function occurrences(text: string, part: string): number {
  return text.split(part).length - 1
}

function isThereOrMissing(seen: Settled): boolean {
  return seen.status === "done" || isMissing(seen)
}

function isMissing({ status, output }: Settled): boolean {
  return status === "failed" && /no such file|ENOENT|not (?:exist|found|there)|no file|missing/i.test(output)
}
