// What ends the child, and with which code. The first reason counts; a second signal does not wait for anything.
import { constants } from "node:os"

export type Ending =
  /** The parent said so, or closed its end: a turn may go on for a while. */
  | { readonly kind: "shutdown" | "end of input"; readonly patienceMs: number }
  /** Nobody reads any more. */
  | { readonly kind: "unread" }
  | { readonly kind: "signal"; readonly number: number }
  | { readonly kind: "fault" }

const signals = ["SIGTERM", "SIGINT", "SIGHUP"] as const

export class Endings {
  readonly first: Promise<Ending>
  readonly #resolve: (ending: Ending) => void
  #isSignalled = false

  constructor() {
    const { promise, resolve } = Promise.withResolvers<Ending>()
    this.first = promise
    this.#resolve = resolve
    for (const name of signals) process.on(name, () => this.#signalled(constants.signals[name]))
  }

  end(ending: Ending): void {
    this.#resolve(ending)
  }

  #signalled(number: number): void {
    if (this.#isSignalled) process.exit(128 + number)
    this.#isSignalled = true
    this.#resolve({ kind: "signal", number })
  }
}

export function exitCodeOf(ending: Ending): number {
  switch (ending.kind) {
    case "shutdown":
    case "end of input":
    case "unread":
      return 0
    case "signal":
      return 128 + ending.number
    case "fault":
      return 1
  }
}
