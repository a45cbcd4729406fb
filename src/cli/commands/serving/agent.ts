// `turnhouse agent`: hosts one session in the foreground and exits with it; on a signal it hands the session over. A
// sub-agent runs in its parent's host: then the command only creates it and waits for its end.
import { readlinkSync, rmSync, symlinkSync } from "node:fs"
import { basename } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import type { HostPort, SessionHandle } from "../../../contract/host-port.ts"
import type { SessionId } from "../../../contract/ids.ts"
import { limits } from "../../../contract/limits.ts"
import { findSession } from "../../../host/directory.ts"
import { newSessionId } from "../../../host/new-ids.ts"
import type { EventLog, SessionRow } from "../../../log/event-log.ts"
import { isAlive } from "../../../clients/ipc/index.ts"
import { agentFiles, isAgentId } from "../../../protocols/ipc/agent-paths.ts"
import { checkModel } from "../../../app/settings/check-model.ts"
import { AppFault, accepted, refusalFault, usageFault, exitCodes } from "../../../app/app-fault.ts"
import type { Args } from "../../command.ts"
import { contextOf } from "../../context-options.ts"
import { startHost, type RunningHost } from "../../../app/compose.ts"
import { ipcFolder } from "../../../app/session-sockets/ipc-folder.ts"
import { openLocalDoors } from "../../../app/host/local-doors.ts"
import { connectHome } from "../../../app/host/home-connection.ts"
import { onSignals } from "../../../app/signals.ts"
import { sessionRequest } from "../../run/session-request.ts"
import { sessionNamed } from "../../../app/sessions/sessions.ts"
import { shellEnvironment } from "../../../app/settings/shell-environment.ts"
import type { AppContext } from "../../../app/context.ts"
import { openSession, sendCommand, localCaller } from "../../../app/host/send-command.ts"
import { votingOf } from "../../voting.ts"

const role = "agent"
const creationMs = 10_000
const lookEveryMs = 20

export async function run(args: Args): Promise<number> {
  const [wanted] = args.positionals
  if (wanted !== undefined && !isAgentId(wanted))
    throw usageFault("ID: use 1 to 128 letters, digits, dots, dashes and underscores, beginning with a letter or digit")
  const context = await contextOf(args)
  const parent = args.text("parent")
  await checkModel(args.text("model"), context)
  votingOf(args) // mistakes are reported before anything is started
  return parent === undefined ? runInForeground(args, context, wanted) : follow(args, context, parent, wanted)
}

async function runInForeground(args: Args, context: AppContext, wanted: string | undefined): Promise<number> {
  const running = await startHost(context, { role, approvalWaitMs: "by preset" })
  const doors = await openLocalDoors(context, running)
  const leaving = Promise.withResolvers<number>()
  const ignore = onSignals((number) => leaving.resolve(128 + number))
  let removeLinks: (() => void) | undefined
  try {
    const handle = await take(args, context, running, wanted)
    await selectVoting(args, handle)
    const cursor = await sendCommand(handle, { type: "wake" })
    if ((await doors.sessions.of(handle.sessionId)) === undefined)
      throw new AppFault(`session ${handle.sessionId} has no socket in ${doors.sessions.folder}`)
    removeLinks = linkFiles(doors.sessions.folder, handle.sessionId, wanted)
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
  wanted: string | undefined,
): Promise<SessionHandle> {
  const row = wanted === undefined ? undefined : await findUnowned(host.log, context, wanted)
  if (row === undefined) {
    const aliases = wanted === undefined ? undefined : [wanted]
    const request = sessionRequest(args, { cwd: context.cwd, origin: role, preset: "careful", aliases })
    const created = accepted(await port.create(request, localCaller(role), shellEnvironment(process.env)))
    return created.handle
  }
  const handle = await openSession(port, row.sessionId, role)
  const model = args.text("model")
  if (model !== undefined) await sendCommand(handle, { type: "select-model", model })
  return handle
}

async function selectVoting(args: Args, handle: SessionHandle): Promise<void> {
  const voting = votingOf(args)
  if (voting !== undefined) await sendCommand(handle, { type: "select-voting", voting })
}

/** The session with that name. The socket folder may be shared with agents of other homes and programs. */
async function findUnowned(log: EventLog, { home, config }: AppContext, id: string): Promise<SessionRow | undefined> {
  const found = await findSession(log, id)
  if (found.kind === "refused" && found.refusal.code !== "session.unknown") throw refusalFault(found.refusal)
  const row = found.kind === "ok" ? found.value : undefined
  if (row?.owner !== undefined)
    throw new AppFault(`session ${row.sessionId} is open in another process (${row.owner.role}, pid ${row.owner.pid})`)
  const folder = ipcFolder(home, config)
  if (await isAlive({ folder, id })) throw new AppFault(`another agent listens on ${agentFiles(folder, id).socket}`)
  return row
}

/** Links the files of the session under its alias. */
function linkFiles(folder: string, sessionId: string, alias: string | undefined): (() => void) | undefined {
  if (alias === undefined || sessionId.startsWith(alias.toLowerCase())) return undefined
  const [files, links] = [agentFiles(folder, sessionId), agentFiles(folder, alias)]
  const made = [
    [files.socket, links.socket],
    [files.token, links.token],
    [files.metadata, links.metadata],
  ] as const
  for (const [file, link] of made) {
    rmSync(link, { force: true })
    symlinkSync(basename(file), link)
  }
  return () => {
    for (const [file, link] of made) if (leadsTo(link) === basename(file)) rmSync(link, { force: true })
  }
}

/** Another agent may have replaced the link. */
function leadsTo(link: string): string | undefined {
  try {
    return readlinkSync(link)
  } catch {
    return undefined // not a link, or missing
  }
}

async function follow(args: Args, context: AppContext, parent: string, alias: string | undefined): Promise<number> {
  const reached = await connectHome(context, role)
  const leaving = Promise.withResolvers<number>()
  const ignore = onSignals((number) => leaving.resolve(128 + number))
  const folder = ipcFolder(context.home, context.config)
  let removeLinks: (() => void) | undefined
  try {
    const { sessionId } = await sessionNamed(reached.log, parent)
    const namesake = alias === undefined ? undefined : await findUnowned(reached.log, context, alias)
    if (namesake !== undefined) throw new AppFault(`session ${namesake.sessionId} is already named ${alias}`)
    const childId = newSessionId(Date.now())
    const [reason, model] = [args.text("spawn-reason"), args.text("model")]
    await sendCommand(await openSession(reached.port, sessionId, role), { type: "spawn", childId, reason, model })
    const child = await waitForChild(reached.port, childId)
    await selectVoting(args, child)
    const cursor = await sendCommand(child, alias === undefined ? { type: "wake" } : { type: "alias", alias })
    removeLinks = linkFiles(folder, childId, alias)
    announce(args, folder, childId)
    return await Promise.race([leaving.promise, ended(child, cursor)])
  } finally {
    ignore()
    removeLinks?.()
    await reached.close()
  }
}

/** The parent's host creates it a moment after it has accepted the command. */
async function waitForChild(port: HostPort, childId: SessionId): Promise<SessionHandle> {
  for (const deadline = Date.now() + creationMs; ; await sleep(lookEveryMs)) {
    const opened = await port.open(childId, localCaller(role), shellEnvironment(process.env))
    if (opened.kind === "opened") return opened.handle
    if (opened.refusal.code !== "session.unknown" || Date.now() > deadline) throw refusalFault(opened.refusal)
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
