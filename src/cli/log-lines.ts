// Prints stored events: byte for byte, or one readable line each.
import type { SessionId } from "../contract/ids.ts"
import { decodeEvent } from "../contract/stored-event.ts"
import type { EventLog, StoredLine, StreamedStep } from "../log/event-log.ts"
import { accepted } from "../app/app-fault.ts"
import { describeEvent } from "./describe-event.ts"
import { printable } from "../contract/text/text.ts"
import { styled } from "../app/terminal.ts"

const pageSize = 500

export async function* storedLines(log: EventLog, sessionId: SessionId, after: number): AsyncGenerator<StoredLine> {
  for (let seq = after; ;) {
    const page = accepted(await log.readLines(sessionId, seq, pageSize))
    yield* page.value
    const last = page.value.at(-1)
    if (last === undefined) return
    seq = last.seq
  }
}

export function printLine(line: StoredLine, json: boolean): void {
  process.stdout.write(json ? `${line.text}\n` : describeLine(line))
}

/** Streaming text, or text that was streaming when its host died. */
export function printStreamed({ stepId, blocks }: StreamedStep, json: boolean): void {
  for (const { block, kind, text } of blocks) {
    const streamed = { type: `${kind}.streamed`, stepId, block, text }
    process.stdout.write(json ? `${JSON.stringify(streamed)}\n` : describeStreamed(kind, text))
  }
}

function describeLine(line: StoredLine): string {
  const decoded = decodeEvent(line.text)
  const seq = styled("dim", String(line.seq).padStart(5), process.stdout)
  if (decoded.kind === "newer") return `${seq}  ${decoded.type} (written by a newer Turnhouse)\n`
  if (decoded.kind === "broken") return `${seq}  damaged: ${decoded.what}\n`
  const { at, event } = decoded.recorded
  const time = styled("dim", new Date(at).toISOString().replace("T", " ").slice(0, 23), process.stdout)
  return `${seq}  ${time}  ${event.type.padEnd(18)}  ${inOneLine(describeEvent(event))}\n`
}

function describeStreamed(kind: string, text: string): string {
  const mark = styled("yellow", "    …", process.stdout)
  return `${mark}  ${"streamed, not ended".padEnd(23)}  ${kind.padEnd(18)}  ${inOneLine(text)}\n`
}

/** Stored text must not break the line or control the terminal. */
function inOneLine(text: string): string {
  return printable(text).replaceAll("\n", "⏎")
}
