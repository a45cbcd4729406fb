// Queue between a producer and one reader, as an async iterable. Options say what happens when the reader does not keep
// up: waiting items are merged, replaced or dropped.

export interface QueueOptions<Item> {
  /** Merges an item into the newest waiting one; undefined keeps both. */
  readonly merge?: (last: Item, item: Item) => Item | undefined
  readonly maxItems?: number
  readonly maxWeight?: number
  /** At a limit: what replaces all waiting items, or the error that ends the queue. */
  readonly onOverflow?: (waiting: readonly Item[]) => Item | Error
  /** The weight became less, or the queue ended. */
  readonly onDrain?: () => void
  /** The reader left the loop. */
  readonly onReturn?: () => void
}

interface Waiting<Item> {
  readonly item: Item
  readonly weight: number
}

const done = { done: true, value: undefined } as const

export class EventQueue<Item> implements AsyncIterableIterator<Item, undefined> {
  readonly #options: QueueOptions<Item>
  #waiting: Waiting<Item>[] = []
  #next = 0
  #weight = 0
  #readers: PromiseWithResolvers<IteratorResult<Item, undefined>>[] = []
  #end: { readonly fault: Error | undefined } | undefined

  constructor(options: QueueOptions<Item> = {}) {
    this.#options = options
  }

  /** Sum over the waiting items. */
  get weight(): number {
    return this.#weight
  }

  get isEnded(): boolean {
    return this.#end !== undefined
  }

  /** `weight` is roughly the memory that the item takes. Ignored after the end. */
  push(item: Item, weight = 1): void {
    if (this.#end !== undefined) return
    const reader = this.#readers.shift()
    if (reader !== undefined) return reader.resolve({ done: false, value: item })
    if (this.#merge(item, weight)) return
    if (this.#isFull) this.#overflow()
    if (!this.isEnded) this.#add(item, weight)
  }

  /** Waiting items can still be read. The first end wins. */
  end(fault?: Error): void {
    if (this.#end !== undefined) return
    this.#end = { fault }
    for (const { resolve, reject } of this.#readers.splice(0)) {
      if (fault === undefined) resolve(done)
      else reject(fault)
    }
    this.#options.onDrain?.()
  }

  /** Drops waiting items and ends. */
  discard(): void {
    this.#clear()
    this.end()
    this.#options.onDrain?.()
  }

  next(): Promise<IteratorResult<Item, undefined>> {
    const first = this.#take()
    if (first !== undefined) return Promise.resolve({ done: false, value: first.item })
    if (this.#end !== undefined)
      return this.#end.fault === undefined ? Promise.resolve(done) : Promise.reject(this.#end.fault)
    const reader = Promise.withResolvers<IteratorResult<Item, undefined>>()
    this.#readers.push(reader)
    return reader.promise
  }

  return(): Promise<IteratorResult<Item, undefined>> {
    this.discard()
    this.#options.onReturn?.()
    return Promise.resolve(done)
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  get #isFull(): boolean {
    const { maxItems = Infinity, maxWeight = Infinity } = this.#options
    return this.#waiting.length - this.#next >= maxItems || this.#weight > maxWeight
  }

  #add(item: Item, weight: number): void {
    this.#waiting.push({ item, weight })
    this.#weight += weight
  }

  #merge(item: Item, weight: number): boolean {
    const last = this.#waiting.at(-1)
    const merged = last === undefined ? undefined : this.#options.merge?.(last.item, item)
    if (last === undefined || merged === undefined) return false
    this.#waiting[this.#waiting.length - 1] = { item: merged, weight: last.weight + weight }
    this.#weight += weight
    return true
  }

  #overflow(): void {
    const replacement = this.#options.onOverflow?.(this.#waiting.slice(this.#next).map(({ item }) => item))
    this.#clear()
    if (replacement instanceof Error) this.end(replacement)
    else if (replacement !== undefined) this.#add(replacement, 0)
  }

  #take(): Waiting<Item> | undefined {
    const first = this.#waiting[this.#next]
    if (first === undefined) return undefined
    this.#next += 1
    this.#weight -= first.weight
    if (this.#next === this.#waiting.length || this.#next > 1000) {
      this.#waiting = this.#waiting.slice(this.#next) // keeps the cost of taking one constant
      this.#next = 0
    }
    this.#options.onDrain?.()
    return first
  }

  #clear(): void {
    this.#waiting = []
    this.#next = 0
    this.#weight = 0
  }
}
