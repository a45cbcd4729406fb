// One trace record per hook call: hook, kind of answer and duration, never its content.
import { isJsonObject } from "../../contract/json-object.ts"
import type { HookEvent } from "../../protocols/extension/frames.ts"
import type { Reply } from "../process/extension-process.ts"

export interface TracedExtension {
  readonly health: string
  readonly restarts: number
  readonly spec: { readonly id: string }
}

export function traceLine({ kind }: HookEvent, reply: Reply, ms: number, extension: TracedExtension): string {
  const record = {
    hook: kind,
    extension: extension.spec.id,
    action: actionOf(reply),
    duration_ms: Math.round(ms * 10) / 10,
    health: extension.health,
    restart_count: extension.restarts,
  }
  return `trace ${JSON.stringify(record)}`
}

function actionOf(reply: Reply): string {
  switch (reply.kind) {
    case "given-up":
      return "timeout"
    case "error":
    case "fault":
      return reply.kind
    case "result": {
      const action = isJsonObject(reply.value) ? reply.value["action"] : undefined
      return typeof action === "string" ? action.slice(0, 60) : "none"
    }
  }
}
