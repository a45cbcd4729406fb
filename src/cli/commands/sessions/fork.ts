// `turnhouse fork ID [--at SEQ]`: creates a session with the history of another one, which is only read and may be open.
import { exitCodes, usageFault } from "../../../app/app-fault.ts"
import { withLog } from "../../../app/host/open-log.ts"
import { forkSession } from "../../../app/sessions/fork.ts"
import { sessionNamed } from "../../../app/sessions/sessions.ts"
import type { Args } from "../../command.ts"

export function run(args: Args): Promise<number> {
  const idOrName = args.first()
  return withLog(async (log) => {
    const source = await sessionNamed(log, idOrName)
    const id = await forkSession(log, source, pointOf(args, source))
    process.stdout.write(args.flag("json") ? `${JSON.stringify({ id })}\n` : `${id}\n`)
    return exitCodes.done
  })
}

function pointOf(args: Args, { seq: newest, sessionId }: { readonly seq: number; readonly sessionId: string }): number {
  const text = args.text("at")
  if (text === undefined) return newest
  const seq = Number(text)
  if (/^\d+$/.test(text) && seq >= 1 && seq <= newest) return seq
  throw usageFault(`--at: use the number of an event. Session ${sessionId} has events 1 to ${newest}.`)
}
