// Holds as files, for commands that cannot read the lock table: while a hold lasts, a file with its number exists in a
// folder that commands may read but not write. A revoked hold loses its file before another holder gets the lock. The
// folder also has the git hooks that check for the file before git moves a ref. A file may name the time at which its hold
// ends by itself.
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { uptime } from "node:os"
import { join } from "node:path"
import { fenceHook, hookNames } from "./git-hook.ts"

export class FenceFiles {
  /** Commands may read it and must not be able to write there. */
  readonly folder: string
  #isReady = false

  constructor(folder: string) {
    this.folder = folder
  }

  /** `validMs`: for how long the hold is valid if the file is not written again. */
  raise(token: string, validMs?: number): void {
    this.#prepareFolder()
    writeFileSync(join(this.#held, token), validMs === undefined ? "" : deadline(validMs), { mode: 0o600 })
  }

  lower(token: string): void {
    rmSync(join(this.#held, token), { force: true })
  }

  lowerAll(isLost: (token: string) => boolean): void {
    for (const token of this.#tokensOnDisk()) if (isLost(token)) this.lower(token)
  }

  /** The environment in which git checks the holds before it moves a ref. */
  environment(tokens: readonly string[], env: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    const existingCount = Number(env["GIT_CONFIG_COUNT"] ?? 0)
    const count = Number.isSafeInteger(existingCount) && existingCount > 0 ? existingCount : 0
    return {
      TURNHOUSE_FENCE: tokens.join(" "),
      GIT_CONFIG_COUNT: String(count + 1),
      [`GIT_CONFIG_KEY_${count}`]: "core.hooksPath",
      [`GIT_CONFIG_VALUE_${count}`]: this.#hooks,
    }
  }

  get #held(): string {
    return join(this.folder, "held")
  }

  get #hooks(): string {
    return join(this.folder, "hooks")
  }

  #tokensOnDisk(): readonly string[] {
    try {
      return readdirSync(this.#held)
    } catch {
      return [] // no lock was granted yet
    }
  }

  #prepareFolder(): void {
    if (this.#isReady && existsSync(this.#held)) return
    for (const folder of [this.folder, this.#held, this.#hooks]) mkdirSync(folder, { recursive: true, mode: 0o700 })
    for (const name of hookNames) writeHook(join(this.#hooks, name))
    this.#isReady = true
  }
}

/** In whole seconds since the start of the machine, as in /proc/uptime; empty on a system without it. */
function deadline(validMs: number): string {
  return process.platform === "linux" ? `${Math.floor(uptime() + validMs / 1000)}\n` : ""
}

/** Written only if its content differs, since it may be running. */
function writeHook(path: string): void {
  if (contentOf(path) === fenceHook) return
  rmSync(path, { force: true })
  writeFileSync(path, fenceHook, { mode: 0o700 })
  chmodSync(path, 0o700)
}

function contentOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return undefined
  }
}
