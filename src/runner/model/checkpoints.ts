// What a step has said so far, stored from time to time. One piece at a time: of two that overlap the first may be
// refused and the second stored, and put together they would be nonsense.
import type { LiveStep } from "./live-step.ts"
import type { SessionContext } from "../session-context.ts"

export class Checkpoints {
  readonly #session: SessionContext
  readonly #live: LiveStep
  readonly #end: () => void
  #underWay: Promise<void> | undefined

  constructor(session: SessionContext, live: LiveStep) {
    this.#session = session
    this.#live = live
    this.#end = session.services.checkpoints.follow(() => {
      if (this.#underWay === undefined) void this.#save()
    })
  }

  end(): void {
    this.#end()
  }

  /** Everything that was said, whatever was under way. */
  async saveAll(): Promise<void> {
    await this.#underWay
    await this.#save()
  }

  #save(): Promise<void> {
    this.#underWay = this.#store().finally(() => (this.#underWay = undefined))
    return this.#underWay
  }

  async #store(): Promise<void> {
    const live = this.#live
    const blocks = this.#session.streaming === live ? live.takeUnsaved() : []
    if (blocks.length === 0) return
    const { log, lease, warn } = this.#session.services
    const saved = await log.checkpoint(lease, this.#session.id, { stepId: live.stepId, blocks })
    if (saved.kind === "ok") return
    live.notSaved(blocks)
    warn(`streamed text was not checkpointed: ${saved.refusal.code}`, this.#session.id)
  }
}
