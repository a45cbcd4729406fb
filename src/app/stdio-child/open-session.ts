// Opens the session that the parent names, or creates one. An unknown id does not end the child, since the parent would
// retry forever: a new session with that alias takes its place.
import type { SessionHandle } from "../../contract/host-port.ts"
import type { SessionId } from "../../contract/ids.ts"
import { describeRefusal } from "../../contract/text/describe-refusal.ts"
import type { SessionOptions } from "../../contract/session-options.ts"
import type { By } from "../../contract/values.ts"
import { accepted, refusalFault } from "../app-fault.ts"
import type { RunningHost } from "../compose.ts"
import type { EarlySession } from "./early-session.ts"
import { printNotice } from "../terminal.ts"

export async function openOrCreate(
  idOrName: string | undefined,
  running: RunningHost,
  request: SessionOptions,
  by: By,
): Promise<SessionHandle> {
  if (idOrName === undefined || idOrName === "") return create(running, request, by)
  const { findSession } = await import("../../host/directory.ts")
  const found = await findSession(running.host.log, idOrName)
  if (found.kind === "ok") return resume(running, { sessionId: found.value.sessionId, isNew: false }, request, by)
  printNotice(`turnhouse: ${describeRefusal(found.refusal)} A new session is created instead.`)
  const isUnknown = found.refusal.code === "session.unknown" && idOrName.length <= 200
  return create(running, isUnknown ? { ...request, aliases: [idOrName] } : request, by)
}

async function create({ port }: RunningHost, request: SessionOptions, by: By): Promise<SessionHandle> {
  const created = accepted(await port.create(request, by))
  return created.handle
}

export async function resume(
  running: RunningHost,
  { sessionId, isNew }: Pick<EarlySession, "sessionId" | "isNew">,
  request: Pick<SessionOptions, "model" | "thinking" | "system">,
  by: By,
): Promise<SessionHandle> {
  if (!isNew) await settle(running, sessionId, by)
  const opened = accepted(await running.port.open(sessionId, by))
  const { handle } = opened
  if (isNew) return handle
  const { model, thinking: level } = request
  if (model !== undefined) accepted(await handle.send({ type: "select-model", model }))
  if (level !== undefined) accepted(await handle.send({ type: "select-thinking", level }))
  if (request.system !== undefined)
    printNotice("turnhouse: --system applies to new sessions only; this one keeps its system prompt.")
  return handle
}

/** Ends an open turn instead of resuming it: its parent no longer waits for it. */
async function settle({ host }: RunningHost, id: SessionId, by: By): Promise<void> {
  const opened = await host.open(id, "at rest")
  if (opened.kind === "refused") {
    if (opened.refusal.code === "session.owned") return // another process has it open; it is watched there
    throw refusalFault(opened.refusal)
  }
  accepted(await opened.session.send({ type: "interrupt" }, by))
  opened.session.begin()
}
