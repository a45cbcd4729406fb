// One command to a session, wherever it lives. If a process has it open, it is told there; if nobody has, it is opened
// at rest, told, and closed again: what follows from the command happens when somebody opens it to work.
import type { SessionCommand } from "../contract/commands.ts"
import type { SendOutcome } from "../contract/house-port.ts"
import type { House } from "../host/house.ts"
import type { SessionRow } from "../log/event-log.ts"
import { refusalFault } from "./cli-fault.ts"
import { localUser, startHouse, surroundings } from "./compose.ts"
import { connectToHost } from "./control-socket.ts"
import { openElsewhere } from "./sessions.ts"

export interface CommandHouse {
  readonly home: string
  readonly house: House
}

/** A house for one command. Its log is there for reading as well. */
export async function withHouse<Value>(role: string, use: (around: CommandHouse) => Promise<Value>): Promise<Value> {
  const around = await surroundings()
  const running = await startHouse(around, { role, approvalWaitMs: undefined })
  try {
    return await use({ home: around.home, house: running.house })
  } finally {
    await running.close()
  }
}

/** Where it was told: a live session goes on by itself. */
export async function tellSession(
  { home, house }: CommandHouse,
  row: SessionRow,
  command: SessionCommand,
): Promise<"live" | "at rest"> {
  const there = await tellOwner(home, row, command)
  if (there?.kind === "refused") throw refusalFault(there.refusal)
  if (there !== undefined) return "live"
  if (row.owner !== undefined) throw openElsewhere(row.sessionId, row.owner, "it does not answer")
  const opened = await house.open(row.sessionId, "at rest")
  if (opened.kind === "refused") throw refusalFault(opened.refusal)
  const sent = await opened.session.send(command, { principal: localUser(), door: "cli" })
  if (sent.kind === "refused") throw refusalFault(sent.refusal)
  return "at rest"
}

/** Nothing when nobody has it open, or whoever has it cannot be reached. */
export async function tellOwner(
  home: string,
  { sessionId, owner }: SessionRow,
  command: SessionCommand,
): Promise<SendOutcome | undefined> {
  const client = owner === undefined ? undefined : await connectToHost(home, owner.hostId)
  if (client === undefined) return undefined
  const sent = await client.send(sessionId, command)
  client.close()
  const isElsewhere =
    sent.kind === "refused" && (sent.refusal.code === "host.gone" || sent.refusal.code === "session.unknown")
  return isElsewhere ? undefined : sent
}
