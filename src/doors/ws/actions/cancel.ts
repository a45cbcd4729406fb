// Cancels the turn of this socket, whatever id the frame names. Without one nothing is sent.
import type { ActionHandler, ActiveTurn } from "../connection.ts"

export const cancel: ActionHandler<"cancel"> = async (connection) => {
  const { activeTurn } = connection
  if (activeTurn === undefined) return
  if (isRunning(activeTurn)) return interrupt(activeTurn)
  if (activeTurn.promptId === undefined) return
  const withdrawn = await activeTurn.handle.send({ type: "withdraw", promptId: activeTurn.promptId })
  if (withdrawn.kind === "accepted" || connection.activeTurn !== activeTurn) return
  if (isRunning(activeTurn)) return interrupt(activeTurn) // its turn started meanwhile
  activeTurn.cancelRequested = true // its turn started in another process; its events will arrive
}

/** By id, so that another visitor's turn that has just started is not interrupted. */
async function interrupt({ conversation, handle }: ActiveTurn): Promise<void> {
  const turnId = conversation.turn?.turnId
  if (turnId !== undefined) await handle.send({ type: "interrupt", turnId })
}

function isRunning({ conversation, promptId, turnId }: ActiveTurn): boolean {
  const { turn } = conversation
  if (turn === undefined) return false
  return turn.turnId === turnId || (promptId !== undefined && turn.promptIds.has(promptId))
}
