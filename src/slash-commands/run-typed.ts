// Runs a slash command that the user typed, on the current state of the session, so that each command sees the effect of
// the one before it.
import type { HostPort, SendOutcome } from "../contract/host-port.ts"
import type { SessionId } from "../contract/ids.ts"
import { describeRefusal } from "../contract/text/describe-refusal.ts"
import type { Who } from "../contract/values.ts"
import type { SlashPort, SlashRequest } from "./command.ts"
import { resolveSlash, runSlash, type SlashResult } from "./resolve.ts"
import { lineCommands, type LineCommand } from "./typed-line.ts"

export interface TypingSession extends Pick<SlashPort, "send" | "prompt"> {
  readonly port: HostPort
  readonly sessionId: SessionId
  readonly requests: readonly SlashRequest[]
  readonly caller: Who
  readonly newSessionId: () => SessionId
  readonly now: () => number
}

/** The local user may run every command. */
export async function runTyped(
  { name, args }: Extract<LineCommand, { kind: "slash" }>,
  session: TypingSession,
): Promise<SlashResult> {
  const { port, sessionId, requests, newSessionId, now } = session
  const scene = await port.query({ type: "scene", sessionId, turns: 1 })
  if (scene.kind === "refused")
    return {
      type: "slash_command_result",
      command: name,
      success: false,
      error: describeRefusal(scene.refusal),
      blocked: false,
    }
  const { status, toolMode, tasks } = scene.value
  const options = { blocked: [], newSessionId, now, place: "here", clientCommands: lineCommands }
  const resolved = resolveSlash({ sessionId, status, toolMode, tasks, requests }, name, args, options)
  const { result } = await runSlash(resolved, slashPort(session))
  return result
}

function slashPort({ port, caller, send, prompt }: TypingSession): SlashPort {
  return {
    send,
    prompt,
    query: (query) => port.query(query),
    perform: (command) => port.perform(command),
    sendTo: async (sessionId, command): Promise<SendOutcome> => {
      const opened = await port.open(sessionId, caller)
      return opened.kind === "refused" ? opened : opened.handle.send(command)
    },
  }
}
