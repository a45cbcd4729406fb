// Runs a slash command typed in `attach`, on the current state of the session, so that each command sees the effect of
// the one before it.
import type { HostPort, SendOutcome } from "../../contract/host-port.ts"
import type { SessionId } from "../../contract/ids.ts"
import { runSlash, type SlashResult, resolveSlash } from "../../slash-commands/resolve.ts"
import type { SlashPort, SlashRequest, SlashView } from "../../slash-commands/command.ts"
import { ask, localCaller, newChildId } from "../../app/host/send-command.ts"
import { lineCommands, type LineCommand } from "./line-command.ts"

export interface SlashSession extends Pick<SlashPort, "send" | "prompt"> {
  readonly port: HostPort
  readonly sessionId: SessionId
  readonly requests: readonly SlashRequest[]
}

/** The local user may run every command. */
const options = {
  blocked: [],
  newSessionId: newChildId,
  now: Date.now,
  place: "here",
  clientCommands: lineCommands,
}

export async function runLine(
  { name, args }: Extract<LineCommand, { kind: "slash" }>,
  place: SlashSession,
): Promise<SlashResult> {
  const { port } = place
  const slashPort: SlashPort = {
    send: (command) => place.send(command),
    prompt: (text) => place.prompt(text),
    query: (query) => port.query(query),
    perform: (command) => port.perform(command),
    sendTo: async (sessionId, command): Promise<SendOutcome> => {
      const opened = await port.open(sessionId, localCaller("attach"))
      return opened.kind === "refused" ? opened : opened.handle.send(command)
    },
  }
  const { result } = await runSlash(resolveSlash(await viewOf(place), name, args, options), slashPort)
  return result
}

async function viewOf({ port, sessionId, requests }: SlashSession): Promise<SlashView> {
  const { status, toolMode, tasks } = await ask(port, { type: "scene", sessionId, turns: 1 })
  return { sessionId, status, toolMode, tasks, requests }
}
