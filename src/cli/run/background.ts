// What `run` does with its turn when its terminal is closed: the background host is started unless one runs, and gets
// the session as soon as no tool process of this process runs in it.
import type { JsonValue } from "../../contract/values.ts"
import type { SessionId } from "../../contract/ids.ts"
import { backgroundHost } from "../../app/host/background-host.ts"
import { ask } from "../attach/answers.ts"
import { CliFault } from "../../app/app-fault.ts"
import type { RunningHouse } from "../../app/compose.ts"
import { Connections } from "../../app/host/connections.ts"
import { reach } from "../../app/host/home-connection.ts"
import type { Surroundings } from "../../app/context.ts"
import { openHandle } from "../../app/host/send-command.ts"
import { say, styled } from "../../app/terminal.ts"

const door = "run"

/**
 * Starts the background host unless one runs. True if it can use every provider that this process can: its environment
 * is that of the command that started it, and may lack a key.
 */
export async function backgroundHostCanContinue({ home }: Surroundings, running: RunningHouse): Promise<boolean> {
  const connections = new Connections(home, door)
  try {
    const host = await backgroundHost(home, running.house.log, connections)
    const providers = await ask(host, { type: "models" }, providersIn)
    return (await running.models.list()).every(({ provider }) => providers.has(provider))
  } catch (fault) {
    if (!(fault instanceof CliFault)) throw fault
    say(`turnhouse: ${fault.message}`)
    return false
  } finally {
    connections.close()
  }
}

/** If no host can take it, the session is left open as it is, and the next host continues it. */
export async function handOver(around: Surroundings, sessionId: SessionId): Promise<void> {
  const reached = await reach(around, door)
  try {
    await openHandle(reached.port, sessionId, door)
    say(styled("dim", `the session continues in the background; turnhouse attach ${sessionId} shows it`))
  } catch (fault) {
    if (!(fault instanceof CliFault)) throw fault
    say(`turnhouse: the session is left open; ${fault.message}`)
  } finally {
    await reached.close()
  }
}

function providersIn(value: JsonValue): ReadonlySet<unknown> | undefined {
  return Array.isArray(value) ? new Set(value.map(providerOf)) : undefined
}

function providerOf(listed: unknown): unknown {
  return typeof listed === "object" && listed !== null && "provider" in listed ? listed.provider : undefined
}
