// Style sheets of the shadow root. They are constructed, which the Content-Security-Policy of a page does not block.
import type { Position, Theme } from "../api.ts"
import markdown from "../../shared/styles/markdown.css?inline"
import base from "./base.css?inline"
import cards from "./cards.css?inline"
import messages from "./messages.css?inline"
import panel from "./panel.css?inline"

let shared: readonly CSSStyleSheet[] | undefined

/** One set for all elements of a page. */
export function widgetSheets(): readonly CSSStyleSheet[] {
  shared ??= [base, panel, markdown, messages, cards].map(sheetOf)
  return shared
}

/** What attributes set. An accent that is no colour is left out. */
export function hostSheet(accent: string | undefined, theme: Theme, position: Position): CSSStyleSheet {
  const isColour = accent !== undefined && CSS.supports("color", accent)
  const rules = [
    isColour ? `--brand: ${accent} !important;` : "",
    theme === "auto" ? "" : `color-scheme: ${theme} !important;`,
    position === "inline" ? "display: block !important; block-size: var(--turnhouse-height, 560px) !important;" : "",
  ]
  return sheetOf(`:host(:not([hidden])) { ${rules.join(" ")} }`)
}

function sheetOf(text: string): CSSStyleSheet {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(text)
  return sheet
}
