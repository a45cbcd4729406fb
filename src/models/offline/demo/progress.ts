// How far the work on the open messages has come. The model's rounds of calls so far are dealt out to the jobs in order.
// Calls are matched by place and tool, not by input, because a hook may have changed the input.
import type { Round, Settled } from "../prompt.ts"
import type { CallMove, Job, Move } from "./move.ts"

export interface Request {
  readonly jobs: readonly Job[]
  /** False for an older message that changes something: it may have been interrupted. */
  readonly mayContinue: boolean
  /** Rounds of calls before the next message. */
  readonly roundsBefore: number
}

export type Progress =
  | { readonly kind: "calls"; readonly calls: readonly CallMove[] }
  | { readonly kind: "answer"; readonly text: string }

export function progress(requests: readonly Request[], rounds: readonly Round[], tools: ReadonlySet<string>): Progress {
  const answers: string[] = []
  let dealt = 0
  for (const { jobs, mayContinue, roundsBefore } of requests) {
    const results = jobs.map((): Settled[] => [])
    for (;;) {
      const moves = jobs.map((job, index) => job(results[index] ?? [], tools))
      const calls = moves.filter((move) => move.kind === "call")
      if (calls.length === 0) {
        answers.push(...moves.flatMap((move) => (move.kind === "answer" ? [move.text] : [])))
        break
      }
      const round = dealt < (mayContinue ? Infinity : roundsBefore) ? rounds[dealt++] : undefined
      if (round !== undefined) deal(round, moves, results)
      else if (mayContinue) return { kind: "calls", calls }
      else {
        answers.push("I did not continue with your earlier request.")
        break
      }
    }
  }
  return { kind: "answer", text: answers.join("\n\n") }
}

function deal(round: Round, moves: readonly Move[], results: readonly Settled[][]): void {
  const unclaimed = [...round]
  for (const [index, move] of moves.entries()) {
    const at = unclaimed.findIndex((settled) => move.kind === "call" && settled.tool === move.tool)
    if (at !== -1) results[index]?.push(...unclaimed.splice(at, 1))
  }
}
