// Sends commands to sessions: to the process that has the session open, else to the background host, which opens it.
import { setTimeout as sleep } from "node:timers/promises"
import type { CommandOf, SessionCommand } from "../../contract/commands.ts"
import type { HostPort, SessionHandle } from "../../contract/host-port.ts"
import type { PromptId, SessionId } from "../../contract/ids.ts"
import type { Answers, Queries, QueryType } from "../../contract/queries.ts"
import type { By } from "../../contract/values.ts"
import { newId, newSessionId } from "../../host/new-ids.ts"
import { accepted, refusalFault } from "../app-fault.ts"
import { loadContextLeniently, type AppContext } from "../context.ts"
import { localUser } from "../local-user.ts"
import { connectHome, type HomeConnection } from "./home-connection.ts"
import { shellEnvironment } from "../settings/shell-environment.ts"

const creationMs = 10_000
const lookEveryMs = 20

/** `door`: the kind of client, as other clients of the session see it. */
export async function withHomeConnection<Value>(
  door: string,
  use: (reached: HomeConnection, context: AppContext) => Promise<Value>,
): Promise<Value> {
  const context = await loadContextLeniently()
  const reached = await connectHome(context, door)
  try {
    return await use(reached, context)
  } finally {
    await reached.close()
  }
}

export async function openSession(port: HostPort, sessionId: SessionId, door: string): Promise<SessionHandle> {
  const opened = accepted(await port.open(sessionId, localCaller(door), shellEnvironment(process.env)))
  return opened.handle
}

/** Resolves when the session has stored it. */
export async function sendCommand(handle: SessionHandle, command: SessionCommand): Promise<number> {
  const sent = accepted(await handle.send(command))
  return sent.seq
}

/** Resolves when the parent's host has created the child, a moment after it has accepted the command. */
export async function spawnChild(
  port: HostPort,
  parent: SessionHandle,
  door: string,
  options: Pick<CommandOf<"spawn">, "reason" | "model" | "thinking">,
): Promise<SessionHandle> {
  const childId = newChildId()
  await sendCommand(parent, { type: "spawn", childId, ...options })
  for (const deadline = Date.now() + creationMs; ; await sleep(lookEveryMs)) {
    const opened = await port.open(childId, localCaller(door), shellEnvironment(process.env))
    if (opened.kind === "opened") return opened.handle
    if (opened.refusal.code !== "session.unknown" || Date.now() > deadline) throw refusalFault(opened.refusal)
  }
}

/** A client chooses the ids of its prompts and sub-agents, so that a repeated command is stored once. */
export function newPromptId(): PromptId {
  return `prm_${newId()}`
}

export function newChildId(): SessionId {
  return newSessionId(Date.now())
}

export function localCaller(door: string): By {
  return { principal: localUser(), door }
}

/** Answers a query. A refusal is thrown. */
export async function ask<Type extends QueryType>(
  port: HostPort,
  query: Queries[Type] & { readonly type: Type },
): Promise<Answers[Type]> {
  return accepted(await port.query(query)).value
}
