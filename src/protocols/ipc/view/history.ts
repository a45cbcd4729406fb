// The list of messages, by the transcript fold that every door uses. It is given only what changes the list: text and
// calls of a turn are sent while they come and listed when the turn ends. Bounded: the oldest turns are left out.
import type { Recorded, SessionEvent } from "../../../contract/events.ts"
import type { PlanId } from "../../../contract/ids.ts"
import type { SessionSnapshot } from "../../../contract/views/session-snapshot.ts"
import { foldTranscript, trackOf, type Transcript, type TranscriptItem } from "../../../projection/transcript.ts"
import type { DisplayMessage } from "../frames.ts"
import { frameLimits } from "../limits.ts"
import { displayMessage, newestMessages } from "./display-messages.ts"
import { listTurns, withoutData, type OpenTurn } from "./turn-items.ts"

type EntryTime = Pick<Recorded, "seq" | "at">

export class History {
  /** The turn that was open in the snapshot. */
  readonly openTurn: OpenTurn | undefined
  readonly #transcript: Transcript
  #turnEnds: number[]
  #hasEarlier: boolean
  #messages: readonly DisplayMessage[] | undefined
  #planMessages: readonly DisplayMessage[] | undefined

  constructor({ items, status, earlier, plan }: SessionSnapshot) {
    const listed = listTurns(items, status.inTurn)
    const planId = plan?.id
    this.openTurn = listed.open
    this.#turnEnds = listed.turnEnds
    this.#hasEarlier = earlier
    this.#transcript = { items: listed.items, turn: status.inTurn ? { id: "trn_", planId } : undefined, planId }
    this.#removeOldest()
  }

  /** Of the main conversation. */
  get messages(): readonly DisplayMessage[] {
    return (this.#messages ??= this.#list(undefined))
  }

  /** Of the open plan. */
  get planMessages(): readonly DisplayMessage[] {
    const { planId } = this.#transcript
    return (this.#planMessages ??= planId === undefined ? [] : this.#list(planId))
  }

  /** Returns the message that the event adds, if any. */
  fold(recorded: Recorded): DisplayMessage | undefined {
    const { event, seq } = recorded
    const { items } = this.#transcript
    const last = items.at(-1)
    this.#messages = this.#planMessages = undefined
    foldTranscript(this.#transcript, { ...recorded, event: withoutContent(event) })
    if (event.type === "turn.ended") this.#turnEnds.push(seq)
    if (event.type === "context.rewound") this.#turnEnds = this.#turnEnds.filter((end) => end <= event.toSeq)
    this.#removeOldest()
    const newest = items.at(-1)
    return newest !== undefined && newest !== last && newest.seq === seq ? displayMessage(newest) : undefined
  }

  /** Adds all text of a turn. */
  addAnswer(text: string, time: EntryTime): DisplayMessage | undefined {
    if (text === "") return undefined
    return this.#add({ kind: "assistant", ...this.#entry(time), stepId: "stp_", text, reasoning: "", cutOff: false })
  }

  addNotice(text: string, time: EntryTime): DisplayMessage | undefined {
    return this.#add({ kind: "notice", ...this.#entry(time), tone: "info", text })
  }

  #list(planId: PlanId | undefined): readonly DisplayMessage[] {
    const all = trackOf(this.#transcript, planId).flatMap((item) => displayMessage(item) ?? [])
    return newestMessages(all, this.#hasEarlier)
  }

  #entry({ seq, at }: EntryTime) {
    return { seq, at, planId: this.#transcript.planId }
  }

  #add(item: TranscriptItem): DisplayMessage | undefined {
    this.#messages = this.#planMessages = undefined
    this.#transcript.items.push(item)
    return displayMessage(item)
  }

  #removeOldest(): void {
    const { turns } = frameLimits
    if (this.#turnEnds.length <= turns) return
    const before = this.#turnEnds.at(-turns - 1) ?? 0
    this.#turnEnds = this.#turnEnds.slice(-turns)
    this.#hasEarlier = true
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
