// How far the work on some messages has come. Their stages are walked in order; each asks for its calls, and the
// model's answers so far are dealt out in that same order. Calls are matched by place and tool, not by input, because a
// hook may have changed the input on the way. A stage that fails ends the work on its message. When a newer message
// came in between, an older one is finished only as far as it just looks: it may have been interrupted.
import type { Round, Settled } from "../prompt.ts"
import type { AnswerMove, CallMove, Move } from "./move.ts"
import { onlyLooks, type Request, type Stage } from "./request.ts"
import { advance } from "./work.ts"

export interface Asked {
  readonly stages: readonly Stage[]
  readonly isNewest: boolean
  /** How many rounds there were when the next message came. */
  readonly roundsBefore: number
}

export type Progress =
  | { readonly kind: "calls"; readonly calls: readonly CallMove[] }
  | { readonly kind: "answer"; readonly text: string; readonly understood: boolean }

export function progress(asked: readonly Asked[], rounds: readonly Round[], tools: ReadonlySet<string>): Progress {
  const answers: string[] = []
  const dealer = new Dealer(rounds)
  for (const message of asked) {
    const done = workOn(message, dealer, tools)
    if (done.kind === "calls") return done
    answers.push(...done.answers)
  }
  const requests = asked.flatMap((message) => message.stages.flat())
  const understood = requests.every(({ kind }) => kind !== "unknown" && kind !== "help")
  return { kind: "answer", text: answers.join("\n\n"), understood }
}

type Done = Extract<Progress, { kind: "calls" }> | { readonly kind: "answers"; readonly answers: readonly string[] }

function workOn({ stages, isNewest, roundsBefore }: Asked, dealer: Dealer, tools: ReadonlySet<string>): Done {
  const answers: string[] = []
  for (const [index, stage] of stages.entries()) {
    const goesOn = isNewest || stage.every(onlyLooks)
    const moves = movesOf(stage, dealer, goesOn ? Infinity : roundsBefore, tools)
    const calls = moves.filter(isCall)
    if (calls.length > 0 && goesOn) return { kind: "calls", calls }
    answers.push(...moves.filter(isAnswer).map((move) => move.text))
    if (calls.length > 0)
      return { kind: "answers", answers: [...answers, "I did not go on with what you asked before."] }
    if (!moves.filter(isAnswer).some((move) => move.outcome === "failed")) continue
    if (index < stages.length - 1) answers.push("I left the rest of what you asked for undone.")
    break
  }
  return { kind: "answers", answers }
}

interface Task {
  readonly request: Request
  readonly results: Settled[]
}

/** What each request of a stage wants next, after every round that is its own. */
function movesOf(stage: Stage, dealer: Dealer, upTo: number, tools: ReadonlySet<string>): readonly Move[] {
  const tasks = stage.map((request): Task => ({ request, results: [] }))
  for (;;) {
    const moves = tasks.map(({ request, results }) => advance(request, results, tools))
    const round = moves.some(isCall) ? dealer.next(upTo) : undefined
    if (round === undefined) return moves
    const unclaimed = [...round]
    for (const [index, move] of moves.entries()) {
      const at = unclaimed.findIndex((settled) => isCall(move) && settled.tool === move.tool)
      if (at !== -1) tasks[index]?.results.push(...unclaimed.splice(at, 1))
    }
  }
}

class Dealer {
  readonly #rounds: readonly Round[]
  #dealt = 0

  constructor(rounds: readonly Round[]) {
    this.#rounds = rounds
  }

  next(upTo: number): Round | undefined {
    return this.#dealt < upTo ? this.#rounds[this.#dealt++] : undefined
  }
}

function isCall(move: Move): move is CallMove {
  return move.kind === "call"
}

function isAnswer(move: Move): move is AnswerMove {
  return move.kind === "answer"
}
