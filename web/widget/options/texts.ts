// The texts of the widget: by language, then what the page sets in their place.
import type { WidgetTexts } from "../api.ts"
import { english } from "./english.ts"
import { french } from "./french.ts"
import { german } from "./german.ts"
import { spanish } from "./spanish.ts"

const languages: ReadonlyMap<string, WidgetTexts> = new Map([
  ["en", english],
  ["de", german],
  ["fr", french],
  ["es", spanish],
])

/** `language` as in `lang` attributes: `de`, `de-AT`. An unknown one gets English. */
export function textsFor(language: string | undefined, own: Partial<WidgetTexts> = {}): WidgetTexts {
  return { ...(languages.get(languageName(language)) ?? english), ...own }
}

function languageName(language = "en"): string {
  const [name = ""] = language.toLowerCase().split("-")
  return name
}

/** Replaces `{name}` by its value. */
export function filled(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole))
}
