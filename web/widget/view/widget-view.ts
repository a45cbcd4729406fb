// What all components of the widget use.
import type { ReadonlySignal } from "@preact/signals"
import type { Position, WidgetTexts } from "../api.ts"
import type { Chat } from "../state/chat.ts"

export interface Appearance {
  readonly texts: WidgetTexts
  readonly title: string | undefined
  readonly greeting: string | undefined
  /** `inline`: a part of the page, always open, without a button that opens it. */
  readonly position: Position
}

export interface WidgetView {
  readonly chat: Chat
  readonly appearance: ReadonlySignal<Appearance>
  readonly open: () => void
  readonly close: () => void
  /** Where the focus goes when what had it has disappeared. */
  readonly focusMessage: () => void
}
