// Refuses a command that a tool or an extension of the same home started: an agent could approve or drive itself. A
// Turnhouse with another home works inside a tool.
import { existsSync } from "node:fs"
import { ConfigFault } from "../config/faults.ts"
import { homeFolder } from "../config/home.ts"
import { marksOfSelf } from "../processes/peer-process.ts"
import { homeTag, toolLimitOf } from "../processes/tool-limit.ts"
import { AppFault, exitCodes } from "./app-fault.ts"
import { socketPath } from "./host/socket-path.ts"

export function refuseToolProcess(command: string, env: NodeJS.ProcessEnv = process.env): void {
  const home = requestedHome(env)
  if (home === undefined || !isToolProcessOf(home)) return
  throw new AppFault(
    `'${command}' is refused: a tool of an agent started it, and ${home} is the home of that agent. Run it in your own terminal.`,
    exitCodes.refused,
  )
}

/** The limit names the home and survives a cleared environment; the mark names the host where no limit could be set. */
function isToolProcessOf(home: string): boolean {
  const { level, tag } = toolLimitOf(process.pid) ?? { level: 0, tag: 0 }
  if (level > 0 && (tag === 0 || tag === homeTag(home))) return true
  return [...marksOfSelf()].some((mark) => existsSync(socketPath(home, mark.split(":", 1)[0] ?? "")))
}

/** A home that cannot be used is reported by the command itself. */
function requestedHome(env: NodeJS.ProcessEnv): string | undefined {
  try {
    return homeFolder(env)
  } catch (fault) {
    if (fault instanceof ConfigFault) return undefined
    throw fault
  }
}
