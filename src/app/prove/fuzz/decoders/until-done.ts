import { setImmediate as turnOfTheLoop } from "node:timers/promises"

/** Calls back at each turn of the event loop, until the work has ended. */
export async function untilDone<Value>(work: Promise<Value>, onTurn: () => void): Promise<Value> {
  const state = { isDone: false }
  const ended = work.finally(() => (state.isDone = true))
  ended.catch(() => {}) // returned below
  while (!state.isDone) {
    onTurn()
    await turnOfTheLoop()
  }
  return ended
}
