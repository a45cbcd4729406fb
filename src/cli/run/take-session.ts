// The session that a command line means for its prompt: a new one, the one it names, or the newest of the folder. It is
// the same whether it comes to run in this process or is reached in another one.
import type { HostPort, SessionHandle } from "../../contract/host-port.ts"
import type { EventLog, SessionRow } from "../../log/event-log.ts"
import { refusalFault, usageFault } from "../../app/app-fault.ts"
import type { Args } from "../command.ts"
import type { AppContext } from "../../app/context.ts"
import { configuredSession } from "../../app/settings/new-session.ts"
import { newestIn, sessionNamed } from "../../app/sessions/sessions.ts"
import { shellEnvironment } from "../../app/settings/shell-environment.ts"
import { openSession, sendCommand, localCaller } from "../../app/host/send-command.ts"
import { SessionView } from "./session-view.ts"
import { sessionRequest } from "./session-request.ts"

const door = "run"

/** `over`: no prompt was given, and the last turn has ended. */
export type Taken = TakenSession | { readonly kind: "over"; readonly view: SessionView }

export interface TakenSession {
  readonly kind: "taken"
  readonly handle: SessionHandle
  /** As it was before it was opened: what came after has not been shown yet. */
  readonly view: SessionView
}

export function takeSession(
  args: Args,
  context: AppContext,
  log: EventLog,
  port: HostPort,
  prompt: string,
): Promise<Taken> {
  return resumes(args) ? resume(args, context, log, port, prompt) : begin(args, context, port)
}

async function begin(args: Args, { cwd }: AppContext, port: HostPort): Promise<Taken> {
  const wish = sessionRequest(args, { cwd, origin: "run", preset: "careful" })
  const created = await port.create(wish, localCaller(door), shellEnvironment(process.env))
  if (created.kind === "refused") throw refusalFault(created.refusal)
  return { kind: "taken", handle: created.handle, view: SessionView.empty(created.handle.sessionId) }
}

async function resume(args: Args, { cwd }: AppContext, log: EventLog, port: HostPort, prompt: string): Promise<Taken> {
  const { sessionId } = await wantedSession(args, cwd, log)
  const view = await SessionView.read(log, sessionId)
  if (prompt === "" && isOver(view)) return { kind: "over", view }
  const handle = await openSession(port, sessionId, door)
  const model = args.text("model")
  if (model !== undefined) await sendCommand(handle, { type: "select-model", model })
  return { kind: "taken", handle, view }
}

function isOver({ state, sessionId }: SessionView): boolean {
  if (state.turn !== undefined || state.waiting.length > 0) return false
  if (state.turnEnds.length > 0) return true
  throw usageFault(`session ${sessionId} has had no turn yet; give a prompt`)
}

async function wantedSession(args: Args, cwd: string, log: EventLog): Promise<SessionRow> {
  const wanted = args.text("session")
  if (wanted !== undefined) return sessionNamed(log, wanted)
  const newest = await newestIn(log, cwd)
  if (newest === undefined) throw usageFault("there is no session in this folder to continue")
  return newest
}

export function resumes(args: Args): boolean {
  return args.text("session") !== undefined || args.flag("continue")
}

/** Whoever resumes a turn that waits for money wants it tried again, with what the configuration gives now. */
export async function unpark(handle: SessionHandle, view: SessionView, { config }: AppContext): Promise<void> {
  if (view.state.asleep) await sendCommand(handle, { type: "wake" })
  const parked = view.state.turn?.parked
  if (parked === undefined) return
  const { budget } = configuredSession(config)
  await handle.send(parked.why === "budget" ? { type: "raise-budget", budget } : { type: "resume" })
}
