// What is stored about keys cannot be read or written. Callers get the message, operators its cause.
import { DatabaseFault } from "../postgres/database-fault.ts"

export class StoreFault extends Error {
  override readonly name = "StoreFault"
}

/** Turns a fault of the database into one whose message names no address. */
export async function orStoreFault<Value>(asked: Promise<Value>): Promise<Value> {
  try {
    return await asked
  } catch (fault) {
    if (!(fault instanceof DatabaseFault)) throw fault
    throw new StoreFault("Keys cannot be checked at the moment. Try again soon.", { cause: fault })
  }
}
