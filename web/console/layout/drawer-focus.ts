// The focus of a person who opens a panel with a tab of the first line goes into the drawer, and back to the tab when the
// drawer is closed. On a phone the drawer covers the page, which cannot be reached behind it.
import { useEffect, useState } from "preact/hooks"

const PHONE = "(max-width: 700px)"
const FIRST_LINE = ".top-bar .tabs"

/** `panel`: the one that is open. */
export function useDrawerFocus(panel: string | undefined): void {
  useEffect(() => {
    if (panel === undefined) return
    const isOpenedByTab = document.querySelector(FIRST_LINE)?.contains(document.activeElement) === true
    const isUsed = navigator.userActivation.hasBeenActive // not as the page is loaded
    if (isOpenedByTab || (isPhone() && isUsed && isNowhere())) focusDrawer()
  }, [panel])
  useEffect(() => {
    if (panel === undefined) return undefined
    return () => requestAnimationFrame(() => returnTo(panel))
  }, [panel === undefined])
}

/** Whether the drawer covers the whole page. */
export function useIsPhone(): boolean {
  const [is, setIs] = useState(isPhone)
  useEffect(() => {
    const query = matchMedia(PHONE)
    const update = () => setIs(query.matches)
    query.addEventListener("change", update)
    return () => query.removeEventListener("change", update)
  }, [])
  return is
}

function isPhone(): boolean {
  return matchMedia(PHONE).matches
}

function isNowhere(): boolean {
  return document.activeElement === null || document.activeElement === document.body
}

/** Its heading; on a phone, which shows none, its tabs. */
function focusDrawer(): void {
  const drawer = document.querySelector(".drawer")
  const tab = drawer?.querySelector<HTMLElement>("[aria-current]")
  if (isPhone()) tab?.focus()
  else drawer?.querySelector<HTMLElement>("h2")?.focus()
}

function returnTo(panel: string): void {
  if (isNowhere()) document.querySelector<HTMLElement>(`${FIRST_LINE} [data-panel="${CSS.escape(panel)}"]`)?.focus()
}
