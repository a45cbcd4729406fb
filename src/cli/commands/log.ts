// `turnhouse log ID`: every fact of a session, and the text that was in the air when its host ended. Reads only.
import type { SessionId } from "../../contract/ids.ts"
import { decodeEvent } from "../../contract/stored-event.ts"
import { findSession } from "../../host/directory.ts"
import type { EventLog, StoredLine } from "../../log/event-log.ts"
import { refusalFault, usageFault } from "../cli-fault.ts"
import type { Args } from "../command.ts"
import { openLog, surroundings } from "../compose.ts"
import { describeEvent } from "../describe-event.ts"
import { exitCodes } from "../exit-codes.ts"
import { printable, styled } from "../terminal.ts"

const pageSize = 500

export async function run(args: Args): Promise<number> {
  const [wanted] = args.positionals
  if (wanted === undefined) throw usageFault("name a session; 'turnhouse ls' shows what there is")
  const { home } = await surroundings()
  const log = openLog(home)
  try {
    const found = await findSession(log, wanted)
    if (found.kind === "refused") throw refusalFault(found.refusal)
    if (args.flag("head")) await printHead(log, found.value.sessionId, found.value.seq)
    else await printAll(log, found.value.sessionId, afterOf(args), args.flag("json"))
    return exitCodes.done
  } finally {
    await log.close()
  }
}

export async function* storedLines(log: EventLog, sessionId: SessionId, after: number): AsyncGenerator<StoredLine> {
  for (let seq = after; ;) {
    const page = await log.readLines(sessionId, seq, pageSize)
    if (page.kind === "refused") throw refusalFault(page.refusal)
    yield* page.value
    const last = page.value.at(-1)
    if (last === undefined) return
    seq = last.seq
  }
}

function afterOf(args: Args): number {
  const text = args.text("after") ?? "0"
  const after = Number(text)
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(after)) throw usageFault("--after takes the number of an event")
  return after
}

async function printHead(log: EventLog, sessionId: SessionId, seq: number): Promise<void> {
  for await (const line of storedLines(log, sessionId, Math.max(0, seq - 1))) {
    process.stdout.write(`${line.seq} ${line.hash}\n`)
  }
}

async function printAll(log: EventLog, sessionId: SessionId, after: number, json: boolean): Promise<void> {
  for await (const line of storedLines(log, sessionId, after)) {
    process.stdout.write(json ? `${line.text}\n` : describeLine(line))
  }
  const loaded = await log.load(sessionId)
  if (loaded.kind === "refused" && loaded.refusal.code === "session.newer") return // its event was shown as such
  if (loaded.kind === "refused") throw refusalFault(loaded.refusal)
  for (const { stepId, blocks } of loaded.value.streamed) {
    for (const { block, kind, text } of blocks) {
      const streamed = { type: `${kind}.streamed`, stepId, block, text }
      process.stdout.write(json ? `${JSON.stringify(streamed)}\n` : describeStreamed(kind, text))
    }
  }
}

function describeLine(line: StoredLine): string {
  const decoded = decodeEvent(line.text)
  const seq = styled("dim", String(line.seq).padStart(5), process.stdout)
  if (decoded.kind === "newer") return `${seq}  ${decoded.type} (written by a newer Turnhouse)\n`
  if (decoded.kind === "broken") return `${seq}  damaged: ${decoded.what}\n`
  const { at, event } = decoded.recorded
  const time = styled("dim", new Date(at).toISOString().replace("T", " ").slice(0, 23), process.stdout)
  return `${seq}  ${time}  ${event.type.padEnd(18)}  ${describeEvent(event)}\n`
}

function describeStreamed(kind: string, text: string): string {
  const mark = styled("yellow", "    …", process.stdout)
  return `${mark}  ${"streamed, not ended".padEnd(23)}  ${kind.padEnd(18)}  ${printable(text).replaceAll("\n", "⏎")}\n`
}
