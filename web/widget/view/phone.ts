// What differs on a phone, where the panel fills the screen.
import type { RefObject } from "preact"
import { useEffect } from "preact/hooks"

/** As in panel.css. */
const phone = "(max-width: 480px)"

export function isPhone(): boolean {
  return matchMedia(phone).matches
}

/** The keyboard of a phone covers the page without making it smaller: the panel takes what is left. */
export function useVisibleHeight(panel: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const viewport = window.visualViewport
    if (viewport === null) return undefined
    const fit = () => {
      panel.current?.style.setProperty("--visible-height", `${viewport.height}px`)
      panel.current?.style.setProperty("--visible-top", `${viewport.offsetTop}px`)
    }
    fit()
    viewport.addEventListener("resize", fit)
    viewport.addEventListener("scroll", fit)
    return () => {
      viewport.removeEventListener("resize", fit)
      viewport.removeEventListener("scroll", fit)
    }
  }, [panel])
}

const focusable = "button, input, textarea, a[href], [tabindex='0']"

/** The page behind the panel cannot be seen: Tab stays in the panel. */
export function keepFocusInside(event: KeyboardEvent, panel: HTMLElement | null): void {
  if (event.key !== "Tab" || panel === null) return
  const places = [...panel.querySelectorAll<HTMLElement>(focusable)].filter((place) => place.offsetParent !== null)
  const [first, last] = [places[0], places.at(-1)]
  const root = panel.getRootNode()
  const current = root instanceof ShadowRoot ? root.activeElement : document.activeElement
  const [from, to] = event.shiftKey ? [first, last] : [last, first]
  if (current !== from && current !== panel) return
  event.preventDefault()
  to?.focus()
}
