// `turnhouse undo [ID]`: takes back the newest turns of a session with their changes of files. The host that has the
// session open does it.
import { exitCodes, usageFault } from "../../../app/app-fault.ts"
import type { HomeConnection } from "../../../app/host/home-connection.ts"
import { ask, openSession, sendCommand, withHomeConnection } from "../../../app/host/send-command.ts"
import { SessionView } from "../../../app/sessions/session-view.ts"
import { newestIn, sessionNamed, type HomeLog } from "../../../app/sessions/sessions.ts"
import { printNotice } from "../../../app/terminal.ts"
import type { SessionId } from "../../../contract/ids.ts"
import { printable } from "../../../contract/text/text.ts"
import type { UndoReport } from "../../../contract/views/undo.ts"
import { undoText } from "../../../features/undo/report-text.ts"
import type { Args } from "../../command.ts"
import { printResult } from "../../output.ts"

const door = "undo"
const MAX_TURNS = 1000

export function run(args: Args): Promise<number> {
  const turns = turnsOf(args)
  return withHomeConnection(door, async (home, { cwd }) => {
    const sessionId = await chosenSession(args, home.log, cwd)
    const isPlan = args.flag("dry-run")
    const report = isPlan
      ? await ask(home.port, { type: "undo-plan", sessionId, turns })
      : await undo(args, home, sessionId, turns)
    printResult(args, { sessionId, ...report }, () => `${undoText(report, isPlan).map(printable).join("\n")}\n`)
    return report.conflicts > 0 || report.refused !== undefined ? exitCodes.failed : exitCodes.done
  })
}

/** An undo that a dead host left unfinished is finished by opening the session, and nothing more is undone. */
async function undo(args: Args, home: HomeConnection, sessionId: SessionId, turns: number): Promise<UndoReport> {
  const { state } = await SessionView.read(home.log, sessionId)
  const handle = await openSession(home.port, sessionId, door)
  if (state.undoing !== undefined) printNotice("finishing the undo that was interrupted")
  else await sendCommand(handle, { type: "undo", turns, keepFiles: args.flag("keep-files") ? true : undefined })
  const { report } = await ask(home.port, { type: "undo-report", sessionId })
  if (report === undefined) throw new Error("the host has no report of the undo")
  return report
}

async function chosenSession(args: Args, log: HomeLog, cwd: string): Promise<SessionId> {
  const [idOrName] = args.positionals
  if (idOrName !== undefined) return (await sessionNamed(log, idOrName)).sessionId
  const newest = await newestIn(log, cwd)
  if (newest === undefined) throw usageFault("no session in this folder. 'turnhouse ls' lists the sessions of others.")
  return newest.sessionId
}

function turnsOf(args: Args): number {
  const text = args.text("turns") ?? "1"
  const turns = Number(text)
  if (/^\d+$/.test(text) && turns >= 1 && turns <= MAX_TURNS) return turns
  throw usageFault(`--turns: '${text}' is not a number from 1 to ${MAX_TURNS}.`)
}
