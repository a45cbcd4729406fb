// Has V8 collect garbage before it outgrows what is in use; by default it grows to a multiple of that. Set while the
// program runs and not on its command line: such a flag there makes V8 reject the compiled code that Node and the
// compile cache bring, which costs a third of the start.
import { setFlagsFromString } from "node:v8"

/** By how much the heap may grow, in percent of what is in use. */
const growth = {
  /** One service may hold many children. */
  rpc: 10,
  /** Most sessions of a host are idle. */
  host: 20,
  serve: 50,
} as const

export function limitHeapGrowth(command: keyof typeof growth): void {
  setFlagsFromString(`--heap-growing-percent=${growth[command]}`)
}
