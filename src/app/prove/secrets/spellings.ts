// The spellings of a secret that docs/secrets.md says are recognised, written by common encoders and not by the redactor.
import { randomText } from "./random-secrets.ts"

type Below = (below: number) => number
type Spell = (value: string, below: Below) => string

const inJson: Spell = (value) => JSON.stringify(value).slice(1, -1)
const base64: Spell = (value) => Buffer.from(value).toString("base64")
const urlSafe = (text: string) => text.replaceAll("+", "-").replaceAll("/", "_")
/** Characters before the secret in what is encoded as a whole: with each, the base64 of the secret is another one. */
const MAX_LEAD = 6

export const spellings = {
  plain: (value) => value,
  JSON: inJson,
  "JSON, slashes escaped": (value, below) => inJson(value, below).replaceAll("/", "\\/"),
  "JSON, \\u escapes": (value, below) => escaped(inJson(value, below), below(2) === 0 ? /[<>&]/g : /[^\0-\x7f]/g),
  "JSON in JSON": (value, below) => inJson(inJson(value, below), below),
  "in an address": (value, below) => hexCase(encodeURIComponent(value), below),
  "in a form": (value, below) => hexCase(new URLSearchParams({ "": value }).toString().slice(1), below),
  base64: (value, below) => (below(2) === 0 ? base64(value, below) : base64(value, below).replaceAll("=", "")),
  "base64, URL-safe": (value, below) => urlSafe(base64(value, below)),
  "in larger base64": (value, below) => {
    const whole = base64(`${randomText(below, below(MAX_LEAD))}:${value}:${randomText(below, below(MAX_LEAD))}`, below)
    return below(2) === 0 ? whole : urlSafe(whole)
  },
} as const satisfies Readonly<Record<string, Spell>>

export type Spelling = keyof typeof spellings
export const spellingNames: readonly Spelling[] = [
  "plain",
  "JSON",
  "JSON, slashes escaped",
  "JSON, \\u escapes",
  "JSON in JSON",
  "in an address",
  "in a form",
  "base64",
  "base64, URL-safe",
  "in larger base64",
]

/** Those that are still recognised when JSON is made of the text. */
export const insideJson: readonly Spelling[] = spellingNames.filter(
  (name) => name === "JSON" || !name.startsWith("JSON"),
)

function escaped(text: string, characters: RegExp): string {
  return text.replaceAll(characters, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`)
}

function hexCase(text: string, below: Below): string {
  return below(2) === 0 ? text : text.replaceAll(/%[0-9A-F]{2}/g, (hex) => hex.toLowerCase())
}
