// Opens the local sockets of a host: its control socket, and a session socket for each open session.
import { openControlSocket } from "./control-socket.ts"
import type { RunningHost } from "../compose.ts"
import { SessionSockets } from "../session-sockets/session-sockets.ts"
import type { AppContext } from "../context.ts"

export interface LocalDoors {
  readonly sessions: SessionSockets
  close(): Promise<void>
}

export async function openLocalDoors(context: AppContext, running: RunningHost): Promise<LocalDoors> {
  const control = await openControlSocket(context.home, running)
  const sessions = new SessionSockets(context, running)
  const close = async () => {
    await sessions.close()
    await control.close()
  }
  return { sessions, close }
}
