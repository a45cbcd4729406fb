// Prints stored events: byte for byte, or one readable line each.
import { decodeEvent, encodeEvent } from "../contract/stored-event.ts"
import type { WatchItem } from "../contract/host-port.ts"
import { describeEvent } from "../display/describe-event.ts"
import { printable } from "../contract/text/text.ts"
import { styled } from "../app/terminal.ts"

interface StoredLine {
  readonly seq: number
  readonly text: string
}

type StreamedStep = Omit<Extract<WatchItem, { kind: "streamed" }>, "kind">

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

export function printJson(item: WatchItem): void {
  switch (item.kind) {
    case "event":
      return print(encodeEvent(item.recorded))
    case "delta":
      return print(JSON.stringify(item.delta))
    case "streamed":
      for (const { block, kind, text } of item.blocks)
        print(JSON.stringify({ type: `${kind}.streamed`, stepId: item.stepId, block, text }))
      return
    case "lost":
      return // reported by the exit code and on stderr
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
