// What becomes of a turn after the connection was lost and found again. A server that has it running tells it once more;
// one that has ended it has the reply among the messages; a message that certainly never arrived is sent again. In all
// other cases the caller is told: nothing is sent twice on a guess. A server that is known to store a message once is
// simply told it again, and says itself what became of it.
import type { Connection } from "./connection.ts"
import { ConnectionLost, RequestRefused, TurnCancelled } from "./faults.ts"
import type { OpenTurn } from "./open-turn.ts"
import type { Resend, Timeouts } from "./options.ts"
import { fateOf, type Fate, type MessagePage } from "./rows.ts"

export interface Resuming {
  readonly timeouts: Timeouts
  readonly resend: Resend
  newestMessages(connection: Connection): Promise<MessagePage>
  /** Comes into the conversation once more, and so into a turn that has begun meanwhile. */
  rejoin(connection: Connection): Promise<void>
  transmit(turn: OpenTurn, connection: Connection): void
  tellCancel(turn: OpenTurn, connection: Connection): void
  pause(ms: number): Promise<void>
}

/** Never rejects: what went wrong is the end of the turn, or there is another connection already. */
export async function resumeTurn(turn: OpenTurn, connection: Connection, deps: Resuming): Promise<void> {
  try {
    await settle(turn, connection, deps)
  } catch (fault) {
    if (fault instanceof ConnectionLost || connection.isOver) return // the next connection sees to it
    turn.lost("the connection was lost, and what became of the turn could not be found out", fault)
  }
}

async function settle(turn: OpenTurn, connection: Connection, deps: Resuming): Promise<void> {
  if (deps.resend === "always" && turn.outgoing !== undefined && !turn.isCancelWanted)
    return repeat(turn, connection, deps)
  const fate = await fateNow(turn, connection, deps)
  if (turn.isOver) return
  if (turn.isHeard) return carryOn(turn, connection, deps)
  if (fate.kind === "replied") return turn.endedWith(fate.reply)
  if (turn.phase === "stored" || fate.kind === "stored") return awaitEnd(turn, connection, deps)
  if (fate.kind === "unknown") return turn.lost(cannotTell)
  await sendAgain(turn, connection, deps)
}

/** One that has been told here already goes on by itself. */
function repeat(turn: OpenTurn, connection: Connection, deps: Resuming): void {
  if (turn.isOver || turn.isHeard) return
  turn.isRepeated = true
  deps.transmit(turn, connection)
}

/** On its way to the server, a message may be slower than the connection that follows: it is looked for twice. */
async function sendAgain(turn: OpenTurn, connection: Connection, deps: Resuming): Promise<void> {
  if (turn.isCancelWanted) return turn.fail(new TurnCancelled())
  await deps.pause(deps.timeouts.settleMs)
  const isBusy = await hasTurn(connection, deps)
  const fate = await fateNow(turn, connection, deps)
  if (turn.isOver || turn.isHeard) return
  if (fate.kind !== "absent") return settle(turn, connection, deps)
  if (isBusy) return turn.lost(cannotTell) // it may wait behind a turn of somebody else, where it is not seen
  deps.transmit(turn, connection)
}

const cannotTell = "the connection was lost, and whether the message has arrived cannot be told"

/**
 * The message is there and no reply. If the turn is this connection's, its end will be told. It may have begun after the
 * client came in, so that is tried once more; else it is out of sight.
 */
async function awaitEnd(turn: OpenTurn, connection: Connection, deps: Resuming): Promise<void> {
  turn.stored()
  if (await isToBeTold(turn, connection, deps)) return carryOn(turn, connection, deps)
  if (!turn.isOver) await deps.rejoin(connection)
  if (await isToBeTold(turn, connection, deps)) return carryOn(turn, connection, deps)
  turn.lost("the connection was lost, and the turn ended without a reply or goes on out of sight")
}

async function isToBeTold(turn: OpenTurn, connection: Connection, deps: Resuming): Promise<boolean> {
  if (turn.isOver || turn.isHeard || (await hasTurn(connection, deps))) return true
  const fate = await fateNow(turn, connection, deps) // it may have ended in between
  if (!turn.isHeard && fate.kind === "replied") turn.endedWith(fate.reply)
  return turn.isOver || turn.isHeard
}

function carryOn(turn: OpenTurn, connection: Connection, deps: Resuming): void {
  if (turn.isCancelWanted && !turn.isOver) deps.tellCancel(turn, connection)
}

async function fateNow(turn: OpenTurn, connection: Connection, deps: Resuming): Promise<Fate> {
  const page = await deps.newestMessages(connection)
  const { outgoing, sentAfter, phase } = turn
  return fateOf(page, { text: outgoing?.text, sentAfter, isAccepted: phase === "stored" })
}

const noSession = "00000000-0000-0000-0000-000000000000"

/** A connection that has a turn refuses a message for that reason before it looks whom the message is for. */
async function hasTurn(connection: Connection, { timeouts }: Resuming): Promise<boolean> {
  try {
    await connection.ask("send_message", { sessionId: noSession, message: "?" }, { timeoutMs: timeouts.requestMs })
    return false
  } catch (fault) {
    if (fault instanceof RequestRefused) return fault.code === "TURN_IN_PROGRESS"
    throw fault
  }
}
