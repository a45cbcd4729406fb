// `turnhouse new`: creates a session on the background host.
import { checkModel } from "../../../app/settings/check-model.ts"
import { accepted, usageFault, exitCodes, messageOf } from "../../../app/app-fault.ts"
import type { Args } from "../../command.ts"
import { agentRequest, contextWithWarnings, sessionRequest } from "../../context-options.ts"
import { thinkingOf } from "../../thinking.ts"
import { isFolder } from "../../../app/settings/folder-config.ts"
import { connectHome } from "../../../app/host/home-connection.ts"
import { listSessions, type HomeLog } from "../../../app/sessions/sessions.ts"
import { shellEnvironment } from "../../../app/settings/shell-environment.ts"
import { localCaller } from "../../../app/host/send-command.ts"

const longestName = 200

export async function run(args: Args): Promise<number> {
  if (args.text("model") === "") throw usageFault("--model needs a model, as provider/model")
  thinkingOf(args) // a mistake is reported before anything is started
  const name = lineOf(args, "name")
  const alias = lineOf(args, "alias")
  goTo(args.text("cwd"))
  const context = await contextWithWarnings(args)
  await checkModel(args.text("model"), context)
  const reached = await connectHome(context, "new")
  try {
    await refuseUsedNames(reached.log, [name, alias])
    const aliases = alias === undefined ? undefined : [alias]
    const request = sessionRequest(args, { cwd: context.cwd, origin: "new", ...agentRequest(args), name, aliases })
    const created = accepted(await reached.port.create(request, localCaller("new"), shellEnvironment(process.env)))
    const { sessionId: id } = created.handle
    process.stdout.write(args.flag("json") ? `${JSON.stringify({ id })}\n` : `${id}\n`)
    return exitCodes.done
  } finally {
    await reached.close()
  }
}

function lineOf(args: Args, option: "name" | "alias"): string | undefined {
  const line = args.text(option)?.trim()
  if (line === undefined) return undefined
  if (line === "" || line.length > longestName || /\p{Cc}/u.test(line))
    throw usageFault(`--${option}: use one line of 1 to ${longestName} characters`)
  return line
}

/** As if the command was started there: the folder's configuration and trust apply. */
function goTo(cwd: string | undefined): void {
  if (cwd === undefined) return
  if (!isFolder(cwd)) throw usageFault(`--cwd: ${cwd} is not a folder`)
  try {
    process.chdir(cwd)
  } catch (fault) {
    throw usageFault(`--cwd: cannot enter ${cwd}: ${messageOf(fault)}`)
  }
}

/** A second session with that name could not be found by it. */
async function refuseUsedNames(log: HomeLog, names: readonly (string | undefined)[]): Promise<void> {
  for (const { row, status } of await listSessions(log)) {
    const known = new Set([status.name, ...status.aliases])
    const usedName = names.find((name) => name !== undefined && known.has(name))
    if (usedName !== undefined)
      throw usageFault(`session ${row.sessionId} is already named '${usedName}'. Choose another name.`)
  }
}
