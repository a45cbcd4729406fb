// The owner's key of a home. It permits everything, and signs share links: deleting its file revokes all of them.
import { randomBytes } from "node:crypto"
import { join } from "node:path"
import { clusterKeys, type Environment } from "./cluster-keys.ts"
import { keyFile, KeyFileFault } from "./key-file.ts"

export function consoleKeyFile(home: string): string {
  return join(home, "console.key")
}

/** Created when it is first needed. Throws `KeyFileFault`. */
export function readConsoleKey(home: string, env: Environment = process.env): string {
  const file = consoleKeyFile(home)
  const created = () => clusterKeys(env)?.consoleKey ?? randomBytes(32).toString("base64url")
  const key = Buffer.from(keyFile(file, () => Buffer.from(`${created()}\n`)))
    .toString("utf8")
    .trim()
  if (/^[A-Za-z0-9_-]{43}$/.test(key)) return key
  throw new KeyFileFault(`${file} does not contain a key. Delete it to create a new one; this revokes all share links.`)
}
