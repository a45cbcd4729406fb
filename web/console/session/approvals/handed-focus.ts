// The focus when a card goes because it was answered: without this the keyboard would start again at the top of the page.
// The next card does not get it, because a second press of the same key would answer a request that was not read.
import type { RefObject } from "preact"
import { useLayoutEffect } from "preact/hooks"

/** The transcript of a session, the heading of the start page. */
const PLACES = ".transcript-scroll, #pending"

export function useHandedFocus(card: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const element = card.current
    return () => {
      if (element?.contains(document.activeElement) === true) requestAnimationFrame(handOver)
    }
  }, [])
}

function handOver(): void {
  const { activeElement } = document
  if (activeElement === null || activeElement === document.body)
    document.querySelector<HTMLElement>(PLACES)?.focus({ preventScroll: true })
}
