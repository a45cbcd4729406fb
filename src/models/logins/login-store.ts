// Keys and tokens that `turnhouse login` stored: `auth.json` in the home, for its owner alone. Replaced as a whole, under a
// lock that ends with its process, so that no change of another process is lost.
import { join } from "node:path"
import { isObject, tryParseJson } from "../../contract/json-object.ts"
import { lockFile, type FileLock } from "../../program/file-lock.ts"
import { readOwnFile, replaceOwnFile } from "../../program/own-file.ts"

export type Login =
  | { readonly kind: "key"; readonly value: string; readonly savedAt: string }
  | {
      readonly kind: "oauth"
      readonly access: string
      /** Absent if the server gives none: the user logs in again when the access token has expired. */
      readonly refresh?: string
      /** Milliseconds since 1970; absent if the server does not say. */
      readonly expiresAt?: number
      readonly tokenUrl: string
      readonly clientId: string
      readonly savedAt: string
    }

export type Logins = Readonly<Record<string, Login>>

/** The file cannot be used. Its message says what to do. */
export class LoginFault extends Error {
  override readonly name = "LoginFault"
}

const MAX_BYTES = 1024 * 1024

export function loginFile(home: string): string {
  return join(home, "auth.json")
}

/** Without a file there are none. Permissions that others may use are corrected. */
export function readLogins(home: string): Logins {
  const file = loginFile(home)
  const text = readText(file)
  if (text === undefined) return {}
  const value = tryParseJson(text)
  const providers = isObject(value) && value["version"] === 1 ? value["providers"] : undefined
  if (!isObject(providers)) throw damaged(file)
  return Object.fromEntries(Object.entries(providers).map(([name, login]) => [name, loginFrom(login, file)]))
}

/** What a login sends as a key. */
export function keyOf(login: Login): string {
  return login.kind === "key" ? login.value : login.access
}

/** `change` returns the new logins, or undefined to leave them. The lock is held until it has ended. */
export async function changeLogins(
  home: string,
  change: (logins: Logins) => Promise<Logins | undefined> | Logins | undefined,
  timeoutMs = 30_000,
): Promise<void> {
  const held = await lock(home, timeoutMs)
  try {
    const changed = await change(readLogins(home))
    if (changed !== undefined) replaceOwnFile(loginFile(home), textOf(changed))
  } finally {
    held.close()
  }
}

function textOf(providers: Logins): string {
  return `${JSON.stringify({ version: 1, providers }, undefined, 2)}\n`
}

function loginFrom(login: unknown, file: string): Login {
  if (!isObject(login)) throw damaged(file)
  const { kind, value, access, refresh, expiresAt, tokenUrl, clientId, savedAt = "" } = login
  if (kind === "key" && typeof value === "string" && typeof savedAt === "string") return { kind, value, savedAt }
  const texts = [access, tokenUrl, clientId, savedAt].every((text) => typeof text === "string")
  if (kind !== "oauth" || !texts) throw damaged(file)
  return {
    kind,
    access: String(access),
    ...(typeof refresh === "string" ? { refresh } : {}),
    ...(typeof expiresAt === "number" ? { expiresAt } : {}),
    tokenUrl: String(tokenUrl),
    clientId: String(clientId),
    savedAt: String(savedAt),
  }
}

function damaged(file: string): LoginFault {
  return new LoginFault(`${file} is damaged. Remove it, then log in again with 'turnhouse login'.`)
}

function readText(file: string): string | undefined {
  const read = readOwnFile(file, MAX_BYTES)
  switch (read.kind) {
    case "text":
      return read.text
    case "absent":
      return undefined
    case "too-long":
      throw damaged(file)
    case "unreadable":
      throw new LoginFault(`${file} cannot be read. Check its owner.`, { cause: read.cause })
  }
}

async function lock(home: string, timeoutMs: number): Promise<FileLock> {
  const held = await lockFile(join(home, "auth.lock"), timeoutMs)
  if (held === undefined) throw new LoginFault("another process is changing the stored logins. Try again.")
  return held
}
