// Single-use codes that sign a browser in as the owner of the home. Each is a file in the home, named by its digest: the
// process that deletes the file has redeemed the code, so that no code works twice, in whichever process it is used.
import { createHash, randomBytes } from "node:crypto"
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, unlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"

/** How long a code can be used. */
export const SIGN_IN_MS = 5 * 60_000
const CODE_BYTES = 18
const MAX_CODE_LENGTH = 100

export type Redeemed = "signed-in" | "expired" | "unknown"

export class SignInCodes {
  readonly #folder: string

  constructor(home: string) {
    this.#folder = join(home, "sign-ins")
  }

  create(now: number): string {
    if (mkdirSync(this.#folder, { recursive: true, mode: 0o700 }) !== undefined) chmodSync(this.#folder, 0o700)
    this.#deleteExpired(now)
    const code = randomBytes(CODE_BYTES).toString("base64url")
    writeFileSync(this.#file(code), `${now + SIGN_IN_MS}\n`, { flag: "wx", mode: 0o600 })
    return code
  }

  redeem(code: string, now: number): Redeemed {
    if (code.length > MAX_CODE_LENGTH) return "unknown"
    const file = this.#file(code)
    const expiresAt = expiryIn(file)
    if (expiresAt === undefined || !deleted(file)) return "unknown"
    return now < expiresAt ? "signed-in" : "expired"
  }

  #deleteExpired(now: number): void {
    const files = readdirSync(this.#folder).map((name) => join(this.#folder, name))
    for (const file of files) if ((expiryIn(file) ?? now) <= now) rmSync(file, { force: true })
  }

  #file(code: string): string {
    return join(this.#folder, createHash("sha256").update(code).digest("hex"))
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
