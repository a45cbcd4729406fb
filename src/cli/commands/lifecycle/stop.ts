// `turnhouse stop ID`: ends a session, its sub-agents and their processes, wherever they run.
import { exitCodes } from "../../../app/app-fault.ts"
import { loadContextLeniently } from "../../../app/context.ts"
import { stopSession } from "../../../app/host/stop-session.ts"
import type { Args } from "../../command.ts"
import { counted } from "../../../display/format.ts"

export async function run(args: Args): Promise<number> {
  const idOrName = args.first()
  const { id, descendants } = await stopSession(await loadContextLeniently(), idOrName)
  const more = descendants === 0 ? "" : `, and ${counted(descendants, "sub-agent")}`
  process.stdout.write(
    args.flag("json") ? `${JSON.stringify({ id, life: "ended", descendants })}\n` : `session ${id} has ended${more}\n`,
  )
  return exitCodes.done
}
