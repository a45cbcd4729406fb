// `turnhouse settle ID`: marks the escalation of a session as handled.
import type { Args } from "../../command.ts"
import { localUser } from "../../../app/local-user.ts"
import { sessionNamed } from "../../../app/sessions/sessions.ts"
import { openSession, sendCommand, withHomeConnection } from "../../../app/host/send-command.ts"
import { printResult } from "../../output.ts"

const door = "settle"

export async function run(args: Args): Promise<number> {
  const idOrName = args.first("name one session; 'turnhouse approvals' lists escalations")
  return withHomeConnection(door, async ({ log, port }) => {
    const { sessionId } = await sessionNamed(log, idOrName)
    await sendCommand(await openSession(port, sessionId, door), { type: "settle-escalation", note: args.text("note") })
    return printResult(
      args,
      { sessionId, settled: true, by: localUser() },
      () => `session ${sessionId}: escalation handled\n`,
    )
  })
}
