// Hands the turn of `run` over to the background host when the terminal is closed, as soon as no tool process of this
// process runs in it.
import type { SessionId } from "../../contract/ids.ts"
import { limits } from "../../contract/limits.ts"
import { requiredEffects } from "../../session/required-effects.ts"
import { AppFault } from "../app-fault.ts"
import type { RunningHost } from "../compose.ts"
import type { AppContext } from "../context.ts"
import { printNotice, styled } from "../terminal.ts"
import { backgroundHost } from "./background-host.ts"
import { Connections } from "./connections.ts"
import { connectHome } from "./home-connection.ts"
import { ask, openSession } from "./send-command.ts"

const door = "run"

/**
 * Starts the background host if none runs. True if it can use the same providers as this process: its environment is
 * that of the command that started it, and may lack a key.
 */
export async function backgroundHostCanContinue({ home }: AppContext, running: RunningHost): Promise<boolean> {
  const connections = new Connections(home, door)
  try {
    const host = await backgroundHost(home, running.host.log, connections)
    const models = await ask(host, { type: "models" })
    const providers = new Set(models.map(({ provider }) => provider))
    return (await running.models.list()).every(({ provider }) => providers.has(provider))
  } catch (fault) {
    if (!(fault instanceof AppFault)) throw fault
    printNotice(`turnhouse: ${fault.message}`)
    return false
  } finally {
    connections.close()
  }
}

/** If no host can take it, the session stays open and the next host continues it. */
export async function handOver(context: AppContext, sessionId: SessionId): Promise<void> {
  const reached = await connectHome(context, door)
  try {
    await openSession(reached.port, sessionId, door)
    printNotice(styled("dim", `the session continues in the background; turnhouse attach ${sessionId} shows it`))
  } catch (fault) {
    if (!(fault instanceof AppFault)) throw fault
    printNotice(`turnhouse: the session is left open; ${fault.message}`)
  } finally {
    await reached.close()
  }
}

/** The turn is over, but other clients have prompted the session in this process, or its sub-agents still work. */
export async function isUnfinished({ host }: RunningHost, sessionId: SessionId): Promise<boolean> {
  const opened = await host.opened(sessionId)
  return opened.kind === "opened" && requiredEffects(opened.session.state).length > 0
}

/** Tool processes belong to this process, which stays without a terminal until the last of them has ended. */
export async function leaveToBackground({ host }: RunningHost): Promise<void> {
  await host.log.changeRole(host.lease, "run, in the background")
  await host.leave(limits.leaveMs, { finishProcesses: true })
}
