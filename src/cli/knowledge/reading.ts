// Prints what a command that reads documents has done. The first signal ends it between two documents, the second at once.
import { exitCodes } from "../../app/app-fault.ts"
import type { AddedDocuments } from "../../app/knowledge/add-documents.ts"
import type { IndexWork } from "../../app/knowledge/open-index.ts"
import { onSignals } from "../../app/signals.ts"
import { oneLine } from "../../contract/text/text.ts"
import { counted } from "../../display/format.ts"
import type { Args } from "../command.ts"
import { ProgressLine, writeJson } from "../output.ts"

const longestName = 100
const longestReason = 300

export async function printReading(args: Args, read: (work: IndexWork) => Promise<AddedDocuments>): Promise<number> {
  const { sum, signal } = await withSignals(read)
  if (sum !== undefined && args.flag("json")) writeJson(sum)
  else if (sum !== undefined) process.stdout.write(readText(sum))
  if (sum === undefined || signal !== undefined) {
    process.stderr.write(
      "turnhouse: interrupted. What was read can be searched. Repeat the command to read the rest.\n",
    )
    return 128 + (signal ?? 2)
  }
  return sum.refused.length > 0 ||
    sum.notEmbedded !== undefined ||
    sum.sources.some(({ outcome }) => outcome === "failed")
    ? exitCodes.failed
    : exitCodes.done
}

interface Finished<Sum> {
  /** Undefined if it was interrupted before it began. */
  readonly sum: Sum | undefined
  readonly signal: number | undefined
}

export async function withSignals<Sum>(read: (work: IndexWork) => Promise<Sum>): Promise<Finished<Sum>> {
  const progress = new ProgressLine()
  const stop = new AbortController()
  let signal: number | undefined
  const stopListening = onSignals((number) => {
    if (signal !== undefined) process.exit(128 + number)
    signal = number
    stop.abort()
  })
  try {
    const sum = await read({ onProgress: (line) => progress.show(oneLine(line, 120)), signal: stop.signal })
    return { sum, signal }
  } catch (fault) {
    if (stop.signal.aborted && fault === stop.signal.reason) return { sum: undefined, signal }
    throw fault
  } finally {
    stopListening()
    progress.clear()
  }
}

function readText(sum: AddedDocuments): string {
  const {
    added,
    changed,
    unchanged,
    removed,
    refused,
    skipped,
    gone,
    passages,
    embedded,
    notEmbedded,
    sources,
    notes,
  } = sum
  const counts = [`${added.length} added`, `${changed.length} changed`, `${unchanged} unchanged`]
  if (removed.length > 0) counts.push(`${removed.length} removed`)
  counts.push(`${refused.length} not read`)
  const made = [counted(passages, "passage"), ...(embedded === 0 ? [] : [`${embedded} embedded`])]
  const lines = [
    ...notes,
    ...sources.flatMap(({ location, note, outcome }) =>
      note === undefined || outcome === "failed" ? [] : [`${location}: ${note}`],
    ),
    ...refused.map(refusedLine),
    `${counts.join(", ")}; ${made.join(", ")}`,
    ...(notEmbedded === undefined ? [] : [`passages are found by words only: ${notEmbedded}`]),
    ...(skipped.count === 0 ? [] : [skippedLine(skipped)]),
    ...removed.map((name) => `removed: ${oneLine(name, longestName)}`),
    ...gone.map((name) => `gone: ${oneLine(name, longestName)}`),
    ...(gone.length === 0
      ? []
      : [`${counted(gone.length, "document")} not found any more; --prune removes what is gone from the index`]),
  ]
  return `${lines.map((line) => oneLine(line, 500)).join("\n")}\n`
}

/** The reason of a source begins with the place itself. */
function refusedLine({ id, why }: AddedDocuments["refused"][number]): string {
  const place = why.startsWith(id) ? "" : `${oneLine(id, longestName)}: `
  return `not read: ${place}${oneLine(why, longestReason)}`
}

const NAMED_FILES = 5

function skippedLine({ count, names }: AddedDocuments["skipped"]): string {
  const named = names.slice(0, NAMED_FILES).map((name) => oneLine(name, 60))
  const more = count > named.length ? ` and ${count - named.length} more` : ""
  return `${count} ${count === 1 ? "file" : "files"} of other formats not read: ${named.join(", ")}${more}`
}
