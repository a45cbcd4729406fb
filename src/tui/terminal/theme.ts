// The themes: which colours the styles of the display have. A theme of the user is a file; see docs/terminal.md.
import { isJsonObject, textIn } from "../../contract/json-object.ts"
import type { JsonValue } from "../../contract/values.ts"
import { attributes, roles, type Style } from "../../display/spans.ts"

export interface Theme {
  readonly name: string
  /** Parameters of the sequence that selects a style; empty for none. */
  readonly styles: Readonly<Record<Style, string>>
  readonly hasColour: boolean
}

const written = { bold: "1", italic: "3", underline: "4", strikethrough: "9", inverse: "7" } as const

const withoutColour: Theme = {
  name: "none",
  hasColour: false,
  styles: {
    ...written,
    muted: "2",
    accent: "1",
    warning: "",
    danger: "1",
    success: "",
    added: "",
    removed: "",
    tool: "",
    code: "",
    keyword: "",
    string: "",
    number: "",
    comment: "2",
    type: "",
  },
}

/** The colours of the terminal itself: readable wherever its own text is. */
const terminal: Theme = {
  name: "terminal",
  hasColour: true,
  styles: {
    ...written,
    muted: "2",
    accent: "33",
    warning: "35",
    danger: "31",
    success: "32",
    added: "32",
    removed: "31",
    tool: "36",
    code: "36",
    keyword: "35",
    string: "32",
    number: "36",
    comment: "2",
    type: "34",
  },
}

const dark: Theme = {
  name: "dark",
  hasColour: true,
  styles: {
    ...written,
    muted: "38;5;245",
    accent: "38;5;214",
    warning: "38;5;180",
    danger: "38;5;203",
    success: "38;5;114",
    added: "38;5;114",
    removed: "38;5;210",
    tool: "38;5;110",
    code: "38;5;152",
    keyword: "38;5;176",
    string: "38;5;150",
    number: "38;5;180",
    comment: "38;5;243",
    type: "38;5;110",
  },
}

const light: Theme = {
  name: "light",
  hasColour: true,
  styles: {
    ...written,
    muted: "38;5;243",
    accent: "38;5;130",
    warning: "38;5;94",
    danger: "38;5;160",
    success: "38;5;28",
    added: "38;5;28",
    removed: "38;5;124",
    tool: "38;5;25",
    code: "38;5;24",
    keyword: "38;5;90",
    string: "38;5;28",
    number: "38;5;94",
    comment: "38;5;244",
    type: "38;5;25",
  },
}

export const themes: ReadonlyMap<string, Theme> = new Map(
  [terminal, dark, light, withoutColour].map((theme) => [theme.name, theme]),
)

/** The theme for an environment: `NO_COLOR` and a terminal without colours win over a name. */
export function defaultTheme(hasColour: boolean): Theme {
  return hasColour ? terminal : withoutColour
}

export type ReadTheme =
  | { readonly kind: "theme"; readonly theme: Theme }
  | { readonly kind: "wrong"; readonly what: string }

/** Of a file: `{"base": "dark", "styles": {"accent": "bold #ffaa00"}}`. */
export function readTheme(name: string, value: JsonValue): ReadTheme {
  const base = themes.get(textIn(value, "base") ?? "terminal")
  if (base === undefined) return wrong(`"base" must be one of: ${[...themes.keys()].join(", ")}`)
  const styles: Record<Style, string> = { ...base.styles }
  const given = isJsonObject(value) ? (value["styles"] ?? {}) : undefined
  if (!isJsonObject(given)) return wrong('"styles" must be an object')
  for (const [style, text] of Object.entries(given)) {
    const known = allStyles.find((one) => one === style)
    const parameters = typeof text === "string" ? parametersOf(text) : undefined
    if (known === undefined) return wrong(`"${style}" is not a style. Use: ${allStyles.join(", ")}`)
    if (parameters === undefined)
      return wrong(`"${style}": use a colour such as "#ffaa00", "214" or "red", and bold, dim, italic or underline`)
    styles[known] = parameters
  }
  return { kind: "theme", theme: { name, styles, hasColour: base.hasColour } }
}

const allStyles: readonly Style[] = [...roles, ...attributes]

function wrong(what: string): ReadTheme {
  return { kind: "wrong", what }
}

const names = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"]
const fonts: Readonly<Record<string, string>> = { ...written, dim: "2", default: "" }

function parametersOf(text: string): string | undefined {
  const parts = text.trim().toLowerCase().split(/\s+/).map(parameterOf)
  return parts.includes(undefined) ? undefined : parts.filter((part) => part !== "").join(";")
}

function parameterOf(word: string): string | undefined {
  const [, red, green, blue] = /^#([\da-f]{2})([\da-f]{2})([\da-f]{2})$/.exec(word) ?? []
  if (red !== undefined && green !== undefined && blue !== undefined)
    return `38;2;${[red, green, blue].map((part) => Number.parseInt(part, 16)).join(";")}`
  if (/^\d{1,3}$/.test(word) && Number(word) < 256) return `38;5;${Number(word)}`
  const bright = word.startsWith("bright-")
  const at = names.indexOf(bright ? word.slice("bright-".length) : word)
  return at >= 0 ? String((bright ? 90 : 30) + at) : fonts[word]
}
