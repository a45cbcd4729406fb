// Limits how far the heap may outgrow what is in use; V8's default is a multiple of it. Set at run time, not on the
// command line: there the flag makes V8 reject the compile cache, which costs a third of the start.
import { setFlagsFromString } from "node:v8"
import { stat } from "node:fs/promises"

/** Growth in percent of what is in use. */
const growth = {
  /** One service may run many children. */
  rpc: 10,
  /** Most sessions of a host are idle. */
  host: 20,
  serve: 50,
} as const

export function limitHeapGrowth(command: keyof typeof growth): void {
  setFlagsFromString(`--heap-growing-percent=${growth[command]}`)
}

const name = "UV_THREADPOOL_SIZE"

export async function limitThreadPool(): Promise<void> {
  if (process.env[name] !== undefined) return
  process.env[name] = "1"
  await stat("/")
  delete process.env[name]
}
