// Limits what a process takes beyond what it uses: heap and threads.
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

/**
 * V8's default is a multiple of what is in use. Set at run time, not on the command line: there the flag makes V8 reject
 * the compile cache, which costs a third of the start.
 */
export function limitHeapGrowth(command: keyof typeof growth): void {
  setFlagsFromString(`--heap-growing-percent=${growth[command]}`)
}

const name = "UV_THREADPOOL_SIZE"

/**
 * One thread instead of four: a service may run dozens of children. The number is read once, with the first use; programs
 * of tools do not inherit it.
 */
export async function limitThreadPool(): Promise<void> {
  if (process.env[name] !== undefined) return
  process.env[name] = "1"
  await stat("/")
  delete process.env[name]
}
