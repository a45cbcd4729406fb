// Windows on the real program, with the home and folder of one test. They are closed with the test.
import type { TestContext } from "vitest"
import type { Script, Step } from "../../src/models/offline/part.ts"
import { newPlace, type Place } from "../e2e/turnhouse.ts"
import { openWindow, type OpenOptions } from "./open-window.ts"
import type { Window } from "./window.ts"

export interface Windows {
  readonly place: Place
  readonly open: (args?: readonly string[], options?: OpenOptions) => Window
}

/** The default model says what the script tells it; without one it is the demo. */
export function newWindows(
  test: Pick<TestContext, "onTestFinished">,
  steps?: readonly Step[],
  settings: Omit<Script, "steps"> = {},
): Windows {
  const place = newPlace(test)
  place.config({ model: steps === undefined ? "offline/demo" : place.script(steps, settings, "../script.json") })
  return {
    place,
    open: (args = [], options = {}) => {
      const window = openWindow(place, args, options)
      test.onTestFinished(() => window.close())
      return window
    },
  }
}

/** Numbered words, as one answer: what is lost, repeated or out of order is seen. */
export function numberedWords(count: number): string {
  return Array.from({ length: count }, (_, at) => `w${at}`).join(" ")
}

/** The numbered words in a text, in order. */
export function wordsIn(text: string): string {
  return (text.match(/\bw\d+\b/g) ?? []).join(" ")
}

export async function prompt(window: Window, text: string): Promise<void> {
  await window.shows("idle")
  window.type(text)
  window.press("enter")
}
