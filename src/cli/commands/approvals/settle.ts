// `turnhouse settle ID`: marks the escalation of a session as handled.
import { usageFault, exitCodes } from "../../../app/app-fault.ts"
import type { Args } from "../../command.ts"
import { localUser } from "../../../app/local-user.ts"
import { sessionNamed } from "../../../app/sessions/sessions.ts"
import { openSession, sendCommand, withHomeConnection } from "../../../app/host/send-command.ts"
import { writeJson } from "../../output.ts"

const door = "settle"

export async function run(args: Args): Promise<number> {
  const [wanted, ...more] = args.positionals
  if (wanted === undefined || more.length > 0)
    throw usageFault("name one session; 'turnhouse approvals' lists escalations")
  return withHomeConnection(door, async ({ log, port }) => {
    const { sessionId } = await sessionNamed(log, wanted)
    await sendCommand(await openSession(port, sessionId, door), { type: "settle-escalation", note: args.text("note") })
    if (args.flag("json")) writeJson({ sessionId, settled: true, by: localUser() })
    else process.stdout.write(`session ${sessionId}: escalation handled\n`)
    return exitCodes.done
  })
}
