// `turnhouse run`: runs one turn and follows it until it ends. A session that no process has open runs in this process;
// one that is open elsewhere is prompted and followed there.
import type { SessionId } from "../../../contract/ids.ts"
import { DEFAULT_VOTING } from "../../../features/voting/odds.ts"
import { checkModel } from "../../../app/settings/check-model.ts"
import { exitCodes, usageFault, refusalFault } from "../../../app/app-fault.ts"
import type { Args } from "../../command.ts"
import { contextWithModel } from "../../setup/context-with-model.ts"
import { startHost, type RunningHost } from "../../../app/compose.ts"
import type { AppContext } from "../../../app/context.ts"
import { backgroundHostCanContinue, handOver, isUnfinished, leaveToBackground } from "../../../app/host/hand-over.ts"
import { openLocalDoors } from "../../../app/host/local-doors.ts"
import { connectHome } from "../../../app/host/home-connection.ts"
import { openNotifier } from "../../notifier.ts"
import { readPromptParts } from "../../read-prompt.ts"
import { promptWithFiles, type RunPrompt } from "../../run/prompt-with-files.ts"
import { approvalFlags, hasFlags } from "../../run/approval-flags.ts"
import { printContinuation, printRetry } from "../../run/continuation.ts"
import { followTurn } from "../../run/follow-turn.ts"
import { hangUp } from "../../lost-output.ts"
import { printLastTurn, exitCodeOf, type TurnEnd } from "../../run/turn-end.ts"
import type { HomeLog } from "../../../app/sessions/sessions.ts"
import type { SessionView } from "../../../app/sessions/session-view.ts"
import {
  resumes,
  openRunSession,
  budgetOf,
  unpark,
  type OpenedSession,
  type SessionPlace,
} from "../../run/take-session.ts"
import { checkWorktree, finishWorktree, openWorktree } from "../../run/worktree.ts"
import type { SessionWorktree } from "../../../app/worktrees/registry.ts"
import { folderIn } from "../../../app/worktrees/worktrees.ts"
import { newPromptId, sendCommand } from "../../../app/host/send-command.ts"
import { printNotice, styled } from "../../../app/terminal.ts"
import { shellName } from "../../../features/shells/shell-text.ts"
import { thinkingOf } from "../../thinking.ts"
import { leadOf } from "../../voting.ts"
import type { HostPort, SessionHandle } from "../../../contract/host-port.ts"
import { oneLine, printable } from "../../../contract/text/text.ts"
import { printInstructions } from "../../print-instructions.ts"

const door = "run"

export async function run(args: Args): Promise<number> {
  check(args)
  const read = await readPromptParts(args.positionals)
  if (read.text === "" && args.flag("plan")) throw usageFault("--plan needs a prompt. Say what to plan.")
  if (read.text === "" && args.texts("image").length > 0)
    throw usageFault("--image needs a prompt. Say what to do with the image.")
  if (read.text === "" && !resumes(args)) throw usageFault("no prompt. Give one as an argument or on standard input.")
  const context = await contextWithModel(args, canAsk(args) && !resumes(args))
  const prompt = await promptWithFiles(read, args.texts("image"), context, canAsk(args))
  if (!resumes(args) || args.text("model") !== undefined) await checkModel(args.text("model"), context)
  const worktree = await openWorktree(args, context)
  const place = worktree === undefined ? { cwd: context.cwd } : placeIn(worktree, context)
  if (args.flag("detach")) return runDetached(args, context, place, prompt)
  const exitCode = await runAttached(args, context, place, prompt)
  return worktree === undefined ? exitCode : finishWorktree(args, context, worktree, exitCode, read.text)
}

/** The settings of the folder of the command apply: the worktree is a copy of it. */
function placeIn(worktree: SessionWorktree, { cwd }: AppContext): SessionPlace {
  return { cwd: folderIn(worktree), settingsFolder: cwd }
}

function check(args: Args): void {
  if (args.text("model") === "") throw usageFault("--model needs a model, as provider/model")
  thinkingOf(args) // a mistake is reported before anything is started
  if (args.text("agent") !== undefined && resumes(args))
    throw usageFault("--agent is for a new session: an existing one keeps its agent")
  if (leadOf(args) !== undefined && !args.flag("plan"))
    throw usageFault("--vote needs --plan: only turns that cannot change anything are voted on")
  budgetOf(args)
  checkWorktree(args)
  const flags = approvalFlags(args)
  if (!args.flag("detach")) return
  if (args.flag("no-extensions"))
    throw usageFault("--no-extensions cannot be combined with --detach: another host runs the session")
  if (args.flag("plan"))
    throw usageFault("--plan cannot be combined with --detach: the command must leave plan mode after the turn")
  if (args.text("wait") !== undefined)
    throw usageFault("--wait cannot be combined with --detach: an approval request then waits without a limit")
  if (hasFlags(flags))
    throw usageFault(
      "--yes, --allow-tool and --allow-untrusted cannot be combined with --detach: they answer only while the command runs",
    )
}

async function runAttached(args: Args, context: AppContext, place: SessionPlace, prompt: RunPrompt): Promise<number> {
  const hungUp = hangUp()
  const running = await startHost(context, { role: "run", approvalWaitMs: hostWait(args, context) })
  const doors = await openLocalDoors(context, running)
  let unfinished: SessionId | undefined
  try {
    const { log } = running.host
    const opened = await openRunSession(args, place, { log, port: running.port, ownPort: running.ownPort }, prompt.text)
    if (opened.kind === "over") return await showLastTurn(args, log, opened.view)
    const { handle, view, isInThisProcess: ownsSession } = opened
    const canHandOver = async () => !ownsSession || (await canBackgroundHostFinish(args, context, running))
    const { port } = running
    const end = await turn(args, context, { handle, view, port, ownsSession, hungUp, canHandOver }, prompt)
    if (!args.flag("json")) printContinuation(args, view, end)
    if (!args.flag("json")) noteShells(view, ownsSession)
    if (await isUnfinished(running, handle.sessionId)) unfinished = handle.sessionId
    if (end.reason !== "handed over") return exitCodeOf(end)
    if (ownsSession) unfinished = handle.sessionId
    await leaveToBackground(running)
    return await hungUp
  } finally {
    await doors.close()
    await running.close()
    if (unfinished !== undefined) await handOver(context, unfinished)
  }
}

async function showLastTurn(args: Args, log: HomeLog, view: SessionView): Promise<number> {
  const exitCode = await printLastTurn(log, view, args.flag("json"))
  if (exitCode !== exitCodes.done && !args.flag("json")) printRetry(args, view)
  return exitCode
}

/** Their pipes belong to the process that runs the session, so they cannot be handed over. */
function noteShells({ sessionId, state: { shells } }: SessionView, ownsSession: boolean): void {
  if (shells.length === 0) return
  const count = shells.length === 1 ? "1 background shell" : `${shells.length} background shells`
  const names = shells.map(({ id, command }) => shellName(id, command)).join(", ")
  const hint = "Use 'turnhouse attach' or 'run --detach' to keep background shells."
  const fate = ownsSession
    ? `ended with this command: ${names}. ${hint}`
    : `still running in session ${sessionId}: ${names}`
  printNotice(styled("dim", printable(`${count} ${fate}`)))
}

/** Leaving plan mode and --yes are done by this command only, so they keep the turn here. */
async function canBackgroundHostFinish(args: Args, context: AppContext, running: RunningHost): Promise<boolean> {
  const needsThisProcess = args.flag("plan") || (args.flag("yes") && resumes(args))
  const canFinish = (await backgroundHostCanContinue(context, running)) && !needsThisProcess
  if (!canFinish) printNotice(`turnhouse: process ${process.pid} finishes the turn in the background`)
  return canFinish
}

/** The turn continues on the host that has the session. */
async function runDetached(args: Args, context: AppContext, place: SessionPlace, prompt: RunPrompt): Promise<number> {
  const connection = await connectHome(context, door)
  try {
    const opened = await openRunSession(args, place, connection, prompt.text)
    if (opened.kind === "over")
      throw usageFault(`session ${opened.view.sessionId} has no open turn to resume. Give a prompt.`)
    const { handle, view } = opened
    await unpark(args, handle, view, context)
    const promptId = prompt.text === "" ? undefined : newPromptId()
    if (promptId !== undefined) await sendCommand(handle, { type: "prompt", promptId, ...prompt, ifBusy: "wait" })
    const id = handle.sessionId
    process.stdout.write(args.flag("json") ? `${JSON.stringify({ id, promptId })}\n` : `${id}\n`)
    return exitCodes.done
  } finally {
    await connection.close()
  }
}

/** At a terminal a request waits for the user; in a script it does not, unless --wait says how long. */
function approvalWait(args: Args, { config }: AppContext): number | undefined {
  const seconds = args.seconds("wait") ?? config.approvals?.wait
  if (seconds !== undefined) return seconds * 1000
  return canAsk(args) ? undefined : 0
}

/** With flags the request has to reach this command, which refuses in `followTurn` what they do not cover. */
function hostWait(args: Args, context: AppContext): number | undefined {
  const wait = approvalWait(args, context)
  return wait === 0 && hasFlags(approvalFlags(args)) ? undefined : wait
}

function canAsk(args: Args): boolean {
  return !args.flag("json") && process.stdin.isTTY && process.stderr.isTTY
}

interface FollowedSession extends Pick<OpenedSession, "handle" | "view">, Pick<RunningHost, "port"> {
  /** This process runs the session. */
  readonly ownsSession: boolean
  readonly hungUp: Promise<number>
  /** After a hang-up: whether the turn can finish without this process. */
  readonly canHandOver: () => Promise<boolean>
}

async function turn(
  args: Args,
  context: AppContext,
  { handle, view, port, ownsSession, hungUp, canHandOver }: FollowedSession,
  prompt: RunPrompt,
): Promise<TurnEnd> {
  const promptId = prompt.text === "" ? undefined : newPromptId()
  const isNew = view.state.seq === 0
  if (!isNew) await headline(args, view, port)
  const contextShare = () => shareOfContext(port, view.sessionId)
  const notifier = openNotifier(context.config.notify, args.flag("json"))
  const options = { promptId, ownsSession, hungUp, contextShare, notifier, ...promptOptions(args, context) }
  const following = await followTurn(handle, view, options)
  if (isNew) await headline(args, view, port)
  await unpark(args, handle, view, context)
  const ahead = leadOf(args)
  if (ahead !== undefined) await sendCommand(handle, { type: "select-voting", voting: { ...DEFAULT_VOTING, ahead } })
  const runTurn = async () => {
    if (promptId !== undefined) await sendCommand(handle, { type: "prompt", promptId, ...prompt, ifBusy: "wait" })
    const handedOver = hungUp.then(async () => ((await canHandOver()) ? following.handOver() : following.ended))
    return Promise.race([following.ended, handedOver])
  }
  return args.flag("plan") ? inPlanMode(handle, runTurn) : runTurn()
}

async function shareOfContext(port: HostPort, sessionId: SessionId): Promise<number | undefined> {
  const answered = await port.query({ type: "context-usage", sessionId })
  if (answered.kind === "refused") return undefined // the model cannot be used any more
  const { window, parts, reported } = answered.value
  return (reported ?? parts.reduce((sum, { tokens }) => sum + tokens, 0)) / window
}

async function headline(args: Args, { sessionId, state }: SessionView, port: HostPort): Promise<void> {
  if (args.flag("json")) return
  printNotice(styled("dim", `session ${sessionId}  ${args.text("model") ?? state.model}`))
  for (const notice of await printInstructions(port, sessionId)) printNotice(`turnhouse: ${oneLine(notice, Infinity)}`)
}

function promptOptions(args: Args, context: AppContext) {
  const isUnattended = approvalWait(args, context) === 0
  return { json: args.flag("json"), flags: approvalFlags(args), canAsk: canAsk(args), isUnattended }
}

async function inPlanMode<End>(handle: SessionHandle, work: () => Promise<End>): Promise<End> {
  const hasEntered = await enter(handle)
  const end = await work()
  if (hasEntered) await sendCommand(handle, { type: "exit-plan" })
  return end
}

async function enter(handle: SessionHandle): Promise<boolean> {
  const sent = await handle.send({ type: "enter-plan" })
  if (sent.kind === "accepted") return true
  if (sent.refusal.code === "plan.already") return false
  throw refusalFault(sent.refusal)
}
