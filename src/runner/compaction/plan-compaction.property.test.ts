import fc from "fast-check"
import { expect, it } from "vitest"
import type { SessionEvent } from "../../contract/events.ts"
import { contextItems, emptyContext, foldContext } from "../../projection/context.ts"
import { conversationText, inChunks } from "./conversation-text.ts"
import { planCompaction } from "./plan-compaction.ts"

const WINDOW = 1000

type Move =
  | { readonly kind: "prompt" | "step"; readonly length: number; readonly script: "a" | "語" }
  | { readonly kind: "compact"; readonly window: number }
  | { readonly kind: "shell" | "end" }

const move: fc.Arbitrary<Move> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("prompt" as const), length: size(), script: script() }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant("step" as const), length: size(), script: script() }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("compact" as const), window: fc.constantFrom(WINDOW, 200) }) },
  { weight: 1, arbitrary: fc.constantFrom({ kind: "shell" } as const, { kind: "end" } as const) },
)

function size() {
  return fc.oneof(fc.nat(50), fc.nat(6000))
}

function script() {
  return fc.constantFrom("a" as const, "語" as const)
}

/** A session that is compacted wherever the runner might do it, and all text that was in a request for a summary. */
class Walk {
  context = emptyContext()
  readonly markers: string[] = []
  readonly requests: string[] = []
  #seq = 0
  #isInTurn = false
  #prompt = ""

  do(step: Move): void {
    if (step.kind === "prompt") this.#say(step)
    if (step.kind === "step") this.#answer(step)
    if (step.kind === "compact") this.#compact(step.window)
    if (step.kind === "shell") this.#endShell()
    if (step.kind === "end") this.#isInTurn = false
  }

  get text(): string {
    return textOf(contextItems(this.context))
  }

  /** Of the running turn, if it is small enough to stay. */
  get prompt(): string {
    return this.#isInTurn ? this.#prompt : ""
  }

  #say({ length, script: letter }: Extract<Move, { script: string }>): void {
    const promptId = `prm_${this.#seq}` as const
    const turnId = `trn_${this.#seq}` as const
    const marker = this.#marker()
    const text = `${marker}${letter.repeat(length)}`
    const by = { principal: "you", door: "test" }
    this.#fold({ type: "prompt.admitted", promptId, text, delivery: "next-turn", by })
    if (!this.#isInTurn) {
      this.#fold({ type: "turn.started", turnId })
      this.#prompt = length < 50 ? marker : ""
    }
    this.#isInTurn = true
    this.#fold({ type: "prompt.promoted", promptId, turnId })
  }

  #answer({ length, script: letter }: Extract<Move, { script: string }>): void {
    if (!this.#isInTurn) return
    const stepId = `stp_${this.#seq}` as const
    const callId = `cal_${this.#seq}` as const
    this.#fold({ type: "step.started", stepId, turnId: "trn_0", model: "m" })
    this.#fold({ type: "text.ended", stepId, block: 0, text: this.#marker() })
    this.#fold({ type: "tool.called", stepId, callId, tool: "read", input: { path: this.#marker() } })
    const output = `${letter.repeat(length)}${this.#marker()}`
    this.#fold({ type: "tool.ended", callId, outcome: "done", output })
  }

  /** The end of a background shell is a note behind the newest message. */
  #endShell(): void {
    if (contextItems(this.context).length === 0) return
    this.#fold({
      type: "shell.ended",
      shellId: `bash_${this.#seq}`,
      command: this.#marker(),
      outcome: "exited",
      exitCode: 0,
    })
  }

  #compact(window: number): void {
    if (this.#isInTurn) this.#fold({ type: "step.started", stepId: `stp_${this.#seq}`, turnId: "trn_0", model: "m" })
    const plan = planCompaction(this.context, this.#isInTurn, window)
    if (plan === undefined) return
    const chunks = inChunks(conversationText(plan.items), window / 2)
    this.requests.push(chunks.map((chunk) => chunk.map(({ text }) => text).join("")).join(""))
    const { upToSeq, keeps } = plan
    this.#fold({ type: "compaction.started", compactionId: "cmp_1", why: "context-full" })
    const summary = this.#marker()
    this.#fold({ type: "context.compacted", compactionId: "cmp_1", summary, upToSeq, keeps: [...keeps] })
  }

  #marker(): string {
    const marker = `<${this.markers.length}>`
    this.markers.push(marker)
    return marker
  }

  #fold(event: SessionEvent): void {
    this.#seq += 1
    this.context = foldContext(this.context, { seq: this.#seq, at: 0, event })
  }
}

function textOf(items: ReturnType<typeof contextItems>): string {
  return conversationText(items)
    .map(({ text }) => text)
    .join("\n")
}

it("every event is in the context or was in the request for a summary, after any number of compactions", () => {
  fc.assert(
    fc.property(fc.array(move, { maxLength: 40 }), (moves) => {
      const walk = new Walk()
      for (const each of moves) {
        walk.do(each)
        const known = `${walk.text}${walk.requests.join("")}`
        expect(walk.markers.filter((marker) => !known.includes(marker))).toEqual([])
        expect(walk.text).toContain(walk.prompt)
      }
    }),
    { numRuns: 300 },
  )
})
