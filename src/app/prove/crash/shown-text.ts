// The text of answers as a client assembles it from deltas, compared with the event that repeats it.
import type { WatchItem } from "../../../contract/host-port.ts"
import type { Report } from "../violation.ts"

export class ShownText {
  readonly #report: Report
  /** Text so far, by step and block, of the blocks that this connection was shown from their beginning. */
  #open = new Map<string, string>()
  /** The same when the last connection was lost: a checkpoint of it must be stored unchanged. */
  #lost = new Map<string, string>()

  constructor(report: Report) {
    this.#report = report
  }

  disconnect(): void {
    this.#lost = new Map([...this.#lost, ...this.#open])
    this.#open = new Map()
  }

  take(item: WatchItem): void {
    if (item.kind === "streamed")
      for (const { block, text } of item.blocks) this.#open.set(keyOf(item.stepId, block), text)
    if (item.kind === "delta") this.#takeDelta(item.delta)
    if (item.kind !== "event") return
    const { event } = item.recorded
    if (event.type === "text.ended" || event.type === "reasoning.ended") this.#end(event)
  }

  #takeDelta(delta: Extract<WatchItem, { kind: "delta" }>["delta"]): void {
    if (delta.type !== "text.delta" && delta.type !== "reasoning.delta") return
    const key = keyOf(delta.stepId, delta.block)
    this.#open.set(key, (this.#open.get(key) ?? "") + delta.delta)
  }

  #end({ type, stepId, block, text }: { type: string; stepId: string; block: number; text: string }): void {
    const key = keyOf(stepId, block)
    const shown = this.#open.get(key)
    const before = this.#lost.get(key)
    this.#open.delete(key)
    this.#lost.delete(key)
    if (shown !== undefined && shown !== text)
      this.#report(
        shown.length > text.length ? "doubled" : "lost",
        type,
        `the deltas add up to "${shown}", the event says "${text}"`,
      )
    if (before !== undefined && !before.startsWith(text) && !text.startsWith(before))
      this.#report("broken", type, `"${before}" was shown before the kill, "${text}" is stored`)
  }
}

function keyOf(stepId: string, block: number): string {
  return `${stepId}/${block}`
}
