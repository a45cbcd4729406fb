// The Node that can run an extension written in TypeScript: the one on the PATH where it can, else our own.
import { execFile } from "node:child_process"
import { promisify } from "node:util"

const patienceMs = 10_000

export async function nodeForTypeScript(): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)("node", ["-p", "process.features.typescript"], { timeout: patienceMs })
    return /strip|transform/.test(stdout) ? "node" : process.execPath
  } catch {
    return process.execPath // there is none
  }
}
