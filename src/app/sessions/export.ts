// Exported sessions: writes the lines of one, verifies a file, and reads one. Unreadable lines are counted and skipped,
// so that the rest of a damaged file can be read.
import { createReadStream, readFileSync } from "node:fs"
import type { Recorded } from "../../contract/events.ts"
import type { SessionId } from "../../contract/ids.ts"
import { decodeEvent } from "../../contract/stored-event.ts"
import type { EventLog } from "../../log/event-log.ts"
import { checkExport, exportHeader, exportSeal, type ExportCheck } from "../../log/export-file.ts"
import { homeKey, signingKey } from "../../secrets/home-key.ts"
import { LineSplitter, type Line } from "../../transports/framing/lines.ts"
import { AppFault, messageOf } from "../app-fault.ts"
import { storedLines } from "./stored-lines.ts"

const longestLine = 256 * 1024 * 1024

export async function* exportLines(log: EventLog, sessionId: SessionId, home: string): AsyncGenerator<string> {
  yield exportHeader(sessionId)
  let head = { seq: 0, hash: "" }
  for await (const line of storedLines(log, sessionId, 0)) {
    yield line.text
    head = line
  }
  yield exportSeal(sessionId, head.seq, head.hash, signingKey(homeKey(home)))
}

export async function verifyExport(path: string): Promise<ExportCheck> {
  try {
    return await checkExport(linesOf(path))
  } catch (fault) {
    throw new AppFault(`${path} cannot be read: ${messageOf(fault)}`)
  }
}

/** Only LF ends a line: texts may contain other line separators. */
async function* linesOf(path: string): AsyncGenerator<string> {
  const lines: Line[] = []
  const splitter = new LineSplitter(longestLine, (line) => lines.push(line))
  for await (const chunk of createReadStream(path)) {
    splitter.push(Buffer.from(chunk))
    yield* lines.splice(0).map(lineText)
  }
  splitter.end()
  yield* lines.splice(0).map(lineText)
}

function lineText(line: Line): string {
  return line.kind === "line" ? line.text : "" // an empty line is reported as invalid JSON
}

export interface ReadExport {
  readonly check: ExportCheck
  readonly events: readonly Recorded[]
  /** Lines between header and seal that are not an event of this version. */
  readonly unreadable: number
}

export async function readExport(path: string): Promise<ReadExport> {
  // Only a newline ends a line: readline would also split at separators inside a text.
  const lines = textOf(path).split("\n")
  if (lines.at(-1) === "") lines.pop()
  const check = await checkExport(each(lines))
  if (check.kind === "broken" && check.line === 1) throw cannotRead(path, check.what)
  const decoded = lines.slice(1).filter(isNoSeal).map(decodeEvent)
  const events = decoded.flatMap((one) => (one.kind === "event" ? [one.recorded] : []))
  return { check, events, unreadable: decoded.length - events.length }
}

function textOf(path: string): string {
  try {
    return readFileSync(path === "-" ? 0 : path, "utf8")
  } catch (fault) {
    throw cannotRead(path, messageOf(fault))
  }
}

function cannotRead(path: string, what: string): AppFault {
  return new AppFault(`${path} is not a readable export: ${what}`)
}

function isNoSeal(line: string): boolean {
  return !line.startsWith('{"seal":')
}

async function* each(lines: readonly string[]): AsyncGenerator<string> {
  yield* lines
}
