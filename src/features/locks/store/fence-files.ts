// Holds as files, for commands that cannot see the book: as long as a hold lasts there is a file with its number, in a
// folder that commands may read and not write. A hold that is taken away loses its file before anybody else gets the
// lock. Beside them lie the hooks by which git looks for the file before it moves a ref.
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { fenceHook, hookNames } from "./git-hook.ts"

export class FenceFiles {
  /** May be shown to commands, which must not be able to write there. */
  readonly folder: string
  #isReady = false

  constructor(folder: string) {
    this.folder = folder
  }

  raise(token: string): void {
    this.#makeReady()
    closeSync(openSync(join(this.#held, token), "w", 0o600))
  }

  lower(token: string): void {
    rmSync(join(this.#held, token), { force: true })
  }

  /** What other programs have taken out of the book has no file here either. */
  keepOnly(tokens: ReadonlySet<string>): void {
    for (const token of this.#raised()) if (!tokens.has(token)) this.lower(token)
  }

  /** The environment in which git asks before it moves a ref. */
  environment(tokens: readonly string[], env: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    const given = Number(env["GIT_CONFIG_COUNT"] ?? 0)
    const count = Number.isSafeInteger(given) && given > 0 ? given : 0
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

  #raised(): readonly string[] {
    try {
      return readdirSync(this.#held)
    } catch {
      return [] // nothing was ever granted here
    }
  }

  #makeReady(): void {
    if (this.#isReady && existsSync(this.#held)) return
    for (const folder of [this.folder, this.#held, this.#hooks]) mkdirSync(folder, { recursive: true, mode: 0o700 })
    for (const name of hookNames) writeHook(join(this.#hooks, name))
    this.#isReady = true
  }
}

/** Not while it may be running, unless it is another one. */
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
