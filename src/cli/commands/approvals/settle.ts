// `turnhouse settle ID`: a person has seen to what an agent wanted one for. Whoever has the session open is told; if
// nobody has, the background host opens it.
import { usageFault } from "../../../app/app-fault.ts"
import type { Args } from "../../command.ts"
import { exitCodes } from "../../../app/exit-codes.ts"
import { localUser } from "../../../app/local-user.ts"
import { sessionNamed } from "../../../app/sessions/sessions.ts"
import { openSession, sendCommand, withHomeConnection } from "../../../app/host/send-command.ts"
import { writeJson } from "../../write-json.ts"

const door = "settle"

export async function run(args: Args): Promise<number> {
  const [wanted, ...more] = args.positionals
  if (wanted === undefined || more.length > 0)
    throw usageFault("name one session; 'turnhouse approvals' shows where a person is wanted")
  return withHomeConnection(door, async ({ log, port }) => {
    const { sessionId } = await sessionNamed(log, wanted)
    await sendCommand(await openSession(port, sessionId, door), { type: "settle-escalation", note: args.text("note") })
    if (args.flag("json")) writeJson({ sessionId, settled: true, by: localUser() })
    else process.stdout.write(`session ${sessionId} does not wait for a person any more\n`)
    return exitCodes.done
  })
}
