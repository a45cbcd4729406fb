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
import type { Args } from "../../command.ts"
import { agentRequest, sessionRequest } from "../../context-options.ts"
import { canDrawScreen } from "../../screen/can-draw.ts"
import type { ScreenConnection } from "../../screen/open-screen.ts"
import { otherSessions } from "../../screen/other-sessions.ts"
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
  let opened: SessionId | undefined
  return openScreen(context, (connection) => ({
    open: async () => (opened = await firstSession(args, context, connection)),
    prompt: args.positionals.join(" "),
    notice: () => othersThan(opened, connection.port),
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

/** A refusal is not shown: this is only a hint. */
async function othersThan(own: SessionId | undefined, port: HostPort): Promise<string | undefined> {
  const answered = await port.query({ type: "sessions" })
  return answered.kind === "refused" ? undefined : otherSessions(answered.value, own)
}
