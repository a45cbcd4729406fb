// `turnhouse attach [ID]`: shows a session and its live events, and sends input to it. Also attaches to the session
// socket of any agent that speaks brainwires IPC.
import { howToType } from "../../../contract/rules/questions.ts"
import type { HostPort } from "../../../contract/host-port.ts"
import { AttachedSession } from "../../attach/attached-session.ts"
import { attachInput } from "../../attach/input-loop.ts"
import { LivePrinter } from "../../attach/live-printer.ts"
import { loadContextLeniently, type AppContext } from "../../../app/context.ts"
import type { HomeConnection } from "../../../app/host/home-connection.ts"
import type { SessionId } from "../../../contract/ids.ts"
import { canDrawScreen } from "../../screen/can-draw.ts"
import { promptWithFiles, type RunPrompt } from "../../run/prompt-with-files.ts"
import { usageFault } from "../../../app/app-fault.ts"
import type { Args } from "../../command.ts"
import { parseRemoteAddress, type RemoteAddress } from "../../../app/remote/remote-address.ts"
import type { OpenApproval } from "../../../projection/open-requests.ts"
import { SessionView } from "../../../app/sessions/session-view.ts"
import { newestIn, sessionNamed, type HomeLog } from "../../../app/sessions/sessions.ts"
import { ask, openSession, withHomeConnection } from "../../../app/host/send-command.ts"
import { printNotice, styled } from "../../../app/terminal.ts"
import { printInstructions } from "../../print-instructions.ts"
import { openNotifier } from "../../notifier.ts"
import { openOutput } from "../../print/open-output.ts"
import { transcriptText } from "../../transcript-text.ts"

const shownTurns = 10
const MAX_TURNS = 1000

export async function run(args: Args): Promise<number> {
  const turns = turnsOf(args)
  if (namesAgent(args)) return (await import("../../ipc-attach/attach-agent.ts")).attachAgent(args, turns)
  const remote = parseRemoteAddress(args.positionals[0] ?? "")
  const isPlain = args.flag("plain") || args.flag("json") || args.flag("watch") || args.text("turns") !== undefined
  if (remote !== undefined) return attachRemote(remote, isPlain)
  if (!isPlain && canDrawScreen()) return attachScreen(args)
  return withHomeConnection("attach", async (connection, context) => {
    const { sessionId } = await findAttachSession(args, connection.log, context.cwd)
    return attachLines(args, connection, context, sessionId)
  })
}

async function attachRemote(address: RemoteAddress, isPlain: boolean): Promise<number> {
  if (isPlain || !canDrawScreen())
    throw usageFault(
      "attach: another machine needs a terminal and no --plain, --watch, --turns or --json. For lines: ssh -t user@box turnhouse attach --plain ID",
    )
  const { openRemoteScreen } = await import("../../screen/open-remote.ts")
  return openRemoteScreen(address)
}

/** Without ID the user chooses. */
async function attachScreen(args: Args): Promise<number> {
  const [idOrName] = args.positionals
  const context = await loadContextLeniently()
  const { openScreen } = await import("../../screen/open-screen.ts")
  return openScreen(context, ({ log }) => ({
    open: async () => (idOrName === undefined ? undefined : (await sessionNamed(log, idOrName)).sessionId),
  }))
}

/** Lines in, lines out: for pipes, and for terminals that cannot or should not move their cursor. */
export async function attachLines(
  args: Args,
  { log, port }: HomeConnection,
  context: AppContext,
  sessionId: SessionId,
): Promise<number> {
  const turns = turnsOf(args)
  const handle = await openSession(port, sessionId, "attach")
  const isTyped = process.stdin.isTTY && !args.flag("watch")
  const isPlain = args.flag("plain")
  if (args.flag("json")) {
    const view = await SessionView.read(log, sessionId)
    return begin(args, new AttachedSession(handle, view, { port, printer: undefined, typed: isTyped }), view.state.seq)
  }
  const { seq, items, earlier } = await ask(port, { type: "transcript", sessionId, turns })
  const view = await SessionView.read(log, sessionId)
  const { output } = await openOutput({ notes: process.stdout, use: isPlain ? "plain" : isTyped ? "typed" : "live" })
  const printer = new LivePrinter(view, output, items, isTyped ? typedAnswer : otherAnswer)
  await greet(args, port, view, printer)
  if (earlier) printNotice(styled("dim", "(earlier turns are not shown; --turns N shows more)"))
  if (items.length > 0) process.stdout.write(`${transcriptText(items)}\n`)
  const files = isTyped ? { withFiles: promptFiles(context, view) } : {}
  const notifier = openNotifier(context.config.notify, false)
  return begin(args, new AttachedSession(handle, view, { port, printer, typed: isTyped, notifier, ...files }), seq)
}

function turnsOf(args: Args): number {
  const text = args.text("turns") ?? String(shownTurns)
  const turns = Number(text)
  if (!/^\d+$/.test(text) || turns < 1 || turns > MAX_TURNS)
    throw usageFault(`--turns: '${text}' is not a number from 1 to ${MAX_TURNS}`)
  return turns
}

async function findAttachSession(args: Args, log: HomeLog, cwd: string) {
  const [idOrName] = args.positionals
  if (idOrName !== undefined) return sessionNamed(log, idOrName)
  const newest = await newestIn(log, cwd)
  if (newest === undefined)
    throw usageFault("no session in this folder. 'turnhouse new' creates one, 'turnhouse ls' lists all sessions.")
  return newest
}

async function greet(args: Args, port: HostPort, view: SessionView, printer: LivePrinter): Promise<void> {
  const hint = args.flag("watch") ? "Ctrl-C detaches" : "/help lists the commands, /quit detaches"
  printNotice(
    styled("dim", `session ${view.sessionId}  ${view.state.model}${process.stdin.isTTY ? `  (${hint})` : ""}`),
  )
  await printInstructions(port, view.sessionId) // its notices are shown as warnings of the session
  const { watching } = await ask(port, { type: "session", sessionId: view.sessionId })
  printer.presence(watching.length, watching)
}

/** Paths start at the folder of the session. Lines of a pipe are sent as they are. */
function promptFiles(context: AppContext, { state }: SessionView): (text: string) => Promise<RunPrompt> {
  const place = { ...context, cwd: state.created?.cwd ?? context.cwd }
  return (text) => promptWithFiles({ text, typed: text }, [], place, true)
}

function begin(args: Args, attached: AttachedSession, cursor: number): Promise<number> {
  const mode = { isWatching: args.flag("watch"), isPlain: args.flag("plain") || process.env["TERM"] === "dumb" }
  return attachInput(attached, mode, () => attached.start(cursor))
}

function typedAnswer({ approvalId, questions }: OpenApproval): string {
  if (questions !== undefined) return `type ${howToType(questions)}; /deny ${approvalId} declines`
  return `y, n or always answers the oldest request; /approve ${approvalId} or /deny ${approvalId} this one`
}

function otherAnswer({ approvalId, questions }: OpenApproval): string {
  if (questions !== undefined) return `turnhouse approve ${approvalId} --answer TEXT`
  return `turnhouse approve ${approvalId}  |  turnhouse approve ${approvalId} --deny`
}

/** Here, so that attaching to a session does not load the IPC client. */
function namesAgent(args: Args): boolean {
  return args.text("agent") !== undefined || args.positionals[0]?.endsWith(".sock") === true
}
