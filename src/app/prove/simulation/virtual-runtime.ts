// Replaces clocks, timers and random numbers of the running thread by those of a scheduler, for good: the product's own
// code then runs in simulated time. Only for a thread that does nothing else.
import crypto from "node:crypto"
import { statSync } from "node:fs"
import fsPromises from "node:fs/promises"
import { syncBuiltinESMExports } from "node:module"
import timers from "node:timers"
import timersPromises from "node:timers/promises"
import type { Scheduler, Task } from "./scheduler.ts"

type Callback = (...args: readonly unknown[]) => void

interface PauseOptions {
  readonly signal?: AbortSignal
}

class VirtualTimer {
  readonly #start: () => Task
  #task: Task

  constructor(start: () => Task) {
    this.#start = start
    this.#task = start()
  }

  ref(): this {
    return this
  }

  unref(): this {
    return this
  }

  hasRef(): boolean {
    return true
  }

  refresh(): this {
    this.clear()
    this.#task = this.#start()
    return this
  }

  clear(): void {
    this.#task.isCancelled = true
  }

  close(): this {
    this.clear()
    return this
  }

  [Symbol.dispose](): void {
    this.clear()
  }
}

export function installVirtualRuntime(scheduler: Scheduler): void {
  const own = { ...timersOf(scheduler) }
  Object.assign(globalThis, own, { Date: dateOf(scheduler) })
  Object.assign(timers, own)
  Object.assign(timersPromises, pausesOf(scheduler))
  Object.assign(Math, { random: () => scheduler.below(2 ** 30) / 2 ** 30 })
  Object.assign(AbortSignal, { timeout: (ms: number) => timeoutSignal(scheduler, ms) })
  performance.now = () => scheduler.clock
  Object.assign(crypto, randomsOf(scheduler))
  Object.assign(fsPromises, filesOf(scheduler))
  syncBuiltinESMExports()
  Object.defineProperty(process, "pid", { value: 1 }) // frames have it: their length must not change from run to run
}

function clear(timer: unknown): void {
  if (timer instanceof VirtualTimer) timer.clear()
}

function timersOf(scheduler: Scheduler) {
  return {
    setTimeout: (run: Callback, ms = 0, ...args: readonly unknown[]) =>
      new VirtualTimer(() => scheduler.schedule(Math.max(1, ms), () => run(...args))),
    setImmediate: (run: Callback, ...args: readonly unknown[]) =>
      new VirtualTimer(() => scheduler.schedule(0, () => run(...args))),
    setInterval: (run: Callback, ms = 1) => interval(scheduler, run, Math.max(1, ms)),
    clearTimeout: clear,
    clearInterval: clear,
    clearImmediate: clear,
  }
}

function interval(scheduler: Scheduler, run: Callback, ms: number): VirtualTimer {
  const timer: VirtualTimer = new VirtualTimer(() =>
    scheduler.schedule(ms, () => {
      timer.refresh()
      run()
    }),
  )
  return timer
}

function pausesOf(scheduler: Scheduler) {
  return {
    setTimeout: (ms = 1, value?: unknown, options?: PauseOptions) => pause(scheduler, Math.max(1, ms), value, options),
    setImmediate: (value?: unknown, options?: PauseOptions) => pause(scheduler, 0, value, options),
  }
}

function pause(scheduler: Scheduler, ms: number, value: unknown, { signal }: PauseOptions = {}): Promise<unknown> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) return reject(abortError(signal))
    const onAbort = () => {
      task.isCancelled = true
      if (signal !== undefined) reject(abortError(signal))
    }
    const task = scheduler.schedule(ms, () => {
      signal?.removeEventListener("abort", onAbort)
      resolve(value)
    })
    signal?.addEventListener("abort", onAbort, { once: true })
  })
}

function abortError({ reason }: AbortSignal): DOMException {
  return Object.assign(new DOMException("The operation was aborted", "AbortError"), { cause: reason })
}

function timeoutSignal(scheduler: Scheduler, ms: number): AbortSignal {
  const controller = new AbortController()
  scheduler.schedule(ms, () => controller.abort(new DOMException("The operation timed out", "TimeoutError")))
  return controller.signal
}

/** Whole milliseconds, as of the process that asks. */
function dateOf(scheduler: Scheduler): typeof Date {
  const now = () => Math.floor(scheduler.clock)
  return new Proxy(Date, {
    construct: (target, args, newTarget) => Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
    get: (target, key): unknown => (key === "now" ? now : Reflect.get(target, key)),
  })
}

/** Every path is a folder: the working folder of a session is the only one that is looked for. */
function filesOf(scheduler: Scheduler) {
  const folder = statSync("/")
  return { stat: () => pause(scheduler, 0, folder) }
}

function randomsOf(scheduler: Scheduler) {
  const randomBytes = (size: number) => Buffer.from(Uint8Array.from({ length: size }, () => scheduler.below(256)))
  return { randomBytes, randomUUID: () => uuidOf(randomBytes(16).toString("hex")) }
}

function uuidOf(hex: string): string {
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20)].join("-")
}
