// Carries out the steps of a slash command. A refusal becomes the answer; a fault is thrown.
import type { SessionCommand } from "../contract/commands.ts"
import type { SendOutcome } from "../contract/host-port.ts"
import type { SessionId } from "../contract/ids.ts"
import { describeRefusal } from "../contract/describe-refusal.ts"
import { failed, type AskPort, type SlashAnswer, type SlashStep } from "./command.ts"
import type { ResolvedCommand } from "./resolve.ts"

/** What a command may do, in the name of the client that typed it. */
export interface SlashPort extends AskPort {
  /** To the session in which the command was typed. */
  send(command: SessionCommand): Promise<SendOutcome>
  prompt(text: string): Promise<SendOutcome>
  sendTo(sessionId: SessionId, command: SessionCommand): Promise<SendOutcome>
}

/** The result as clients get it: a frame of the session socket, a line of `attach --json`. */
export interface SlashResult {
  readonly type: "slash_command_result"
  readonly command: string
  readonly success: boolean
  readonly output?: string
  readonly action_taken?: string
  readonly error?: string
  readonly blocked: boolean
}

export interface SlashOutcome {
  readonly result: SlashResult
  /** The client must end the session now. */
  readonly exits: boolean
}

export async function runSlash({ command, step }: ResolvedCommand, port: SlashPort): Promise<SlashOutcome> {
  const last = await runSteps(step, port)
  const exits = last.kind === "exit"
  return { result: resultOf(command, exits ? last.answer : last), exits }
}

async function runSteps(step: SlashStep, port: SlashPort): Promise<SlashAnswer | Extract<SlashStep, { kind: "exit" }>> {
  switch (step.kind) {
    case "done":
    case "failed":
    case "exit":
      return step
    case "send": {
      const { prompt } = step
      const sends = step.commands.map((command) => () => port.send(command))
      if (prompt !== undefined) sends.push(() => port.prompt(prompt))
      return (await firstRefusal(sends)) ?? runSteps(step.next, port)
    }
    case "send-to": {
      const sends = step.sessionIds.map((sessionId) => () => port.sendTo(sessionId, step.command))
      return (await firstRefusal(sends)) ?? runSteps(step.next, port)
    }
    case "ask":
      return runSteps(await step.ask(port), port)
  }
}

/** Sends one after the other and stops at the first refusal. */
async function firstRefusal(sends: readonly (() => Promise<SendOutcome>)[]): Promise<SlashAnswer | undefined> {
  for (const send of sends) {
    const sent = await send()
    if (sent.kind === "refused") return failed(describeRefusal(sent.refusal))
  }
  return undefined
}

/** Absent fields are left out. */
function resultOf(command: string, answer: SlashAnswer): SlashResult {
  const type = "slash_command_result"
  if (answer.kind === "failed")
    return { type, command, success: false, error: answer.error, blocked: answer.blocked ?? false }
  const { action, output } = answer
  const shown = output === undefined ? {} : { output }
  return { type, command, success: true, ...shown, action_taken: action, blocked: false }
}
