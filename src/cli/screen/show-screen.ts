// Shows the screen until the user leaves, and says how to come back.
import { exitCodes } from "../../app/app-fault.ts"
import { onSignals } from "../../app/signals.ts"
import type { ScreenExit } from "../../tui/actions/control.ts"
import type { ScreenPlace } from "../../tui/place.ts"
import { Screen, type ScreenStart } from "../../tui/screen.ts"
import { hangUp } from "../lost-output.ts"
import { holdStderr } from "./hold-stderr.ts"

/** `also`: another command that comes back to the newest session. */
export async function showScreen(place: ScreenPlace, start: ScreenStart, also = ""): Promise<number> {
  const release = holdStderr()
  try {
    const screen = new Screen(place)
    const exit = await Promise.race([screen.run(start), closedBySignal(screen)])
    if (exit.reason === "closed") return exitCodes.hungUp
    printExit(exit, place, also)
    return exitCodes.done
  } finally {
    release()
  }
}

/** The terminal is closed, or the process is asked to end: the session goes on. */
function closedBySignal(screen: Screen): Promise<ScreenExit> {
  const leave = () => screen.leave({ reason: "closed", sessionId: undefined, isWorking: false })
  onSignals(leave, ["SIGTERM", "SIGINT"])
  void hangUp().then(leave)
  return new Promise(() => {}) // the screen resolves
}

function printExit({ sessionId, isWorking }: ScreenExit, { returnCommand }: ScreenPlace, also: string): void {
  if (sessionId === undefined) return
  const state = isWorking ? "detached. The turn goes on. " : ""
  process.stdout.write(`${state}Come back: ${returnCommand(sessionId)}${also}\n`)
}
