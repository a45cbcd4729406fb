// Header fields as the platform's `Headers` gives them. That class comes with the platform's HTTP client, which takes as long to load
// as all the rest of Node.
type Pair = [name: string, value: string]

export class PlainHeaders implements Headers {
  readonly #fields = new Map<string, string>()
  readonly #cookies: string[] = []

  /** Any object with the methods of headers, as the platform's. */
  static [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === "object" && value !== null && "getSetCookie" in value
  }

  constructor(init: RequestInit["headers"] = []) {
    const pairs = Symbol.iterator in init ? init : Object.entries(init)
    for (const [name, value] of pairs) if (name !== undefined && value !== undefined) this.append(name, value)
  }

  append(name: string, value: string): void {
    const key = name.toLowerCase()
    if (key === "set-cookie") this.#cookies.push(value)
    const before = this.#fields.get(key)
    this.#fields.set(key, before === undefined ? value : `${before}, ${value}`)
  }

  set(name: string, value: string): void {
    this.delete(name)
    this.append(name, value)
  }

  delete(name: string): void {
    const key = name.toLowerCase()
    if (key === "set-cookie") this.#cookies.length = 0
    this.#fields.delete(key)
  }

  get(name: string): string | null {
    return this.#fields.get(name.toLowerCase()) ?? null
  }

  has(name: string): boolean {
    return this.#fields.has(name.toLowerCase())
  }

  getSetCookie(): string[] {
    return [...this.#cookies]
  }

  forEach(callback: (value: string, name: string, headers: Headers) => void, thisArg?: unknown): void {
    for (const [name, value] of this) callback.call(thisArg, value, name, this)
  }

  *keys(): Generator<string, void> {
    for (const [name] of this) yield name
  }

  *values(): Generator<string, void> {
    for (const [, value] of this) yield value
  }

  entries(): Generator<Pair, void> {
    return this[Symbol.iterator]()
  }

  /** By name; cookies one by one. */
  *[Symbol.iterator](): Generator<Pair, void> {
    for (const [name, value] of [...this.#fields].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
      if (name === "set-cookie") for (const cookie of this.#cookies) yield [name, cookie]
      else yield [name, value]
    }
  }
}
