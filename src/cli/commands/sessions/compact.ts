// `turnhouse compact ID [TEXT]`: has the conversation of a session summarised and prints the summary. Ctrl-C leaves; the
// summary is still made.
import { AppFault, exitCodes, usageFault } from "../../../app/app-fault.ts"
import { openSession, sendCommand, withHomeConnection } from "../../../app/host/send-command.ts"
import { sessionNamed } from "../../../app/sessions/sessions.ts"
import type { EventOf } from "../../../contract/events.ts"
import type { SessionHandle } from "../../../contract/host-port.ts"
import { limits } from "../../../contract/limits.ts"
import { describeRefusal } from "../../../contract/text/describe-refusal.ts"
import type { Args } from "../../command.ts"
import { writeJson } from "../../output.ts"

export function run(args: Args): Promise<number> {
  const idOrName = args.first()
  const focus = args.positionals.slice(1).join(" ").trim()
  if (focus.length > limits.nameLength)
    throw usageFault(`the text has ${focus.length} characters; ${limits.nameLength} are allowed`)
  return withHomeConnection("compact", async ({ log, port }) => {
    const { sessionId, seq } = await sessionNamed(log, idOrName)
    const handle = await openSession(port, sessionId, "compact")
    const ended = await compact(handle, seq, focus)
    if (ended.type === "compaction.failed") throw new AppFault(`cannot compact session ${sessionId}: ${ended.error}`)
    if (args.flag("json")) writeJson({ id: sessionId, summary: ended.summary })
    else
      process.stdout.write(ended.summary === "" ? "There is nothing to summarise.\n" : `${ended.summary.trimEnd()}\n`)
    return exitCodes.done
  })
}

type Ended = EventOf<"context.compacted" | "compaction.failed">

async function compact(handle: SessionHandle, cursor: number, focus: string): Promise<Ended> {
  const result = Promise.withResolvers<Ended>()
  const unwatch = await handle.watch(cursor, (item) => {
    if (item.kind === "lost") result.reject(new AppFault(describeRefusal(item.refusal), exitCodes.unreachable))
    if (item.kind !== "event") return
    const { event } = item.recorded
    if (event.type === "context.compacted" || event.type === "compaction.failed") result.resolve(event)
  })
  try {
    await sendCommand(handle, focus === "" ? { type: "compact" } : { type: "compact", focus })
    return await result.promise
  } finally {
    result.promise.catch(() => {}) // the fault of the command comes first
    unwatch()
  }
}
