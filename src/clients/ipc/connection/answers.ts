// Requests and their answers. The protocol has no request ids, and most answers go to every viewer: an answer is recognised
// by its type and content, and the oldest matching request takes it.
import type { AgentMessage, AgentMetadata } from "../../../protocols/ipc/frames.ts"
import { type SpawnOptions, defaultAskMs, type AskOptions } from "../options.ts"
import type { MessageOf } from "../viewer-events.ts"
import { PendingRequests } from "../../base/pending-requests.ts"
import { IpcDenied, IpcTimeout } from "../faults.ts"

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
export function exitReplyTo(command: string): Expected<true> {
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

export interface Expected<Answer> {
  /** The type of the request message. */
  readonly command: string
  /** Undefined when the message is not the answer. */
  readonly answer: (message: AgentMessage) => Answer | undefined
  /** The beginning of an error that refers to this request. */
  readonly errorPrefix?: string
}

interface Matcher {
  readonly matches: (message: AgentMessage) => boolean
}

export class PendingAnswers {
  readonly #pending = new PendingRequests<Matcher, AgentMessage>((command, ms) => new IpcTimeout(command, ms))

  wait<Answer>(expected: Expected<Answer>, { timeoutMs = defaultAskMs, signal }: AskOptions = {}): Promise<Answer> {
    const matches = (message: AgentMessage) => expected.answer(message) !== undefined || isErrorOf(expected, message)
    const read = (message: AgentMessage) => {
      const answer = expected.answer(message)
      if (answer !== undefined) return answer
      throw new IpcDenied(expected.command, message.type === "error" ? message.message : message.type)
    }
    return this.#pending.wait({ matches }, { name: expected.command, read, timeoutMs, signal })
  }

  receive(message: AgentMessage): void {
    for (const key of this.#pending.keys) if (key.matches(message)) return void this.#pending.answer(key, message)
  }

  rejectAll(fault: Error): void {
    this.#pending.rejectAll(() => fault)
  }
}

function isErrorOf({ command, errorPrefix }: Expected<unknown>, message: AgentMessage): boolean {
  if (message.type !== "error") return false
  return message.message.includes(command) || (errorPrefix !== undefined && message.message.startsWith(errorPrefix))
}
