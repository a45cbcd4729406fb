// Describes how the host interprets an answer of an extension.
import { readAction } from "../../../protocols/extension/hook-kinds.ts"
import type { HookAction, HookKind } from "../../../protocols/extension/frames.ts"
import type { Reply } from "../../../processes/rpc-process.ts"
import { timing } from "../../../hooks/process/clock.ts"

export interface Understood {
  /** False if the extension has to be fixed. */
  readonly ok: boolean
  readonly words: string
}

export function understood(hook: HookKind, reply: Reply, permissions: ReadonlySet<string>): Understood {
  const counts = hook === "before_tool_call" ? "counts as continue, from a guard as block" : "counts as continue"
  switch (reply.kind) {
    case "result":
      break
    case "error":
      return rejected(`an error, which ${counts}: ${reply.message}`)
    case "fault":
      return rejected(`no answer, which ${counts}: ${reply.reason}`)
    case "given-up":
      return rejected(`no answer in ${timing.hookMs / 1000} s, which ${counts}`)
  }
  const read = readAction(hook, reply.value)
  if (read.kind === "malformed-modify") return rejected("modify without an input: the call is blocked")
  if (read.kind === "no-action") return rejected(`${read.problem}: ${counts}`)
  if (read.action.action === "replace" && !permissions.has("tools.transform_output"))
    return rejected("replace without the permission tools.transform_output: counts as continue")
  return { ok: true, words: describeAction(hook, read.action) }
}

function describeAction(hook: HookKind, action: HookAction): string {
  switch (action.action) {
    case "continue":
      return "continue: nothing changes"
    case "block":
      return `block: the tool does not run; the model reads: ${action.reason}`
    case "confirm":
      return `confirm: the user is asked: ${action.message}`
    case "modify":
      return "modify: the tool runs with this input"
    case "replace":
      return "replace: the model reads this output"
    case "inject":
      return hook === "on_session_start"
        ? "inject: goes into the system prompt of the session"
        : "inject: goes with this one request"
  }
}

function rejected(text: string): Understood {
  return { ok: false, words: text }
}
