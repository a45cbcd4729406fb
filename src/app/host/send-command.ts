// Sends commands to sessions: to the process that has the session open, else to the background host, which opens it.
import type { SessionCommand } from "../../contract/commands.ts"
import type { HostPort, SessionHandle } from "../../contract/host-port.ts"
import type { SessionId } from "../../contract/ids.ts"
import type { By } from "../../contract/values.ts"
import { accepted } from "../app-fault.ts"
import { loadContextLeniently, type AppContext } from "../context.ts"
import { localUser } from "../local-user.ts"
import { connectHome, type HomeConnection } from "./home-connection.ts"
import { shellEnvironment } from "../settings/shell-environment.ts"

/** `door`: the kind of client, as other clients of the session see it. */
export async function withHomeConnection<Value>(
  door: string,
  use: (reached: HomeConnection, context: AppContext) => Promise<Value>,
): Promise<Value> {
  const context = await loadContextLeniently()
  const reached = await connectHome(context, door)
  try {
    return await use(reached, context)
  } finally {
    await reached.close()
  }
}

export async function openSession(port: HostPort, sessionId: SessionId, door: string): Promise<SessionHandle> {
  const opened = accepted(await port.open(sessionId, localCaller(door), shellEnvironment(process.env)))
  return opened.handle
}

/** Resolves when the session has stored it. */
export async function sendCommand(handle: SessionHandle, command: SessionCommand): Promise<number> {
  const sent = accepted(await handle.send(command))
  return sent.seq
}

export function localCaller(door: string): By {
  return { principal: localUser(), door }
}
