// One service may hold dozens of children under one limit of threads, so a child has one thread for files and names
// instead of four. Their number is read once, when the first is started; programs that tools run are not to inherit it.
import { stat } from "node:fs/promises"

const name = "UV_THREADPOOL_SIZE"

export async function limitThreadPool(): Promise<void> {
  if (process.env[name] !== undefined) return
  process.env[name] = "1"
  await stat("/")
  delete process.env[name]
}
