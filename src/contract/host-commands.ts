// Commands to a host about an open session, each with its result. They change state outside the session's log.
import { z } from "zod"
import type { FieldsOf } from "./define.ts"
import { SessionId } from "./ids.ts"
import { limits } from "./limits.ts"
import { LockType } from "./values.ts"
import { LockAcquisition } from "./views/host.ts"
import { MovedSession } from "./views/nodes.ts"

function command<Shape extends z.ZodRawShape, Result extends z.ZodType>(fields: Shape, result: Result) {
  return { fields: { sessionId: SessionId, ...fields }, result }
}

const lock = { lock: LockType, scope: z.string().max(limits.lockScopeLength) }

export const hostCommands = {
  /** Runs a command of the query `commands`. The result is text to show, or text to send as a prompt. */
  "run-command": command(
    { name: z.string().min(1).max(limits.nameLength), args: z.array(z.string()).max(100) },
    z.object({ kind: z.enum(["output", "prompt"]), text: z.string() }),
  ),
  /** Acquires a lock for a session, or returns its holder. It does not wait. */
  "acquire-lock": command({ ...lock, description: z.string().max(limits.nameLength).optional() }, LockAcquisition),
  "release-lock": command(lock, z.object({ released: z.boolean(), scope: z.string() })),
  /** Publishes the progress of the holder to other sessions. */
  "set-lock-status": command({ ...lock, status: z.string().max(limits.nameLength) }, z.object({ set: z.boolean() })),
  /** Hands the session and its agents over to a node of the cluster, where a running turn goes on. */
  "move-session": command({ node: z.string().min(1).max(limits.nameLength) }, MovedSession),
}

export type HostCommandType = keyof typeof hostCommands
export type HostCommands = {
  [Type in HostCommandType]: { type: Type; sessionId: SessionId } & FieldsOf<(typeof hostCommands)[Type]["fields"]>
}
export type HostCommandResults = { [Type in HostCommandType]: z.infer<(typeof hostCommands)[Type]["result"]> }
export type HostCommand = HostCommands[HostCommandType]

/** The outcome of `run-command` in a session. */
export type CommandAnswer =
  /** For people. */
  | { readonly kind: "output"; readonly text: string }
  /** To be sent like a typed prompt. */
  | { readonly kind: "prompt"; readonly text: string }
  | { readonly kind: "failed"; readonly why: string }
  | { readonly kind: "unknown" }
