// What is shown in place of the transcript: help, lists, details. An overlay draws itself and takes every key until it is
// closed; the input box below it is inactive.
import type { Line } from "../../display/spans.ts"
import type { InputEvent } from "../terminal/parse-input.ts"

export interface OverlaySpace {
  readonly width: number
  readonly height: number
  readonly now: number
  readonly hasColour: boolean
}

export interface Overlay {
  readonly title: string
  /** At most `height` lines, none wider than `width`. */
  readonly lines: (space: OverlaySpace) => readonly Line[]
  /** What its keys do, for the line below it. */
  readonly hint: string
  /** Returns the overlay after the input; undefined closes it. */
  readonly input: (event: InputEvent) => Overlay | undefined
}
