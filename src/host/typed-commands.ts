// Commands that people type in a session, beside those that its door knows: of their folder, of their own, of the
// session's extensions. Only a session that is open has any.
import type { SessionId } from "../contract/ids.ts"
import type { QueryOf } from "../contract/queries.ts"
import type { Outcome } from "../log/event-log.ts"
import { ok, refused } from "../log/outcome.ts"
import type { House } from "./house.ts"

export async function listCommands(house: House, sessionId: SessionId): Promise<Outcome<unknown>> {
  const opened = await house.opened(sessionId)
  if (opened.kind === "refused") return opened
  return ok((await opened.session.services.commands?.list()) ?? [])
}

export async function runCommand(house: House, query: QueryOf<"run-command">): Promise<Outcome<unknown>> {
  const { sessionId, name, args } = query
  const opened = await house.opened(sessionId)
  if (opened.kind === "refused") return opened
  const answer = (await opened.session.services.commands?.run(name, args)) ?? { kind: "unknown" }
  switch (answer.kind) {
    case "unknown":
      return refused({ code: "command.unknown", name })
    case "failed":
      return refused({ code: "command.failed", name, what: answer.why })
    default:
      return ok(answer)
  }
}
