// The session that is open in the page: the shared session model as signals. Items of the transcript have a signal each, so
// that a change draws one item; deltas that come within one frame are drawn together.
import { batch, signal, type ReadonlySignal, type Signal } from "@preact/signals"
import type { SessionCommand } from "../../../src/contract/commands.ts"
import type { Answered, SendOutcome } from "../../../src/contract/host-port.ts"
import type { CallId, SessionId, StepId } from "../../../src/contract/ids.ts"
import type { Answers } from "../../../src/contract/queries.ts"
import type { Refusal } from "../../../src/contract/refusals.ts"
import type { OutputPiece } from "../../../src/contract/rules/live-output.ts"
import type { TranscriptItem } from "../../../src/projection/transcript.ts"
import { SessionLink } from "../../../src/clients/session/session-link.ts"
import type { SessionModel } from "../../../src/clients/session/session-model.ts"
import type { Access } from "./connection.ts"
import { nextFrame } from "./frames.ts"

export type LinkState =
  | { readonly kind: "opening" }
  | { readonly kind: "live" }
  | { readonly kind: "lost" }
  | { readonly kind: "ended"; readonly refusal: Refusal }

/** Text that the model writes at the moment. */
export interface LiveStep {
  readonly stepId: StepId | undefined
  readonly text: string
  readonly reasoning: string
}

const noStep: LiveStep = { stepId: undefined, text: "", reasoning: "" }

export class SessionStore {
  readonly sessionId: SessionId
  /** A new object after each event; deltas change only `live` and `outputs`. */
  readonly model = signal<SessionModel | undefined>(undefined)
  readonly link = signal<LinkState>({ kind: "opening" })
  /** Keys of the items, oldest first. */
  readonly keys = signal<readonly string[]>([])
  readonly live = signal<LiveStep>(noStep)
  readonly #items = new Map<string, Signal<TranscriptItem>>()
  readonly #outputs = new Map<CallId, Signal<OutputPiece | undefined>>()
  readonly #link: SessionLink
  readonly #port: Access["port"]
  #newest: SessionModel | undefined
  #isDrawing = false
  #isClosed = false
  /** Whether the newest lines are shown, so that old turns may be dropped. */
  isFollowing: () => boolean = () => true

  constructor(sessionId: SessionId, { port, caller }: Access) {
    this.sessionId = sessionId
    this.#port = port
    this.#link = new SessionLink(
      sessionId,
      { port, caller, env: undefined },
      {
        changed: (model) => this.#change(model),
        lost: () => (this.link.value = { kind: "lost" }),
        live: () => (this.link.value = { kind: "live" }),
        ended: (refusal) => (this.link.value = { kind: "ended", refusal }),
        isFollowing: () => this.isFollowing(),
      },
    )
    void this.#join()
  }

  item(key: string): ReadonlySignal<TranscriptItem> | undefined {
    return this.#items.get(key)
  }

  /** What a running call has printed. */
  output(callId: CallId): ReadonlySignal<OutputPiece | undefined> {
    const known = this.#outputs.get(callId) ?? signal(this.#newest?.outputs.get(callId))
    this.#outputs.set(callId, known)
    return known
  }

  send(command: SessionCommand): Promise<SendOutcome> {
    return this.#link.send(command)
  }

  /** The images of the result that is event `seq`. */
  resultImages(seq: number): Promise<Answered<Answers["result-images"]>> {
    return this.#port.query({ type: "result-images", sessionId: this.sessionId, seq })
  }

  readEarlier(): Promise<boolean> {
    return this.#link.readEarlier()
  }

  /** The connection of the session was interrupted, or is back. */
  setLink(state: "lost" | "live"): void {
    if (this.link.value.kind === "live" || this.link.value.kind === "lost") this.link.value = { kind: state }
  }

  close(): void {
    this.#isClosed = true
    this.#link.close()
  }

  async #join(): Promise<void> {
    const refusal = await this.#link.join()
    if (this.#isClosed) return
    this.link.value = refusal === undefined ? { kind: "live" } : { kind: "ended", refusal }
  }

  #change(model: SessionModel): void {
    const isFirst = this.#newest === undefined
    this.#newest = model
    if (isFirst) return this.#draw()
    if (this.#isDrawing) return
    this.#isDrawing = true
    nextFrame(() => {
      this.#isDrawing = false
      if (!this.#isClosed) this.#draw()
    })
  }

  #draw(): void {
    const model = this.#newest
    if (model === undefined) return
    batch(() => {
      if (this.model.value !== model) this.#drawItems(model)
      this.model.value = model
      this.#drawLive(model)
    })
  }

  /** Unchanged items keep their identity, and their signal draws nothing. */
  #drawItems({ transcript: { items } }: SessionModel): void {
    const keys = items.map(itemKey)
    const isSame = keys.length === this.keys.value.length && keys.every((key, at) => key === this.keys.value[at])
    for (const [at, key] of keys.entries()) {
      const item = items[at]
      const known = this.#items.get(key)
      if (item === undefined) continue
      if (known === undefined) this.#items.set(key, signal(item))
      else known.value = item
    }
    if (isSame) return
    const present = new Set(keys)
    for (const key of this.#items.keys()) if (!present.has(key)) this.#items.delete(key)
    this.keys.value = keys
  }

  #drawLive({ live, outputs }: SessionModel): void {
    const { stepId, text, reasoning } = live
    const shown = this.live.value
    if (shown.stepId !== stepId || shown.text !== text || shown.reasoning !== reasoning)
      this.live.value = { stepId, text, reasoning }
    for (const [callId, output] of this.#outputs) output.value = outputs.get(callId)
  }
}

/** The same for an item as long as it exists, whatever changes in it. */
export function itemKey(item: TranscriptItem): string {
  switch (item.kind) {
    case "user":
      return item.promptId
    case "assistant":
      return `step-${item.seq}`
    case "call":
      return item.callId
    case "notice":
      return `notice-${item.seq}`
  }
}
