// Waits until a door has answered something, or for as long as a busy machine may need.
const PATIENCE_MS = 60_000

/** False when nothing came in time. */
export async function inTime(answer: Promise<unknown>): Promise<boolean> {
  let late: NodeJS.Timeout | undefined
  const patience = new Promise<boolean>((resolve) => {
    late = setTimeout(() => resolve(false), PATIENCE_MS)
  })
  const isInTime = await Promise.race([answer.then(() => true), patience])
  clearTimeout(late)
  return isInTime
}

/** Requests without an answer so far, by their id. */
export class Awaited {
  readonly #waiting = new Map<string, () => void>()
  #ids = 0

  newId(): string {
    this.#ids += 1
    return `check-${this.#ids}`
  }

  async answer(id: string): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#waiting.set(id, resolve)
    const isInTime = await inTime(promise)
    this.#waiting.delete(id)
    return isInTime
  }

  isAwaited(id: unknown): boolean {
    return typeof id === "string" && this.#waiting.has(id)
  }

  /** Called with the id of each answer. */
  received(id: unknown): void {
    if (typeof id === "string") this.#waiting.get(id)?.()
  }
}
