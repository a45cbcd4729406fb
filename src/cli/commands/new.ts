// `turnhouse new`: a session that exists and waits for its first prompt.
import { statSync } from "node:fs"
import { refusalFault, usageFault } from "../cli-fault.ts"
import type { Args } from "../command.ts"
import { startHouse, surroundings, type RunningHouse } from "../compose.ts"
import { exitCodes } from "../exit-codes.ts"
import { configuredSession } from "../new-session.ts"
import { listSessions } from "../sessions.ts"
import { say } from "../terminal.ts"

const longestName = 200

export async function run(args: Args): Promise<number> {
  if (args.positionals.length > 0) throw usageFault("a new session takes no prompt; 'turnhouse run' does")
  const name = nameOf(args)
  goTo(args.text("cwd"))
  const around = await surroundings({ configFile: args.text("config"), profile: args.text("profile") })
  for (const warning of around.warnings) say(`turnhouse: ${warning}`)
  const running = await startHouse(around, { role: "new", approvalWaitMs: undefined })
  try {
    await refuseTaken(running, name)
    const created = await running.house.create({
      origin: "new",
      preset: "careful",
      cwd: around.cwd,
      model: args.text("model") ?? (await running.models.defaultModel()),
      name,
      ...configuredSession(around.config),
    })
    if (created.kind === "refused") throw refusalFault(created.refusal)
    const { id } = created.session
    process.stdout.write(args.flag("json") ? `${JSON.stringify({ id })}\n` : `${id}\n`)
    return exitCodes.done
  } finally {
    await running.close()
  }
}

function nameOf(args: Args): string | undefined {
  const name = args.text("name")?.trim()
  if (name === undefined) return undefined
  if (name === "" || name.length > longestName || /\p{Cc}/u.test(name))
    throw usageFault(`--name takes a line of 1 to ${longestName} characters`)
  return name
}

/** As if the command had been started there: the folder's configuration and trust count. */
function goTo(cwd: string | undefined): void {
  if (cwd === undefined) return
  if (statSync(cwd, { throwIfNoEntry: false })?.isDirectory() !== true) throw usageFault(`--cwd ${cwd} is not a folder`)
  try {
    process.chdir(cwd)
  } catch (fault) {
    throw usageFault(`--cwd ${cwd} cannot be entered: ${fault instanceof Error ? fault.message : String(fault)}`)
  }
}

/** Sessions are found by name: a second one of that name would make both unreachable by it. */
async function refuseTaken({ house }: RunningHouse, name: string | undefined): Promise<void> {
  if (name === undefined) return
  const taken = (await listSessions(house.log)).find(({ status }) => status.name === name)
  if (taken !== undefined) throw usageFault(`session ${taken.row.sessionId} is named '${name}' already`)
}
