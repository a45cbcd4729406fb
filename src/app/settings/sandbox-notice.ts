// Warns once per session, before its first shell command, that it runs without a sandbox: on stderr and on every door.
import type { Sandbox } from "../../processes/sandbox.ts"
import type { SessionContext } from "../../runner/session-context.ts"
import { installCommand } from "../doctor/install-bubblewrap.ts"
import type { Gate } from "../../runner/session-context.ts"

/** Also shown by `doctor`. docs/tools.md has the full list. */
export const shellRisk =
  "an allowed shell command can read and change the home folder, and have another program approve calls for it"

export function sandboxNotice(tool: string, why: string): string {
  const install = why.includes("not installed") ? installCommand() : undefined
  const advice = install === undefined ? "" : ` To install it: ${install.join(" ")}`
  return `${tool} runs without a sandbox (${why}): ${shellRisk}.${advice}`
}

/** Decides nothing. */
export function sandboxNoticeGate(sandbox: Sandbox, commands: readonly string[]): Gate {
  const informed = new WeakSet<SessionContext>()
  return async ({ session, tool }) => {
    if (!commands.includes(tool.name) || informed.has(session)) return undefined
    informed.add(session)
    const state = await sandbox.state()
    if (state.kind === "on") return undefined
    const message = sandboxNotice(tool.name, state.why)
    session.services.warn(message, session.id)
    session.warn(message)
    return undefined
  }
}
