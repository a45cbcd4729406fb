// What a page remembers over reloads: the conversation and its sources for the site, the draft and whether the chat is
// open for the tab. A browser may refuse to store anything; the chat then works without.
import type { Citation } from "../../../src/clients/ws/index.ts"
import { isJsonObject, memberIn, textIn, tryParseJson } from "../../../src/contract/json-object.ts"
import type { JsonValue } from "../../../src/contract/values.ts"
import type { Storage as StorageKind } from "../api.ts"

/** The part of the browser's storage that is used. */
export interface TextStore {
  getItem(key: string): string | null
  setItem(key: string, value: string): void
  removeItem(key: string): void
}

export interface Stores {
  readonly local: TextStore | undefined
  readonly session: TextStore | undefined
}

/** Replies whose sources are remembered. */
const MAX_CITED = 20
const MAX_DRAFT = 20_000

export class Memory {
  readonly #site: TextStore | undefined
  readonly #tab: TextStore | undefined
  readonly #key: string

  constructor(key: string, kind: StorageKind, { local, session }: Stores) {
    this.#key = `turnhouse:${key}`
    this.#site = { local, session, none: undefined }[kind]
    this.#tab = kind === "none" ? undefined : session
  }

  get changesKey(): string {
    return `${this.#key}:changed`
  }

  /** Storage reports a new value only. */
  noteChange(): void {
    this.#quietly(() => this.#site?.setItem(this.changesKey, String(Date.now() + Math.random())))
  }

  get conversationId(): string | undefined {
    return textIn(this.#stored(), "conversationId")
  }

  set conversationId(conversationId: string | undefined) {
    if (conversationId === this.conversationId) return
    if (conversationId === undefined) this.#quietly(() => this.#site?.removeItem(this.#key))
    else this.#store({ conversationId, citations: {} })
  }

  citations(messageId: string): readonly Citation[] {
    const list = memberIn(memberIn(this.#stored(), "citations"), messageId)
    return Array.isArray(list) ? list.flatMap(readCitation) : []
  }

  keepCitations(messageId: string, citations: readonly Citation[]): void {
    const stored = this.#stored()
    const before = memberIn(stored, "citations")
    const others = isJsonObject(before) ? Object.entries(before).filter(([id]) => id !== messageId) : []
    const own = citations.map((citation) => ({ ...citation }))
    const entries = [...others, [messageId, own] as const].slice(-MAX_CITED)
    this.#store({ ...(isJsonObject(stored) ? stored : {}), citations: Object.fromEntries(entries) })
  }

  get draft(): string {
    return this.#read("draft") ?? ""
  }

  set draft(text: string) {
    this.#write("draft", text === "" ? undefined : text.slice(0, MAX_DRAFT))
  }

  get isOpen(): boolean {
    return this.#read("open") === "yes"
  }

  set isOpen(isOpen: boolean) {
    this.#write("open", isOpen ? "yes" : undefined)
  }

  #stored(): JsonValue | undefined {
    const text = this.#quietly(() => this.#site?.getItem(this.#key))
    return text === undefined || text === null ? undefined : tryParseJson(text)
  }

  #store(value: JsonValue): void {
    this.#quietly(() => this.#site?.setItem(this.#key, JSON.stringify(value)))
  }

  #read(name: string): string | undefined {
    return this.#quietly(() => this.#tab?.getItem(`${this.#key}:${name}`)) ?? undefined
  }

  #write(name: string, text: string | undefined): void {
    const key = `${this.#key}:${name}`
    this.#quietly(() => (text === undefined ? this.#tab?.removeItem(key) : this.#tab?.setItem(key, text)))
  }

  /** Full, or refused by the visitor's settings: nothing is remembered. */
  #quietly<Value>(use: () => Value): Value | undefined {
    try {
      return use()
    } catch {
      return undefined
    }
  }
}

/** Reading `localStorage` throws where the visitor's settings refuse it. */
export function browserStores(): Stores {
  return { local: storeOf(() => localStorage), session: storeOf(() => sessionStorage) }
}

function storeOf(read: () => TextStore): TextStore | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}

function readCitation(value: JsonValue): readonly Citation[] {
  const [id, title, snippet, url] = [
    textIn(value, "id"),
    textIn(value, "title"),
    textIn(value, "snippet"),
    textIn(value, "url"),
  ]
  const score = memberIn(value, "score")
  if (id === undefined || title === undefined || snippet === undefined) return []
  return [{ id, title, snippet, score: typeof score === "number" ? score : 0, ...(url !== undefined && { url }) }]
}
