// `turnhouse log ID`: prints all events of a session, and text that was streaming when its host died. Reads only; -f
// follows the session.
import { exitCodes, usageFault } from "../../../app/app-fault.ts"
import { withLog } from "../../../app/host/open-log.ts"
import { openSession, withHomeConnection } from "../../../app/host/send-command.ts"
import { sessionNamed, type HomeLog } from "../../../app/sessions/sessions.ts"
import { storedLines, streamedText } from "../../../app/sessions/stored-lines.ts"
import { onSignals } from "../../../app/signals.ts"
import type { SessionId } from "../../../contract/ids.ts"
import { FollowedLog } from "../../attach/followed-log.ts"
import type { Args } from "../../command.ts"
import { printLine, printStreamed } from "../../log-lines.ts"

const sigint = 2

export async function run(args: Args): Promise<number> {
  const idOrName = args.first()
  if (args.flag("follow") && args.flag("head")) throw usageFault("--head cannot be combined with --follow")
  const after = afterOf(args)
  const json = args.flag("json")
  if (args.flag("follow")) return follow(idOrName, after, json)
  return withLog(async (log) => {
    const { sessionId, seq } = await sessionNamed(log, idOrName)
    if (args.flag("head")) {
      for await (const line of storedLines(log, sessionId, Math.max(0, seq - 1)))
        process.stdout.write(`${line.seq} ${line.hash}\n`)
      return exitCodes.done
    }
    await printStored(log, sessionId, after, json)
    for (const streamed of await streamedText(log, sessionId)) printStreamed(streamed, json)
    return exitCodes.done
  })
}

function follow(idOrName: string, after: number, json: boolean): Promise<number> {
  return withHomeConnection("log", async ({ log, port }) => {
    const { sessionId } = await sessionNamed(log, idOrName)
    const seen = await printStored(log, sessionId, after, json)
    const handle = await openSession(port, sessionId, "log")
    const followed = new FollowedLog(log, handle, seen, json)
    const stopListening = onSignals((number) => followed.leave(number === sigint ? exitCodes.done : 128 + number))
    await followed.start()
    return followed.exited.finally(stopListening)
  })
}

function afterOf(args: Args): number {
  const text = args.text("after") ?? "0"
  const after = Number(text)
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(after)) throw usageFault("--after: use the number of an event")
  return after
}

async function printStored(log: HomeLog, sessionId: SessionId, after: number, json: boolean): Promise<number> {
  let seen = after
  for await (const line of storedLines(log, sessionId, after)) {
    printLine(line, json)
    seen = line.seq
  }
  return seen
}
