// Hands the turn of `run` over to the background host when the terminal is closed, as soon as no tool process of this
// process runs in it.
import type { SessionId } from "../../contract/ids.ts"
import { backgroundHost } from "../../app/host/background-host.ts"
import { ask } from "../attach/answers.ts"
import { AppFault } from "../../app/app-fault.ts"
import type { RunningHost } from "../../app/compose.ts"
import { Connections } from "../../app/host/connections.ts"
import { connectHome } from "../../app/host/home-connection.ts"
import type { AppContext } from "../../app/context.ts"
import { openSession } from "../../app/host/send-command.ts"
import { printNotice, styled } from "../../app/terminal.ts"

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
