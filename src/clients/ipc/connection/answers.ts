// How the answer to each request is recognised on a protocol without request ids: by its type and content.
import type { AgentMessage, AgentMetadata } from "../../../protocols/ipc/frames.ts"
import type { SpawnOptions } from "../options.ts"
import type { MessageOf } from "../viewer-event.ts"
import type { Expected } from "./pending-answers.ts"

export interface SlashResult {
  readonly isSuccess: boolean
  readonly output: string | undefined
  readonly actionTaken: string | undefined
  readonly error: string | undefined
  /** The agent does not let viewers use this command. */
  readonly isBlocked: boolean
}

export function ackOf(command: string, ...others: readonly string[]): Expected<true> {
  const answer = (message: AgentMessage) =>
    message.type === "ack" && [command, ...others].includes(message.command) ? true : undefined
  return { command, answer, ...(command === "queue_message" && { errorPrefix: "Failed to queue" }) }
}

/** The agent may close instead of acknowledging. */
export function farewellTo(command: string): Expected<true> {
  const ack = ackOf(command)
  return { command, answer: (message) => (message.type === "exiting" ? true : ack.answer(message)) }
}

export const conversationSync: Expected<true> = {
  command: "sync_request",
  answer: (message) => (message.type === "conversation_sync" ? true : undefined),
}

export const agentList: Expected<readonly AgentMetadata[]> = {
  command: "list_agents",
  answer: (message) => (message.type === "agent_list" ? message.agents : undefined),
}

export function slashResultOf(command: string): Expected<SlashResult> {
  const name = withoutSlash(command).toLowerCase()
  const answer = (message: AgentMessage) =>
    message.type === "slash_command_result" && withoutSlash(message.command).toLowerCase() === name
      ? readSlashResult(message)
      : undefined
  return { command: "slash_command", answer }
}

/** Commands are sent without their slash. */
export function withoutSlash(command: string): string {
  return command.replace(/^\//, "")
}

export function spawnedBy(parent: string, { reason }: SpawnOptions): Expected<MessageOf<"agent_spawned">> {
  const answer = (message: AgentMessage) => {
    if (message.type !== "agent_spawned" || message.parent_session_id !== parent) return undefined
    return reason === undefined || message.spawn_reason === reason ? message : undefined
  }
  return { command: "spawn_agent", answer, errorPrefix: "Failed to spawn" }
}

function readSlashResult(message: MessageOf<"slash_command_result">): SlashResult {
  return {
    isSuccess: message.success,
    output: message.output ?? undefined,
    actionTaken: message.action_taken ?? undefined,
    error: message.error ?? undefined,
    isBlocked: message.blocked === true,
  }
}
