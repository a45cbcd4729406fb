// Slash commands of a session beside the built-in ones: of its folder, its user and its extensions. Only an open session
// has them, and an extension's command never shadows one of the user.
import type { SessionId } from "../../contract/ids.ts"
import { isServerTool } from "../../contract/rules/server-tools.ts"
import type { HostCommandResults, HostCommands, CommandAnswer } from "../../contract/host-commands.ts"
import { ok, refused, type Outcome } from "../../log/event-log.ts"
import type { TypedCommand } from "../../contract/views/host.ts"
import type { SessionActor } from "../../runner/session-actor.ts"
import type { SessionHost } from "../session-host.ts"

export async function listCommands(host: SessionHost, sessionId: SessionId): Promise<Outcome<readonly TypedCommand[]>> {
  const opened = await host.opened(sessionId)
  if (opened.kind === "refused") return opened
  const { hooks, servers, services } = opened.session
  const typedCommands = (await services.commands?.list()) ?? []
  const usedNames = new Set(typedCommands.map(({ name }) => name))
  const extensionCommands = (hooks?.commands ?? []).filter(({ name }) => !usedNames.has(name))
  const promptCommands = (await servers?.promptCommands()) ?? []
  return ok([...typedCommands, ...extensionCommands.map(ofExtension), ...promptCommands])
}

export async function runCommand(
  session: SessionActor,
  { name, args }: HostCommands["run-command"],
): Promise<Outcome<HostCommandResults["run-command"]>> {
  const { scrubber } = session.services
  const answer = await answerOf(session, name, args)
  switch (answer.kind) {
    case "unknown":
      return refused({ code: "command.unknown", name })
    case "failed":
      return refused({ code: "command.failed", name, what: scrubber.text(answer.why) })
    case "output":
      return ok({ ...answer, text: scrubber.text(answer.text) })
    case "prompt":
      return ok(answer)
  }
}

async function answerOf(session: SessionActor, name: string, args: readonly string[]): Promise<CommandAnswer> {
  const typedCommands = (await session.services.commands?.run(name, args)) ?? { kind: "unknown" }
  if (typedCommands.kind !== "unknown") return typedCommands
  if (isServerTool(name)) return (await session.servers?.runPrompt(name, args)) ?? typedCommands
  if (session.hooks === undefined) return typedCommands
  // Not cancelled: it has its own time limit, and its processes end with the session.
  const { plan, turn } = session.state
  const inPlan = plan !== undefined || turn?.planId !== undefined
  return session.hooks.runCommand(name, args, { inPlan, signal: new AbortController().signal })
}

function ofExtension({ extension: source, ...command }: Offered): TypedCommand {
  return { ...command, source }
}

type Offered = NonNullable<SessionActor["hooks"]>["commands"][number]
