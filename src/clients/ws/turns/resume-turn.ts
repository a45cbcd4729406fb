// Finds out what became of a turn after a reconnect. A running turn is sent again by the server; an ended one has its
// reply among the messages; a message that certainly did not arrive is sent again. In all other cases the turn is lost:
// nothing is sent twice on a guess. With `resend: "always"` the message is simply repeated, and the server decides.
import type { Connection } from "../connection/connection.ts"
import { ConnectionLost, RequestRefused, TurnCancelled } from "../faults.ts"
import { findOutcome, type MessagePage, type TurnOutcome } from "../messages.ts"
import type { Resend, Timeouts } from "../options.ts"
import type { OpenTurn } from "./open-turn.ts"

export interface ResumeContext {
  readonly timeouts: Timeouts
  readonly resend: Resend
  newestMessages(connection: Connection): Promise<MessagePage>
  /** Joins the conversation again, and so a turn that started meanwhile. */
  rejoin(connection: Connection): Promise<void>
  sendMessage(turn: OpenTurn, connection: Connection): void
  sendCancel(turn: OpenTurn, connection: Connection): void
  pause(ms: number): Promise<void>
}

/** Never rejects: a fault ends the turn, unless the next connection resumes it. */
export async function resumeTurn(turn: OpenTurn, connection: Connection, context: ResumeContext): Promise<void> {
  try {
    await resume(turn, connection, context)
  } catch (fault) {
    if (fault instanceof ConnectionLost || connection.isOver) return // the next connection resumes it
    turn.lose("the connection was lost, and the outcome of the turn could not be determined", fault)
  }
}

async function resume(turn: OpenTurn, connection: Connection, context: ResumeContext): Promise<void> {
  if (context.resend === "always" && turn.outgoing !== undefined && !turn.isCancelRequested)
    return repeat(turn, connection, context)
  const outcome = await currentOutcome(turn, connection, context)
  if (turn.isOver) return
  if (turn.isSeen) return follow(turn, connection, context)
  if (outcome.kind === "replied") return turn.endFromMessage(outcome.reply)
  if (turn.phase === "stored" || outcome.kind === "stored") return awaitEnd(turn, connection, context)
  if (outcome.kind === "unknown") return turn.lose(arrivalUnknown)
  await sendAgain(turn, connection, context)
}

function repeat(turn: OpenTurn, connection: Connection, context: ResumeContext): void {
  if (turn.isOver || turn.isSeen) return // the server already sends it on this connection
  turn.isRepeated = true
  context.sendMessage(turn, connection)
}

/** The message may still be on its way and arrive after the reconnect, so it is looked for twice. */
async function sendAgain(turn: OpenTurn, connection: Connection, context: ResumeContext): Promise<void> {
  if (turn.isCancelRequested) return turn.fail(new TurnCancelled())
  await context.pause(context.timeouts.settleMs)
  const isBusy = await hasTurn(connection, context)
  const outcome = await currentOutcome(turn, connection, context)
  if (turn.isOver || turn.isSeen) return
  if (outcome.kind !== "absent") return resume(turn, connection, context)
  if (isBusy) return turn.lose(arrivalUnknown) // it may be queued behind another client's turn
  context.sendMessage(turn, connection)
}

const arrivalUnknown = "the connection was lost, and whether the message arrived is not known"

/**
 * The message is stored and has no reply. If the turn runs on this connection, its end will arrive. It may have started
 * after the client joined, so joining is tried once more.
 */
async function awaitEnd(turn: OpenTurn, connection: Connection, context: ResumeContext): Promise<void> {
  turn.markStored()
  if (await willEnd(turn, connection, context)) return follow(turn, connection, context)
  if (!turn.isOver) await context.rejoin(connection)
  if (await willEnd(turn, connection, context)) return follow(turn, connection, context)
  turn.lose("the connection was lost, and the turn ended without a reply or runs where this client cannot see it")
}

async function willEnd(turn: OpenTurn, connection: Connection, context: ResumeContext): Promise<boolean> {
  if (turn.isOver || turn.isSeen || (await hasTurn(connection, context))) return true
  const outcome = await currentOutcome(turn, connection, context) // it may have ended in between
  if (!turn.isSeen && outcome.kind === "replied") turn.endFromMessage(outcome.reply)
  return turn.isOver || turn.isSeen
}

function follow(turn: OpenTurn, connection: Connection, context: ResumeContext): void {
  if (turn.isCancelRequested && !turn.isOver) context.sendCancel(turn, connection)
}

async function currentOutcome(turn: OpenTurn, connection: Connection, context: ResumeContext): Promise<TurnOutcome> {
  const page = await context.newestMessages(connection)
  const { outgoing, sentAfter, phase } = turn
  return findOutcome(page, { text: outgoing?.text, sentAfter, isAccepted: phase === "stored" })
}

const unknownSession = "00000000-0000-0000-0000-000000000000"

/** A server that runs a turn on this connection refuses a message for that reason before it checks the session id. */
async function hasTurn(connection: Connection, { timeouts }: ResumeContext): Promise<boolean> {
  const probe = { sessionId: unknownSession, message: "?" }
  try {
    await connection.request("send_message", probe, { timeoutMs: timeouts.requestMs })
    return false
  } catch (fault) {
    if (fault instanceof RequestRefused) return fault.code === "TURN_IN_PROGRESS"
    throw fault
  }
}
