// The doors that every host of this home has for other processes of the same user: its control socket, and a socket for
// each session it has open.
import { openControlSocket } from "./control-socket.ts"
import type { RunningHouse } from "../compose.ts"
import { SessionDoors } from "../session-sockets/session-sockets.ts"
import type { Surroundings } from "../context.ts"

export interface LocalDoors {
  readonly sessions: SessionDoors
  close(): Promise<void>
}

export async function openLocalDoors(around: Surroundings, running: RunningHouse): Promise<LocalDoors> {
  const control = await openControlSocket(around.home, running)
  const sessions = new SessionDoors(around, running)
  const close = async () => {
    await sessions.close()
    await control.close()
  }
  return { sessions, close }
}
