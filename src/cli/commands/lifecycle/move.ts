// `turnhouse move ID NODE`: moves a session, with its agents and its running turn, to another node of the cluster.
import { accepted, exitCodes, usageFault } from "../../../app/app-fault.ts"
import { withHomeConnection } from "../../../app/host/send-command.ts"
import { sessionNamed } from "../../../app/sessions/sessions.ts"
import type { Args } from "../../command.ts"
import { writeJson } from "../../output.ts"

export async function run(args: Args): Promise<number> {
  const [idOrName, node, ...others] = args.positionals
  if (idOrName === undefined || node === undefined || others.length > 0)
    throw usageFault("name a session and a node: turnhouse move ID NODE; 'turnhouse nodes' lists the nodes")
  return withHomeConnection("move", async ({ log, port }) => {
    const { sessionId } = await sessionNamed(log, idOrName)
    const { value } = accepted(await port.perform({ type: "move-session", sessionId, node }))
    if (args.flag("json")) writeJson({ id: sessionId, ...value })
    else process.stdout.write(`session ${sessionId} ${value.moved ? "moved to" : "is on"} node ${node}\n`)
    return exitCodes.done
  })
}
