// `turnhouse agent`: hosts one session in the foreground and exits with it; on a signal it hands the session over. A
// sub-agent runs in its parent's host: then the command only creates it and waits for its end.
import { describeHost } from "../../../contract/text/describe-host.ts"
import type { SessionHandle } from "../../../contract/host-port.ts"
import { limits } from "../../../contract/limits.ts"
import { isAlive } from "../../../clients/ipc/index.ts"
import { agentFiles, isAgentId } from "../../../protocols/ipc/agent-paths.ts"
import { checkModel } from "../../../app/settings/check-model.ts"
import { accepted, AppFault, exitCodes, usageFault } from "../../../app/app-fault.ts"
import type { Args } from "../../command.ts"
import { contextOf, sessionRequest } from "../../context-options.ts"
import { startHost, type RunningHost } from "../../../app/compose.ts"
import { linkAlias } from "../../../app/session-sockets/alias-links.ts"
import { ipcFolder } from "../../../app/session-sockets/ipc-folder.ts"
import { openLocalDoors } from "../../../app/host/local-doors.ts"
import { connectHome } from "../../../app/host/home-connection.ts"
import { onSignals } from "../../../app/signals.ts"
import { findSessionOrNone, sessionNamed, type HomeLog } from "../../../app/sessions/sessions.ts"
import { shellEnvironment } from "../../../app/settings/shell-environment.ts"
import type { AppContext } from "../../../app/context.ts"
import { openSession, sendCommand, localCaller, spawnChild } from "../../../app/host/send-command.ts"
import { thinkingOf } from "../../thinking.ts"
import { votingOf } from "../../voting.ts"

const role = "agent"

export async function run(args: Args): Promise<number> {
  const [idOrName] = args.positionals
  if (idOrName !== undefined && !isAgentId(idOrName))
    throw usageFault("ID: use 1 to 128 letters, digits, dots, dashes and underscores, beginning with a letter or digit")
  const context = await contextOf(args)
  const parent = args.text("parent")
  await checkModel(args.text("model"), context)
  votingOf(args) // mistakes are reported before anything is started
  thinkingOf(args)
  return parent === undefined ? runInForeground(args, context, idOrName) : follow(args, context, parent, idOrName)
}

async function runInForeground(args: Args, context: AppContext, idOrName: string | undefined): Promise<number> {
  const running = await startHost(context, { role, approvalWaitMs: "by preset" })
  const doors = await openLocalDoors(context, running)
  const leaving = Promise.withResolvers<number>()
  const ignore = onSignals((number) => leaving.resolve(128 + number))
  let removeLinks: (() => void) | undefined
  try {
    const handle = await take(args, context, running, idOrName)
    await selectVoting(args, handle)
    const cursor = await sendCommand(handle, { type: "wake" })
    if ((await doors.sessions.of(handle.sessionId)) === undefined)
      throw new AppFault(`session ${handle.sessionId} has no socket in ${doors.sessions.folder}`)
    removeLinks = linkAlias(doors.sessions.folder, handle.sessionId, idOrName)
    announce(args, doors.sessions.folder, handle.sessionId)
    const exitCode = await Promise.race([leaving.promise, ended(handle, cursor)])
    await running.host.leave(limits.leaveMs)
    return exitCode
  } finally {
    ignore()
    removeLinks?.()
    await doors.close()
    await running.close()
  }
}

/** The session must run in this process; one that another process has open is not taken from it. */
async function take(
  args: Args,
  context: AppContext,
  { host, port }: RunningHost,
  idOrName: string | undefined,
): Promise<SessionHandle> {
  const row = idOrName === undefined ? undefined : await findUnowned(host.log, context, idOrName)
  if (row === undefined) {
    const aliases = idOrName === undefined ? undefined : [idOrName]
    const request = sessionRequest(args, { cwd: context.cwd, origin: role, preset: "careful", aliases })
    const created = accepted(await port.create(request, localCaller(role), shellEnvironment(process.env)))
    return created.handle
  }
  const handle = await openSession(port, row.sessionId, role)
  const model = args.text("model")
  if (model !== undefined) await sendCommand(handle, { type: "select-model", model })
  const level = thinkingOf(args)
  if (level !== undefined) await sendCommand(handle, { type: "select-thinking", level })
  return handle
}

async function selectVoting(args: Args, handle: SessionHandle): Promise<void> {
  const voting = votingOf(args)
  if (voting !== undefined) await sendCommand(handle, { type: "select-voting", voting })
}

/** The session with that name. The socket folder may be shared with agents of other homes and programs. */
async function findUnowned(log: HomeLog, { home, config }: AppContext, id: string) {
  const row = await findSessionOrNone(log, id)
  if (row?.owner !== undefined) {
    const host = describeHost(row.owner.role, row.owner.pid, row.owner.node?.name)
    throw new AppFault(`session ${row.sessionId} is open in another process (${host})`)
  }
  const folder = ipcFolder(home, config)
  if (await isAlive({ folder, id })) throw new AppFault(`another agent listens on ${agentFiles(folder, id).socket}`)
  return row
}

async function follow(args: Args, context: AppContext, parentName: string, alias: string | undefined): Promise<number> {
  const reached = await connectHome(context, role)
  const leaving = Promise.withResolvers<number>()
  const ignore = onSignals((number) => leaving.resolve(128 + number))
  const folder = ipcFolder(context.home, context.config)
  let removeLinks: (() => void) | undefined
  try {
    const { sessionId } = await sessionNamed(reached.log, parentName)
    const namesake = alias === undefined ? undefined : await findUnowned(reached.log, context, alias)
    if (namesake !== undefined) throw new AppFault(`session ${namesake.sessionId} is already named ${alias}`)
    const parent = await openSession(reached.port, sessionId, role)
    const child = await spawnChild(reached.port, parent, role, {
      reason: args.text("spawn-reason"),
      model: args.text("model"),
      thinking: thinkingOf(args),
    })
    const childId = child.sessionId
    await selectVoting(args, child)
    const cursor = await sendCommand(child, alias === undefined ? { type: "wake" } : { type: "alias", alias })
    removeLinks = linkAlias(folder, childId, alias)
    announce(args, folder, childId)
    return await Promise.race([leaving.promise, ended(child, cursor)])
  } finally {
    ignore()
    removeLinks?.()
    await reached.close()
  }
}

/** A suspended session ends it too: watching on would resume it. */
async function ended(handle: SessionHandle, cursor: number): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>()
  const unwatch = await handle.watch(cursor, (item) => {
    if (item.kind === "lost") resolve(exitCodes.failed)
    else if (item.kind === "event" && ends.has(item.recorded.event.type)) resolve(exitCodes.done)
  })
  return promise.finally(unwatch)
}

const ends: ReadonlySet<string> = new Set(["session.ended", "session.hibernated"])

function announce(args: Args, folder: string, id: string): void {
  const { socket } = agentFiles(folder, id)
  process.stdout.write(args.flag("json") ? `${JSON.stringify({ id, socket })}\n` : `${id}\n${socket}\n`)
}
