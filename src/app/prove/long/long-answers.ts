// What the model of a conversation says: thoughts, texts and calls, until the budget of its turn is used up.
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { pick } from "../seeded.ts"
import { markedText } from "./marks.ts"

export interface Said {
  /** As chat completions stream them. */
  readonly deltas: readonly object[]
  /** Without one it breaks off. */
  readonly finish: "stop" | "tool_calls" | "length" | undefined
  /** The name of a text in it. */
  readonly name: string
  /** Its newest text. */
  readonly text: string
}

export interface AnswerOptions {
  readonly below: (below: number) => number
  /** Where the tool `look` reads its results. */
  readonly outputs: string
  /** Called with each new text. */
  readonly onText: (text: string) => void
  /** Called when a message is to join the turn. */
  readonly onSteer: () => void
}

/** Characters of a result. The longest is longer than what a model gets of one. */
const outputLengths = [60, 300, 1000, 1000, 3000, 3000, 8000, 20_000, 42_000] as const
const MAX_CALLS = 4
/** Characters of a delta. */
const PIECE = /.{1,400}/gsu

export class LongAnswers {
  readonly #options: AnswerOptions
  #texts = 0

  constructor(options: AnswerOptions) {
    this.#options = options
  }

  newText(kind: "p" | "f" | "t" | "r" | "c" | "o" | "s", length: number): string {
    this.#texts += 1
    const text = markedText(`${kind}${this.#texts}`, length)
    this.#options.onText(text)
    return text
  }

  /** Some are cut off by the limit of tokens, others break off. */
  summary(mayBeCut: boolean): Said {
    const { below } = this.#options
    const text = this.newText("s", 200 + below(1200))
    const chance = mayBeCut ? below(20) : 0
    const finish = chance === 1 ? undefined : chance < 4 && chance > 0 ? "length" : "stop"
    return { deltas: piecesOf(text, "content"), finish, name: this.#newest("s"), text }
  }

  /** `isLast`: of its turn. */
  answer(isLast: boolean): Said {
    const { below } = this.#options
    const thought = below(4) === 0 ? piecesOf(this.newText("r", 50 + below(400)), "reasoning_content") : []
    const text = isLast || below(3) > 0 ? this.newText("t", 60 + below(2000)) : ""
    const name = this.#newest("t")
    const spoken = [...thought, ...piecesOf(text, "content")]
    if (isLast) return { deltas: spoken, finish: "stop", name, text }
    if (text !== "" && below(30) === 0) return { deltas: spoken, finish: undefined, name, text }
    if (below(25) === 0) this.#options.onSteer()
    const firstCall = `c${this.#texts + 1}`
    const calls = Array.from({ length: 1 + below(MAX_CALLS) }, (_, index) => this.#call(index))
    return { deltas: [...spoken, ...calls], finish: "tool_calls", name: text === "" ? firstCall : name, text }
  }

  #newest(kind: string): string {
    return `${kind}${this.#texts}`
  }

  #call(index: number): object {
    const { below } = this.#options
    const note = this.newText("c", 20 + below(300))
    const number = this.#texts
    const chance = below(30)
    if (chance === 0) return callDelta(index, number, "missing_tool", { note })
    if (chance === 1) return callDelta(index, number, "bash", { command: `: '${note}'`, run_in_background: true })
    const output = this.newText("o", pick(outputLengths, below))
    const file = `o${this.#texts}`
    writeFileSync(join(this.#options.outputs, file), output)
    return callDelta(index, number, "look", { file, note })
  }
}

function callDelta(index: number, number: number, name: string, input: object): object {
  const call = { index, id: `call_${number}`, type: "function", function: { name, arguments: JSON.stringify(input) } }
  return { tool_calls: [call] }
}

function piecesOf(text: string, field: "content" | "reasoning_content"): readonly object[] {
  return (text.match(PIECE) ?? []).map((piece) => ({ [field]: piece }))
}
