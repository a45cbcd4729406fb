// Why the child ends, and its exit code. The first reason wins, except that an urgent one replaces a patient one; a second
// signal exits at once.
import { constants } from "node:os"

/** The parent asked for shutdown or closed stdin: a running turn may finish. */
export type PatientEnding =
  | { readonly kind: "shutdown"; readonly patienceMs: number }
  | { readonly kind: "end of input" }

export type UrgentEnding =
  /** The reader of stdout is gone. */
  { readonly kind: "unread" } | { readonly kind: "signal"; readonly number: number } | { readonly kind: "fault" }

export type Ending = PatientEnding | UrgentEnding

const signals = ["SIGTERM", "SIGINT", "SIGHUP"] as const

export class Endings {
  readonly #first = Promise.withResolvers<Ending>()
  readonly #urgent = Promise.withResolvers<UrgentEnding>()
  #isSignalled = false

  constructor() {
    for (const name of signals) process.on(name, () => this.#signalled(constants.signals[name]))
  }

  get first(): Promise<Ending> {
    return this.#first.promise
  }

  /** Also after another reason. */
  get urgent(): Promise<UrgentEnding> {
    return this.#urgent.promise
  }

  end(ending: Ending): void {
    this.#first.resolve(ending)
    if (isUrgent(ending)) this.#urgent.resolve(ending)
  }

  #signalled(number: number): void {
    if (this.#isSignalled) process.exit(128 + number)
    this.#isSignalled = true
    this.end({ kind: "signal", number })
  }
}

function isUrgent(ending: Ending): ending is UrgentEnding {
  return ending.kind !== "shutdown" && ending.kind !== "end of input"
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
