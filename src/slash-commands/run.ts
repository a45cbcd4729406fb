// Carries out what a slash command comes to, step by step. A refusal ends it and is its answer; a fault is thrown.
import type { SessionCommand } from "../contract/commands.ts"
import type { Answered, SendOutcome } from "../contract/house-port.ts"
import type { SessionId } from "../contract/ids.ts"
import type { HouseQuery } from "../contract/queries.ts"
import { describeRefusal } from "../contract/describe-refusal.ts"
import type { AgentMessage } from "../protocols/ipc/frames.ts"
import type { Slash } from "./resolve.ts"
import { failed, type SlashAnswer, type SlashStep } from "./command.ts"

export type SlashResult = Extract<AgentMessage, { readonly type: "slash_command_result" }>

/** What can be done for whoever typed the command. */
export interface SlashDesk {
  /** To the session in which it was typed. */
  send(command: SessionCommand): Promise<SendOutcome>
  /** Words like those that they type themselves. */
  prompt(text: string): Promise<SendOutcome>
  /** To another session. */
  tell(sessionId: SessionId, command: SessionCommand): Promise<SendOutcome>
  query(query: HouseQuery): Promise<Answered>
}

export interface SlashEnd {
  readonly result: SlashResult
  /** The session is to end now, as when its viewer says `exit`. */
  readonly exits: boolean
}

export async function runSlash({ command, step }: Slash, desk: SlashDesk): Promise<SlashEnd> {
  const { answer, exits } = await carryOut(step, desk)
  return { result: resultOf(command, answer), exits }
}

interface CarriedOut {
  readonly answer: SlashAnswer
  readonly exits: boolean
}

async function carryOut(step: SlashStep, desk: SlashDesk): Promise<CarriedOut> {
  switch (step.kind) {
    case "done":
    case "failed":
      return over(step)
    case "exit":
      return { answer: step.answer, exits: true }
    case "send": {
      const words = step.prompt
      const sends = step.commands.map((command) => () => desk.send(command))
      const all = words === undefined ? sends : [...sends, () => desk.prompt(words)]
      return (await refusedIn(all)) ?? carryOut(step.answer, desk)
    }
    case "tell": {
      const tells = step.sessionIds.map((sessionId) => () => desk.tell(sessionId, step.command))
      return (await refusedIn(tells)) ?? carryOut(step.answer, desk)
    }
    case "ask": {
      const answered = await desk.query(step.query)
      if (answered.kind === "answer") return carryOut(step.next(answered.value), desk)
      const { refusal } = answered
      return over(step.refused?.(refusal) ?? failed(describeRefusal(refusal)))
    }
  }
}

/** One after the other, until one is refused. */
async function refusedIn(sends: readonly (() => Promise<SendOutcome>)[]): Promise<CarriedOut | undefined> {
  for (const send of sends) {
    const sent = await send()
    if (sent.kind === "refused") return over(failed(describeRefusal(sent.refusal)))
  }
  return undefined
}

function over(answer: SlashAnswer): CarriedOut {
  return { answer, exits: false }
}

/** What is not there is left out. */
function resultOf(command: string, answer: SlashAnswer): SlashResult {
  const type = "slash_command_result"
  if (answer.kind === "failed")
    return { type, command, success: false, error: answer.error, blocked: answer.blocked ?? false }
  const { action, output } = answer
  const said = output === undefined ? {} : { output }
  return { type, command, success: true, ...said, action_taken: action, blocked: false }
}
