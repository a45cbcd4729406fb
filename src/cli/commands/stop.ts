// `turnhouse stop ID`: ends a session for certain. One that is open in another process is ended there; if that process
// cannot be reached it is asked to leave, and the session is taken over.
import { setTimeout as sleep } from "node:timers/promises"
import type { SendOutcome } from "../../contract/house-port.ts"
import { findSession } from "../../host/directory.ts"
import type { House } from "../../host/house.ts"
import type { SessionRow } from "../../log/event-log.ts"
import type { SessionActor } from "../../runner/session-actor.ts"
import { CliFault, refusalFault, usageFault } from "../cli-fault.ts"
import type { Args } from "../command.ts"
import { localUser, startHouse, surroundings } from "../compose.ts"
import { exitCodes } from "../exit-codes.ts"
import { tellOwner } from "../tell-session.ts"

const patienceMs = 5000
const pollMs = 50
const end = { type: "end", when: "now" } as const

export async function run(args: Args): Promise<number> {
  const [wanted] = args.positionals
  if (wanted === undefined) throw usageFault("name a session; 'turnhouse ls' shows what there is")
  const around = await surroundings()
  const running = await startHouse(around, { role: "stop", approvalWaitMs: 0 })
  try {
    const found = await findSession(running.house.log, wanted)
    if (found.kind === "refused") throw refusalFault(found.refusal)
    const ended = (await tellOwner(around.home, found.value, end)) ?? (await endHere(running.house, found.value))
    if (ended.kind === "refused") throw refusalFault(ended.refusal)
    const { sessionId } = found.value
    process.stdout.write(
      args.flag("json") ? `${JSON.stringify({ id: sessionId, life: "ended" })}\n` : `session ${sessionId} has ended\n`,
    )
    return exitCodes.done
  } finally {
    await running.close()
  }
}

async function endHere(house: House, row: SessionRow): Promise<SendOutcome> {
  const session = await takeOver(house, row)
  const ended = await session.send(end, { principal: localUser(), door: "cli" })
  session.begin() // children are ended as well
  return ended
}

async function takeOver(house: House, row: SessionRow): Promise<SessionActor> {
  if (row.owner !== undefined) askToLeave(row.owner.pid)
  for (const deadline = Date.now() + patienceMs; ; await sleep(pollMs)) {
    const opened = await house.open(row.sessionId, "at rest")
    if (opened.kind === "opened") return opened.session
    if (opened.refusal.code !== "session.owned" || Date.now() > deadline) throw refusalFault(opened.refusal)
  }
}

function askToLeave(pid: number): void {
  try {
    process.kill(pid, "SIGTERM")
  } catch (fault) {
    const gone = fault instanceof Error && "code" in fault && fault.code === "ESRCH"
    if (!gone) throw new CliFault(`process ${pid} has the session open and cannot be asked to leave`, exitCodes.failed)
  }
}
