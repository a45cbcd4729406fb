// `turnhouse log ID`: prints all events of a session, and text that was streaming when its host died. Reads only; -f
// follows the session.
import type { SessionId } from "../../../contract/ids.ts"
import type { EventLog } from "../../../log/event-log.ts"
import { FollowedLog } from "../../attach/followed-log.ts"
import { refusalFault, usageFault, exitCodes } from "../../../app/app-fault.ts"
import type { Args } from "../../command.ts"
import { openLog } from "../../../app/compose.ts"
import { loadContextLeniently } from "../../../app/context.ts"
import { printLine, printStreamed, storedLines } from "../../log-lines.ts"
import { onSignals } from "../../../app/signals.ts"
import { sessionNamed } from "../../../app/sessions/sessions.ts"
import { openSession, withHomeConnection } from "../../../app/host/send-command.ts"

const sigint = 2

export async function run(args: Args): Promise<number> {
  const [wanted] = args.positionals
  if (wanted === undefined) throw usageFault("name a session; 'turnhouse ls' lists them")
  if (args.flag("follow") && args.flag("head")) throw usageFault("--head cannot be combined with --follow")
  const after = afterOf(args)
  if (args.flag("follow")) return follow(wanted, after, args.flag("json"))
  const { home } = await loadContextLeniently()
  const log = openLog(home)
  try {
    const { sessionId, seq } = await sessionNamed(log, wanted)
    if (args.flag("head")) await printHead(log, sessionId, seq)
    else await printAll(log, sessionId, after, args.flag("json"))
    return exitCodes.done
  } finally {
    await log.close()
  }
}

function follow(wanted: string, after: number, json: boolean): Promise<number> {
  return withHomeConnection("log", async ({ log, port }) => {
    const { sessionId } = await sessionNamed(log, wanted)
    const seen = await printStored(log, sessionId, after, json)
    const handle = await openSession(port, sessionId, "log")
    const followed = new FollowedLog(log, handle, seen, json)
    const stopListening = onSignals((number) => followed.leave(number === sigint ? exitCodes.done : 128 + number))
    await followed.begin()
    return followed.left.finally(stopListening)
  })
}

function afterOf(args: Args): number {
  const text = args.text("after") ?? "0"
  const after = Number(text)
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(after)) throw usageFault("--after: use the number of an event")
  return after
}

async function printHead(log: EventLog, sessionId: SessionId, seq: number): Promise<void> {
  for await (const line of storedLines(log, sessionId, Math.max(0, seq - 1))) {
    process.stdout.write(`${line.seq} ${line.hash}\n`)
  }
}

async function printStored(log: EventLog, sessionId: SessionId, after: number, json: boolean): Promise<number> {
  let seen = after
  for await (const line of storedLines(log, sessionId, after)) {
    printLine(line, json)
    seen = line.seq
  }
  return seen
}

async function printAll(log: EventLog, sessionId: SessionId, after: number, json: boolean): Promise<void> {
  await printStored(log, sessionId, after, json)
  const loaded = await log.load(sessionId)
  if (loaded.kind === "refused" && loaded.refusal.code === "session.newer") return // the event was listed as one of a newer release
  if (loaded.kind === "refused") throw refusalFault(loaded.refusal)
  for (const streamed of loaded.value.streamed) printStreamed(streamed, json)
}
