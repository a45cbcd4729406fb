// `turnhouse context [ID]`: shows what fills the context window of a session.
import { exitCodes, usageFault } from "../../../app/app-fault.ts"
import { ask, openSession, withHomeConnection } from "../../../app/host/send-command.ts"
import { newestIn, sessionNamed } from "../../../app/sessions/sessions.ts"
import { describeContext } from "../../../contract/text/describe-context.ts"
import type { Args } from "../../command.ts"
import { writeJson } from "../../output.ts"

export function run(args: Args): Promise<number> {
  return withHomeConnection("context", async ({ log, port }, { cwd }) => {
    const [idOrName] = args.positionals
    const found = idOrName === undefined ? await newestIn(log, cwd) : await sessionNamed(log, idOrName)
    if (found === undefined) throw usageFault("no session in this folder; 'turnhouse ls' lists all sessions")
    const { sessionId } = await openSession(port, found.sessionId, "context")
    const usage = await ask(port, { type: "context-usage", sessionId })
    if (args.flag("json")) writeJson({ id: sessionId, ...usage })
    else process.stdout.write(`${describeContext(usage)}\n`)
    return exitCodes.done
  })
}
