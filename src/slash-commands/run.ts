// Runs the steps of a slash command on the client's port. A fault of the port is thrown.
import type { SlashAnswer, SlashPort } from "./command.ts"
import type { ResolvedCommand } from "./resolve.ts"

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
  let current = step
  while (current.kind === "step") current = await current.run(port)
  const exits = current.kind === "exit"
  return { result: resultOf(command, current.kind === "exit" ? current.answer : current), exits }
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
