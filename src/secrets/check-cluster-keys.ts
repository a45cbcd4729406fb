// Compares the key files of a home with the keys derived from TURNHOUSE_CLUSTER_SECRET. A home with other keys cannot be
// a node: what was stored under them would not be recognised any more.
import { existsSync } from "node:fs"
import { clusterKeys, clusterSecretVariable, type Environment } from "./cluster-keys.ts"
import { consoleKeyFile, readConsoleKey } from "./console-key.ts"
import { homeKey, homeKeyFile } from "./home-key.ts"

/** Why this home cannot be used with the variable, in one line. Throws `KeyFileFault` for a value or a file that is no key. */
export function clusterKeyProblem(home: string, env: Environment = process.env): string | undefined {
  const keys = clusterKeys(env)
  if (keys === undefined) return undefined
  const [file, consoleFile] = [homeKeyFile(home), consoleKeyFile(home)]
  if (existsSync(file) && !Buffer.from(keys.homeKey).equals(homeKey(home, env))) return differs(file)
  if (existsSync(consoleFile) && keys.consoleKey !== readConsoleKey(home, env)) return differs(consoleFile)
  return undefined
}

function differs(file: string): string {
  return `${file} is not the key that ${clusterSecretVariable} gives. Unset the variable, or delete the file if this home has no sessions of its own.`
}
