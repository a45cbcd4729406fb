// What stands in the list of messages, by the one fold that every door uses, in the condensed form of this wire. It is
// fed only what changes the list: words and calls of a turn are told while they come and listed when the turn ends.
// Bounded: the oldest turns are left out.
import type { Recorded, SessionEvent } from "../../../contract/events.ts"
import type { PlanId } from "../../../contract/ids.ts"
import { foldTranscript, trackOf, type Transcript, type TranscriptItem } from "../../../projection/transcript.ts"
import { condense, withoutData, type OpenTurn } from "./turn-items.ts"
import { displayed, newestMessages } from "./display-messages.ts"
import type { DisplayMessage } from "../frames.ts"
import type { SessionSnapshot } from "../../../projection/session-snapshot.ts"

const mostTurns = 1000

type Place = Pick<Recorded, "seq" | "at">

export class History {
  /** The turn that was open in the scene. */
  readonly open: OpenTurn | undefined
  readonly #transcript: Transcript
  #turnEnds: number[]
  #areMoreBefore: boolean
  #messages: readonly DisplayMessage[] | undefined
  #planMessages: readonly DisplayMessage[] | undefined

  constructor({ items, status, earlier, plan }: SessionSnapshot) {
    const condensed = condense(items, status.inTurn)
    this.open = condensed.open
    this.#turnEnds = condensed.turnEnds
    this.#areMoreBefore = earlier
    this.#transcript = {
      items: condensed.items,
      turn: status.inTurn ? { id: "trn_", planId: plan?.id } : undefined,
      planId: plan?.id,
    }
    this.#leaveOutOldest()
  }

  /** Of the main conversation. */
  get messages(): readonly DisplayMessage[] {
    return (this.#messages ??= this.#listed(undefined))
  }

  /** Of the plan that is open. */
  get planMessages(): readonly DisplayMessage[] {
    const { planId } = this.#transcript
    return (this.#planMessages ??= planId === undefined ? [] : this.#listed(planId))
  }

  #listed(planId: PlanId | undefined): readonly DisplayMessage[] {
    const all = trackOf(this.#transcript, planId).flatMap((item) => displayed(item) ?? [])
    return newestMessages(all, this.#areMoreBefore)
  }

  /** The message that the event adds, if it adds one. */
  fold(recorded: Recorded): DisplayMessage | undefined {
    const { event, seq } = recorded
    const { items } = this.#transcript
    const last = items.at(-1)
    this.#messages = this.#planMessages = undefined
    foldTranscript(this.#transcript, { ...recorded, event: withoutContent(event) })
    if (event.type === "turn.ended") this.#turnEnds.push(seq)
    if (event.type === "context.rewound") this.#turnEnds = this.#turnEnds.filter((end) => end <= event.toSeq)
    this.#leaveOutOldest()
    const newest = items.at(-1)
    return newest !== undefined && newest !== last && newest.seq === seq ? displayed(newest) : undefined
  }

  /** All text of a turn. */
  said(text: string, place: Place): DisplayMessage | undefined {
    if (text === "") return undefined
    return this.#add({ kind: "assistant", ...this.#entry(place), stepId: "stp_", text, reasoning: "", cutOff: false })
  }

  noted(text: string, place: Place): DisplayMessage | undefined {
    return this.#add({ kind: "notice", ...this.#entry(place), tone: "info", text })
  }

  #entry({ seq, at }: Place) {
    return { seq, at, planId: this.#transcript.planId }
  }

  #add(item: TranscriptItem): DisplayMessage | undefined {
    this.#messages = this.#planMessages = undefined
    this.#transcript.items.push(item)
    return displayed(item)
  }

  #leaveOutOldest(): void {
    if (this.#turnEnds.length <= mostTurns) return
    const before = this.#turnEnds.at(-mostTurns - 1) ?? 0
    this.#turnEnds = this.#turnEnds.slice(-mostTurns)
    this.#areMoreBefore = true
    const { items } = this.#transcript
    const kept = items.filter((item) => item.seq > before || (item.kind === "user" && item.state === "waiting"))
    items.length = 0
    for (const item of kept) items.push(item)
  }
}

function withoutContent(event: SessionEvent): SessionEvent {
  if (event.type !== "prompt.admitted" || event.attachments === undefined) return event
  return { ...event, attachments: [...withoutData(event.attachments)] }
}
