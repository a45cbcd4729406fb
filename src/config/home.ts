// The home folder, created for its owner alone when it is first needed. An existing folder keeps its mode: it may be
// shared on purpose.
import { accessSync, chmodSync, constants, mkdirSync, statSync } from "node:fs"
import { homedir } from "node:os"
import { join, resolve } from "node:path"
import { ConfigFault, hasCode, describeError } from "./faults.ts"

export type Environment = Readonly<Record<string, string | undefined>>

const ownerOnly = 0o700

/** `TURNHOUSE_HOME`, or `~/.turnhouse`. An empty variable counts as unset. */
export function homeFolder(env: Environment): string {
  const configured = env["TURNHOUSE_HOME"]
  return configured ? resolve(withUserHome(configured, env)) : join(userHome(env), ".turnhouse")
}

/** Creates the home folder if it does not exist. */
export function ensureHome(home: string): void {
  try {
    // Creating nested folders never ends there.
    if (home.startsWith("/proc/")) throw new Error("/proc cannot store files")
    const made = mkdirSync(home, { recursive: true, mode: ownerOnly })
    if (made !== undefined) chmodSync(home, ownerOnly) // regardless of the umask
    accessSync(home, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    throw new ConfigFault([
      `The home folder ${home} cannot be used: ${homeProblem(home, error)}. Fix this, or set TURNHOUSE_HOME to another folder.`,
    ])
  }
}

/** Expands `~/x` as a shell does, for settings that no shell has expanded. */
export function withUserHome(path: string, env: Environment): string {
  return path === "~" || path.startsWith("~/") ? join(userHome(env), path.slice(1)) : path
}

function homeProblem(home: string, error: unknown): string {
  if (hasCode(error, "EEXIST") && statSync(home, { throwIfNoEntry: false })?.isDirectory() !== true)
    return "it is not a folder"
  return describeError(error)
}

function userHome(env: Environment): string {
  if (env["HOME"]) return env["HOME"]
  try {
    return homedir()
  } catch {
    throw new ConfigFault(["This user has no home folder; set TURNHOUSE_HOME to a folder for Turnhouse's files."])
  }
}
