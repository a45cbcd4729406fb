// Sign-in codes of a home. Each is a file, named by its digest: the process that deletes the file has redeemed the code.
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, unlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { digestOf, newCode, SIGN_IN_MS, type Redeemed, type SignInCodes } from "./sign-in-codes.ts"

export class FileSignInCodes implements SignInCodes {
  readonly #folder: string
  readonly #now: () => number

  constructor(home: string, now: () => number = Date.now) {
    this.#folder = join(home, "sign-ins")
    this.#now = now
  }

  async create(): Promise<string> {
    const now = this.#now()
    if (mkdirSync(this.#folder, { recursive: true, mode: 0o700 }) !== undefined) chmodSync(this.#folder, 0o700)
    this.#deleteExpired(now)
    const code = newCode()
    writeFileSync(this.#file(code), `${now + SIGN_IN_MS}\n`, { flag: "wx", mode: 0o600 })
    return code
  }

  async redeem(code: string): Promise<Redeemed> {
    const file = this.#file(code)
    const expiresAt = expiryIn(file)
    if (expiresAt === undefined || !deleted(file)) return "unknown"
    return this.#now() < expiresAt ? "signed-in" : "expired"
  }

  #deleteExpired(now: number): void {
    const files = readdirSync(this.#folder).map((name) => join(this.#folder, name))
    for (const file of files) if ((expiryIn(file) ?? now) <= now) rmSync(file, { force: true })
  }

  #file(code: string): string {
    return join(this.#folder, digestOf(code))
  }
}

function expiryIn(file: string): number | undefined {
  try {
    return Number(readFileSync(file, "utf8"))
  } catch {
    return undefined // it was redeemed, or there never was one
  }
}

/** False if another process was faster. */
function deleted(file: string): boolean {
  try {
    unlinkSync(file)
    return true
  } catch {
    return false
  }
}
