// `turnhouse` without a command: opens the terminal on a new session in this folder, or on the newest one. Without a
// terminal it is `run`; on a terminal that cannot draw, lines.
import { accepted } from "../../../app/app-fault.ts"
import type { AppContext } from "../../../app/context.ts"
import { localCaller, newPromptId, openSession, sendCommand } from "../../../app/host/send-command.ts"
import { connectHome } from "../../../app/host/home-connection.ts"
import { newestIn } from "../../../app/sessions/sessions.ts"
import { checkModel } from "../../../app/settings/check-model.ts"
import { shellEnvironment } from "../../../app/settings/shell-environment.ts"
import type { HostPort } from "../../../contract/host-port.ts"
import type { SessionId } from "../../../contract/ids.ts"
import type { SessionLine } from "../../../contract/views/status.ts"
import { oneLine } from "../../../contract/text/text.ts"
import { counted } from "../../../display/format.ts"
import type { Args } from "../../command.ts"
import { agentRequest, sessionRequest } from "../../context-options.ts"
import { canDrawScreen } from "../../screen/can-draw.ts"
import type { ScreenConnection } from "../../screen/open-screen.ts"
import { contextWithModel } from "../../setup/context-with-model.ts"
import { thinkingOf } from "../../thinking.ts"

const door = "terminal"

export async function run(args: Args): Promise<number> {
  const canDraw = canDrawScreen() && !args.flag("plain")
  if (!canDraw && !process.stdin.isTTY) return (await import("./run.ts")).run(args)
  thinkingOf(args) // a mistake is reported before anything is started
  const context = await contextWithModel(args, !args.flag("continue"))
  await checkModel(args.text("model"), context)
  return canDraw ? openOnScreen(args, context) : openAsLines(args, context)
}

async function openOnScreen(args: Args, context: AppContext): Promise<number> {
  const { openScreen } = await import("../../screen/open-screen.ts")
  return openScreen(context, (connection) => ({
    open: () => firstSession(args, context, connection),
    prompt: args.positionals.join(" "),
    notice: () => otherSessions(connection.port),
  }))
}

async function openAsLines(args: Args, context: AppContext): Promise<number> {
  const { attachLines } = await import("./attach.ts")
  const connection = await connectHome(context, door)
  try {
    const sessionId = await firstSession(args, context, connection)
    const text = args.positionals.join(" ")
    const handle = await openSession(connection.port, sessionId, door)
    if (text !== "") await sendCommand(handle, { type: "prompt", promptId: newPromptId(), text, ifBusy: "wait" })
    return await attachLines(args, connection, context, sessionId)
  } finally {
    await connection.close()
  }
}

async function firstSession(args: Args, context: AppContext, { log, port }: ScreenConnection): Promise<SessionId> {
  const newest = args.flag("continue") ? await newestIn(log, context.cwd) : undefined
  return newest?.sessionId ?? createSession(args, context, port)
}

async function createSession(args: Args, { cwd }: AppContext, port: HostPort): Promise<SessionId> {
  const request = sessionRequest(args, { cwd, origin: "open", ...agentRequest(args) })
  const created = accepted(await port.create(request, localCaller(door), shellEnvironment(process.env)))
  return created.handle.sessionId
}

/** What waits or runs elsewhere, in one line. */
async function otherSessions(port: HostPort): Promise<string | undefined> {
  const answered = await port.query({ type: "sessions" })
  if (answered.kind === "refused") return undefined // only a hint
  const roots = answered.value.filter(({ status }) => status.parentId === undefined)
  const waiting = roots.filter(({ activity, status }) => activity === "asking" || status.childApprovals > 0)
  const working = roots.filter(({ activity }) => activity === "busy")
  const parts = [
    ...(waiting.length === 0 ? [] : [`${counted(waiting.length, "session")} waiting for approval: ${titles(waiting)}`]),
    ...(working.length === 0 ? [] : [`${counted(working.length, "session")} working: ${titles(working)}`]),
  ]
  return parts.length === 0 ? undefined : `${parts.join(" · ")} · ctrl-p switches`
}

const MAX_TITLE = 40

function titles(lines: readonly SessionLine[]): string {
  const [first, ...others] = lines.map(({ status }) => oneLine(status.name ?? status.title ?? "", MAX_TITLE))
  return `${first ?? ""}${others.length === 0 ? "" : ` and ${others.length} more`}`
}
