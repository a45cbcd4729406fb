// Group commit: what is waiting when the last batch is answered becomes the next one. Of one session a batch has at most one
// entry of each kind, in the order in which they were sent.
export class Batcher<Item, Answer> {
  readonly #run: (items: readonly Item[]) => Promise<readonly Answer[]>
  readonly #keyOf: (item: Item) => string
  #waiting: Entry<Item, Answer>[] = []
  #isRunning = false

  constructor(run: (items: readonly Item[]) => Promise<readonly Answer[]>, keyOf: (item: Item) => string) {
    this.#run = run
    this.#keyOf = keyOf
  }

  send(item: Item): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject })
      if (this.#isRunning) return
      this.#isRunning = true
      // A tick, so that all sessions that continue after one answer get into the same batch.
      process.nextTick(() => void this.#drain())
    })
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) await this.#runOnce(this.#next())
    this.#isRunning = false
  }

  async #runOnce(batch: readonly Entry<Item, Answer>[]): Promise<void> {
    try {
      const answers = await this.#run(batch.map(({ item }) => item))
      for (const [index, answer] of answers.entries()) batch[index]?.resolve(answer)
    } catch (fault) {
      for (const { reject } of batch) reject(fault)
    }
  }

  #next(): readonly Entry<Item, Answer>[] {
    const keys = new Set<string>()
    const [batch, left]: [Entry<Item, Answer>[], Entry<Item, Answer>[]] = [[], []]
    for (const entry of this.#waiting) {
      const key = this.#keyOf(entry.item)
      if (batch.length >= MAX_BATCH || keys.has(key)) left.push(entry)
      else batch.push(entry)
      keys.add(key)
    }
    this.#waiting = left
    return batch
  }
}

interface Entry<Item, Answer> {
  readonly item: Item
  readonly resolve: (answer: Answer) => void
  readonly reject: (fault: unknown) => void
}

const MAX_BATCH = 500
