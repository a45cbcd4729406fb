// The session for the prompt of `run`: a new one, the one it names, or the newest of the folder. It runs in this process
// unless another process has it open.
import type { HostPort, SessionHandle } from "../../contract/host-port.ts"
import type { SessionId } from "../../contract/ids.ts"
import { accepted, refusalFault, usageFault } from "../../app/app-fault.ts"
import type { Args } from "../command.ts"
import type { AppContext } from "../../app/context.ts"
import { configuredSession } from "../../app/settings/new-session.ts"
import { newestIn, sessionNamed, type HomeLog } from "../../app/sessions/sessions.ts"
import { shellEnvironment } from "../../app/settings/shell-environment.ts"
import { openSession, sendCommand, localCaller } from "../../app/host/send-command.ts"
import type { SessionOptions } from "../../contract/session-options.ts"
import type { Budget } from "../../contract/values.ts"
import { SessionView } from "../../app/sessions/session-view.ts"
import { agentRequest, sessionRequest } from "../context-options.ts"
import { thinkingOf } from "../thinking.ts"

const door = "run"

/** `over`: no prompt was given, and the last turn has ended. */
export type RunSession = OpenedSession | { readonly kind: "over"; readonly view: SessionView }

export interface OpenedSession {
  readonly kind: "taken"
  readonly handle: SessionHandle
  /** As it was before it was opened: what came after has not been shown yet. */
  readonly view: SessionView
  /** This process runs it. */
  readonly isInThisProcess: boolean
}

export interface SessionSource {
  readonly log: HomeLog
  /** Every session of the home, wherever it is open. */
  readonly port: HostPort
  /** This process, where it can run the session. */
  readonly ownPort?: HostPort
}

/** Where the session works, and whose settings apply if not those of that folder. */
export type SessionPlace = Pick<SessionOptions, "cwd" | "settingsFolder">

export function openRunSession(
  args: Args,
  place: SessionPlace,
  source: SessionSource,
  prompt: string,
): Promise<RunSession> {
  return resumes(args) ? resume(args, place, source, prompt) : create(args, place, source)
}

async function create(args: Args, place: SessionPlace, { port, ownPort: here }: SessionSource): Promise<RunSession> {
  const request = sessionRequest(args, { ...place, origin: "run", ...agentRequest(args) })
  const created = accepted(await (here ?? port).create(request, localCaller(door), shellEnvironment(process.env)))
  const { handle } = created
  return { kind: "taken", handle, view: SessionView.empty(handle.sessionId), isInThisProcess: here !== undefined }
}

async function resume(args: Args, { cwd }: SessionPlace, source: SessionSource, prompt: string): Promise<RunSession> {
  const { sessionId } = await findRunSession(args, cwd, source.log)
  const view = await SessionView.read(source.log, sessionId)
  if (prompt === "" && isOver(view)) return { kind: "over", view }
  const ownHandle = await openInThisProcess(source, sessionId)
  const handle = ownHandle ?? (await openSession(source.port, sessionId, door))
  const model = args.text("model")
  if (model !== undefined) await sendCommand(handle, { type: "select-model", model })
  const level = thinkingOf(args)
  if (level !== undefined) await sendCommand(handle, { type: "select-thinking", level })
  return { kind: "taken", handle, view, isInThisProcess: ownHandle !== undefined }
}

/** Nothing when another process has it open. */
async function openInThisProcess(
  { ownPort: here }: SessionSource,
  sessionId: SessionId,
): Promise<SessionHandle | undefined> {
  const opened = await here?.open(sessionId, localCaller(door), shellEnvironment(process.env))
  if (opened?.kind === "opened") return opened.handle
  if (opened === undefined || opened.refusal.code === "session.owned") return undefined
  throw refusalFault(opened.refusal)
}

function isOver({ state, sessionId }: SessionView): boolean {
  if (state.turn !== undefined || state.waiting.length > 0) return false
  if (state.turnEnds.length > 0) return true
  throw usageFault(`session ${sessionId} has no turn yet. Give a prompt.`)
}

async function findRunSession(args: Args, cwd: string, log: HomeLog) {
  const idOrName = args.text("session")
  if (idOrName !== undefined) return sessionNamed(log, idOrName)
  const newest = await newestIn(log, cwd)
  if (newest === undefined)
    throw usageFault("no session in this folder to continue. Leave out --continue to start one.")
  return newest
}

export function resumes(args: Args): boolean {
  return args.text("session") !== undefined || args.flag("continue")
}

/**
 * Continues a parked turn. `--budget`, or a configured budget that is larger than the session's, applies from now on; one
 * that is smaller does not.
 */
export async function unpark(
  args: Args,
  handle: SessionHandle,
  { state }: SessionView,
  { config }: AppContext,
): Promise<void> {
  if (state.asleep) await sendCommand(handle, { type: "wake" })
  const { budget } = configuredSession(config)
  const usd = budgetOf(args)
  const parked = state.turn?.parked
  if (usd !== undefined) await sendCommand(handle, { type: "raise-budget", budget: { ...state.budget, usd } })
  else if (parked?.why === "budget" || (state.seq > 0 && isLarger(budget, state.budget)))
    await handle.send({ type: "raise-budget", budget })
  if (parked !== undefined && parked.why !== "budget") await handle.send({ type: "resume" })
}

/** Of `--budget`, in USD. */
export function budgetOf(args: Args): number | undefined {
  const text = args.text("budget")
  if (text === undefined) return undefined
  const usd = Number(text)
  if (/^\d+(?:\.\d+)?$/.test(text) && usd > 0) return usd
  throw usageFault(`--budget: '${text}' is not an amount in USD. Use a number such as 5 or 0.50.`)
}

/** A missing limit is larger than any. */
function isLarger(one: Budget, other: Budget): boolean {
  const [usd, otherUsd] = [one.usd ?? Infinity, other.usd ?? Infinity]
  const [tokens, otherTokens] = [one.tokens ?? Infinity, other.tokens ?? Infinity]
  return usd >= otherUsd && tokens >= otherTokens && (usd > otherUsd || tokens > otherTokens)
}
