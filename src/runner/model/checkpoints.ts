// Stores the streamed text of a step from time to time. One write at a time: if two overlapped and only the second were
// stored, the text would have a gap.
import type { LiveStep } from "./live-step.ts"
import type { SessionContext } from "../session-context.ts"

export class Checkpoints {
  readonly #session: SessionContext
  readonly #live: LiveStep
  readonly #end: () => void
  #saving: Promise<void> | undefined

  constructor(session: SessionContext, live: LiveStep) {
    this.#session = session
    this.#live = live
    this.#end = session.services.checkpoints.subscribe(() => {
      if (this.#saving === undefined) void this.#save()
    })
  }

  end(): void {
    this.#end()
  }

  /** All text so far, after the write that is running. */
  async saveAll(): Promise<void> {
    await this.#saving
    await this.#save()
  }

  #save(): Promise<void> {
    this.#saving = this.#store().finally(() => (this.#saving = undefined))
    return this.#saving
  }

  async #store(): Promise<void> {
    const live = this.#live
    const blocks = this.#session.streaming === live ? live.takeUnsaved() : []
    if (blocks.length === 0) return
    const { log, lease, warn } = this.#session.services
    const saved = await log.checkpoint(lease, this.#session.id, { stepId: live.stepId, blocks })
    if (saved.kind === "ok") return
    live.notSaved(blocks)
    warn(`cannot checkpoint streamed text: ${saved.refusal.code}`, this.#session.id)
  }
}
