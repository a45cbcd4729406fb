// Says how to continue a session whose turn did not come to its end.
import { printNotice, styled } from "../../app/terminal.ts"
import type { SessionView } from "../../app/sessions/session-view.ts"
import type { Args } from "../command.ts"
import type { TurnEnd } from "./turn-end.ts"

export function printContinuation(args: Args, view: SessionView, end: TurnEnd): void {
  const advice = adviceFor(end, view)
  if (advice !== undefined) printNotice(styled("dim", advice(commandFor(args, view))))
}

/** For a turn that ended before this command. */
export function printRetry(args: Args, view: SessionView): void {
  printNotice(styled("dim", retry(commandFor(args, view))))
}

const retry = (command: string) => `To continue: ${command} "go on"`

function commandFor(args: Args, { sessionId }: SessionView): string {
  return args.text("session") === undefined ? "turnhouse run -c" : `turnhouse run -s ${sessionId}`
}

type Advice = (command: string) => string

function adviceFor({ reason, code, signal }: TurnEnd, { state }: SessionView): Advice | undefined {
  if (reason === "parked") {
    if (state.asleep) return undefined // its own notice says how to resume it
    return state.turn?.parked?.why === "budget"
      ? (command) => `The turn is parked. To continue it: ${command} --budget USD`
      : (command) => `The turn is parked. To continue it: ${command}`
  }
  if (code === "prompt.refused") return undefined // its reason says what to change
  const hasStopped = reason === "failed" || reason === "interrupted" || reason === "step-limit" || signal > 0
  return hasStopped ? retry : undefined
}
