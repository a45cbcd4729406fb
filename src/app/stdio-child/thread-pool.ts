// Limits the thread pool of a child to one thread instead of four: a service may run dozens of children. The number is
// read once, with the first use; programs of tools do not inherit it.
import { stat } from "node:fs/promises"

const name = "UV_THREADPOOL_SIZE"

export async function limitThreadPool(): Promise<void> {
  if (process.env[name] !== undefined) return
  process.env[name] = "1"
  await stat("/")
  delete process.env[name]
}
