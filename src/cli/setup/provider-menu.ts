// The list of providers that setup shows, and what an answer to it means. Pure.
import type { ProviderOption } from "../../app/setup/find-providers.ts"
import { nearestKey } from "../../contract/text/nearest-key.ts"
import { oneLine } from "../../contract/text/text.ts"

/** What a number of the list stands for. */
export type ProviderEntry =
  | { readonly kind: "provider"; readonly option: ProviderOption }
  | { readonly kind: "others" | "server" | "demo" }

export interface ProviderMenu {
  readonly entries: readonly ProviderEntry[]
  /** All that can be named, listed or not. */
  readonly options: readonly ProviderOption[]
  readonly lines: readonly string[]
}

/** Listed by name although they need a key. */
const prominent = new Set(["anthropic", "openai", "google", "openrouter"])
const NAMED_OTHERS = 4
const MIN_WIDTH = 20

export function providerMenu(options: readonly ProviderOption[], width: number): ProviderMenu {
  const usable = options.filter(({ state }) => state === "usable")
  const keyed = options.filter(({ state }) => state === "key")
  const listed = keyed.filter(({ name }) => prominent.has(name))
  const others = keyed.filter(({ name }) => !prominent.has(name))
  const groups: readonly (readonly [string, readonly Row[]])[] = [
    ["Usable now", usable.map((option) => row({ kind: "provider", option }, option.name, option.note))],
    [
      "With a key",
      [
        ...listed.map((option) => row({ kind: "provider", option }, option.name, wayIn(option))),
        ...(others.length === 0 ? [] : [row({ kind: "others" }, "others", summary(others))]),
      ],
    ],
    [
      "Without a key",
      [
        row({ kind: "server" }, "server", "your own, with OpenAI's format: you give its address"),
        row({ kind: "demo" }, "demo", "fixed rules, real tools, no network"),
      ],
    ],
  ]
  const rows = groups.flatMap(([, members]) => members)
  const nameWidth = Math.max(...rows.map(({ name }) => name.length))
  let number = 0
  const lines = groups.flatMap(([title, members]) => {
    if (members.length === 0) return []
    return [title, ...members.map(({ name, note }) => lineOf(++number, name.padEnd(nameWidth), note, width))]
  })
  return { entries: rows.map(({ entry }) => entry), options, lines }
}

interface Row {
  readonly entry: ProviderEntry
  readonly name: string
  readonly note: string
}

function row(entry: ProviderEntry, name: string, note: string): Row {
  return { entry, name, note }
}

function lineOf(number: number, name: string, note: string, width: number): string {
  const start = `${String(number).padStart(3)}  ${name}  `
  return `${start}${oneLine(note, Math.max(MIN_WIDTH, width - start.length - 1))}`.trimEnd()
}

function wayIn({ hasLogin }: ProviderOption): string {
  return hasLogin ? "log in with a browser, or paste an API key" : "paste an API key"
}

function summary(others: readonly ProviderOption[]): string {
  const named = others.slice(0, NAMED_OTHERS).map(({ name }) => name)
  const more = others.length - named.length
  return more === 0 ? named.join(", ") : `${named.join(", ")} and ${more} more`
}

export type ProviderAnswer =
  | { readonly kind: "entry"; readonly entry: ProviderEntry }
  | { readonly kind: "unknown"; readonly message: string }

/** A number, a name or the beginning of one; nothing is the first of the list. */
export function readProviderAnswer(answer: string, { entries, options }: ProviderMenu): ProviderAnswer {
  const text = answer.trim().toLowerCase()
  const number = text === "" ? 1 : /^\d+$/.test(text) ? Number(text) : undefined
  if (number !== undefined) {
    const entry = entries[number - 1]
    return entry === undefined
      ? unknown(`There is no number ${text}. Choose 1 to ${entries.length}.`)
      : { kind: "entry", entry }
  }
  const word = entries.find(({ kind }) => kind === text)
  if (word !== undefined && word.kind !== "provider") return { kind: "entry", entry: word }
  const exact = options.find(({ name }) => name === text)
  const starting = options.filter(({ name }) => name.startsWith(text))
  const option = exact ?? (starting.length === 1 ? starting[0] : undefined)
  if (option !== undefined) return { kind: "entry", entry: { kind: "provider", option } }
  if (starting.length > 1) return unknown(`Which one: ${starting.map(({ name }) => name).join(", ")}?`)
  const nearest = nearestKey(
    text,
    options.map(({ name }) => name),
  )
  const hint = nearest?.close === true ? ` Did you mean ${nearest.key}?` : ""
  return unknown(`No provider is named "${oneLine(answer.trim(), 40)}".${hint}`)
}

function unknown(message: string): ProviderAnswer {
  return { kind: "unknown", message }
}
