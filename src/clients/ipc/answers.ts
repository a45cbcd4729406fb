// By what an answer is known on a wire without ids: its type, and what stands in it.
import type { AgentMessage, AgentMetadata } from "../../protocols/ipc/frames.ts"
import type { MessageOf } from "./audience.ts"
import type { Expected } from "./expectations.ts"
import type { SpawnOptions } from "./options.ts"

export interface SlashResult {
  readonly isSuccess: boolean
  readonly output: string | undefined
  readonly actionTaken: string | undefined
  readonly error: string | undefined
  /** The agent's owner does not let viewers use it. */
  readonly isBlocked: boolean
}

export function ackOf(command: string, ...others: readonly string[]): Expected<true> {
  const answer = (message: AgentMessage) =>
    message.type === "ack" && [command, ...others].includes(message.command) ? true : undefined
  return { command, answer, ...(command === "queue_message" && { errors: "Failed to queue" }) }
}

export const aSync: Expected<true> = {
  command: "sync_request",
  answer: (message) => (message.type === "conversation_sync" ? true : undefined),
}

export const anAgentList: Expected<readonly AgentMetadata[]> = {
  command: "list_agents",
  answer: (message) => (message.type === "agent_list" ? message.agents : undefined),
}

export function resultOf(command: string): Expected<SlashResult> {
  const name = plainName(command).toLowerCase()
  const answer = (message: AgentMessage) =>
    message.type === "slash_command_result" && plainName(message.command).toLowerCase() === name
      ? slashResult(message)
      : undefined
  return { command: "slash_command", answer }
}

/** As it is sent: without its slash. */
export function plainName(command: string): string {
  return command.replace(/^\//, "")
}

export function spawnedBy(parent: string, { reason }: SpawnOptions): Expected<MessageOf<"agent_spawned">> {
  const answer = (message: AgentMessage) => {
    if (message.type !== "agent_spawned" || message.parent_session_id !== parent) return undefined
    return reason === undefined || message.spawn_reason === reason ? message : undefined
  }
  return { command: "spawn_agent", answer, errors: "Failed to spawn" }
}

function slashResult(message: MessageOf<"slash_command_result">): SlashResult {
  return {
    isSuccess: message.success,
    output: message.output ?? undefined,
    actionTaken: message.action_taken ?? undefined,
    error: message.error ?? undefined,
    isBlocked: message.blocked === true,
  }
}
