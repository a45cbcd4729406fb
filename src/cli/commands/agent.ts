// `turnhouse agent`: a host in the foreground for one session. It ends with the session; asked to leave before, it hands
// the session over. A child of another session belongs to its parent's tree and lives in the parent's host: then this
// command only has it made, and stays until it has ended.
import { rmSync, symlinkSync } from "node:fs"
import { basename } from "node:path"
import type { SessionHandle } from "../../contract/house-port.ts"
import { limits } from "../../contract/limits.ts"
import { findSession } from "../../host/directory.ts"
import { newSessionId } from "../../host/new-ids.ts"
import { agentFiles, isAgentId } from "../../protocols/ipc/places.ts"
import { CliFault, refusalFault, usageFault } from "../cli-fault.ts"
import type { Args } from "../command.ts"
import { startHouse, type RunningHouse } from "../compose.ts"
import { exitCodes } from "../exit-codes.ts"
import { ipcFolder } from "../ipc/ipc-folder.ts"
import { openLocalDoors } from "../local-doors.ts"
import { reach } from "../reach.ts"
import { onSignals } from "../run/signals.ts"
import { wishOf } from "../run/session-wish.ts"
import { sessionNamed } from "../sessions.ts"
import { shellEnvironment } from "../shell-environment.ts"
import { surroundings, type Surroundings } from "../surroundings.ts"
import { openHandle, tell, you } from "../tell-session.ts"

const role = "agent"

export async function run(args: Args): Promise<number> {
  const [wanted] = args.positionals
  if (wanted !== undefined && !isAgentId(wanted))
    throw usageFault(
      "ID takes 1 to 128 letters, digits, dots, dashes and underscores, and begins with a letter or digit",
    )
  const around = await surroundings({ configFile: args.text("config"), profile: args.text("profile") })
  const parent = args.text("parent")
  return parent === undefined ? host(args, around, wanted) : follow(args, around, parent, wanted)
}

async function host(args: Args, around: Surroundings, wanted: string | undefined): Promise<number> {
  const running = await startHouse(around, { role, approvalWaitMs: "by preset" })
  const doors = await openLocalDoors(around, running)
  const leaving = Promise.withResolvers<number>()
  const ignore = onSignals((number) => leaving.resolve(128 + number))
  let removeLinks: (() => void) | undefined
  try {
    const handle = await take(args, around, running, wanted)
    const cursor = await tell(handle, { type: "wake" })
    if ((await doors.sessions.of(handle.sessionId)) === undefined)
      throw new CliFault(`session ${handle.sessionId} has no socket in ${doors.sessions.folder}`, exitCodes.failed)
    removeLinks = linkFiles(doors.sessions.folder, handle.sessionId, wanted)
    announce(args, doors.sessions.folder, handle.sessionId)
    const exitCode = await Promise.race([leaving.promise, ended(handle, cursor)])
    await running.house.leave(limits.leaveMs)
    return exitCode
  } finally {
    ignore()
    removeLinks?.()
    await doors.close()
    await running.close()
  }
}

/** It must come to live in this process: whoever has it already is not robbed of it. */
async function take(
  args: Args,
  around: Surroundings,
  { house, port }: RunningHouse,
  wanted: string | undefined,
): Promise<SessionHandle> {
  const found = wanted === undefined ? undefined : await findSession(house.log, wanted)
  if (found?.kind === "refused" && found.refusal.code !== "session.unknown") throw refusalFault(found.refusal)
  if (found === undefined || found.kind === "refused") {
    const aliases = wanted === undefined ? undefined : [wanted]
    const wish = wishOf(args, { cwd: around.cwd, origin: role, preset: "careful", aliases })
    const created = await port.create(wish, you(role), shellEnvironment(process.env))
    if (created.kind === "refused") throw refusalFault(created.refusal)
    return created.handle
  }
  const { sessionId, owner } = found.value
  if (owner !== undefined)
    throw new CliFault(`session ${sessionId} lives elsewhere (${owner.role}, pid ${owner.pid})`, exitCodes.failed)
  const handle = await openHandle(port, sessionId, role)
  const model = args.text("model")
  if (model !== undefined) await tell(handle, { type: "select-model", model })
  return handle
}

/** Under the name that was asked for the same files are found as under the id. */
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
    for (const [, link] of made) rmSync(link, { force: true })
  }
}

async function follow(args: Args, around: Surroundings, parent: string, alias: string | undefined): Promise<number> {
  const reached = await reach(around, role)
  const leaving = Promise.withResolvers<number>()
  const ignore = onSignals((number) => leaving.resolve(128 + number))
  try {
    const { sessionId } = await sessionNamed(reached.log, parent)
    const childId = newSessionId(Date.now())
    const [reason, model] = [args.text("spawn-reason"), args.text("model")]
    await tell(await openHandle(reached.port, sessionId, role), { type: "spawn", childId, reason, model })
    const child = await openHandle(reached.port, childId, role)
    const cursor = await tell(child, alias === undefined ? { type: "wake" } : { type: "alias", alias })
    announce(args, ipcFolder(around.home, around.config), childId)
    return await Promise.race([leaving.promise, ended(child, cursor)])
  } finally {
    ignore()
    await reached.close()
  }
}

async function ended(handle: SessionHandle, cursor: number): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>()
  const unwatch = await handle.watch(cursor, (item) => {
    if (item.kind === "lost") resolve(exitCodes.failed)
    else if (item.kind === "event" && item.recorded.event.type === "session.ended") resolve(exitCodes.done)
  })
  return promise.finally(unwatch)
}

function announce(args: Args, folder: string, id: string): void {
  const { socket } = agentFiles(folder, id)
  process.stdout.write(args.flag("json") ? `${JSON.stringify({ id, socket })}\n` : `${id}\n${socket}\n`)
}
