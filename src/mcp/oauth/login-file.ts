// The logins at MCP servers: a file for each address of a server, for its owner alone, in a folder that only the owner can
// open. A server whose address has changed has no login. Changes are made under a lock that ends with its process.
import { createHash } from "node:crypto"
import { chmodSync, mkdirSync, readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { isObject, tryParseJson } from "../../contract/json-object.ts"
import { LoginFault } from "../../models/logins/login-store.ts"
import type { Tokens } from "../../models/logins/oauth-request.ts"
import { lockFile } from "../../program/file-lock.ts"
import { readOwnFile, replaceOwnFile } from "../../program/own-file.ts"
import type { StoredClient } from "./oauth-client.ts"

export interface ServerTokens extends Tokens, StoredClient {
  readonly kind: "tokens"
  /** The address of the MCP server. */
  readonly url: string
  readonly issuer: string
  readonly tokenUrl: string
  readonly revocationUrl?: string
  /** The resource that the token is for (RFC 8707). */
  readonly resource?: string
  readonly savedAt: string
}

/** `needed`: the server has refused a request, and there are no tokens. */
export type ServerLogin = ServerTokens | { readonly kind: "needed"; readonly url: string }

const MAX_BYTES = 256 * 1024
const MAX_FILES = 1000
const LOCK_TIMEOUT_MS = 60_000

/** Undefined without a file. Throws LoginFault if it cannot be read. */
export function readServerLogin(home: string, url: string): ServerLogin | undefined {
  const login = loginIn(fileOf(home, url))
  if (login === undefined) return undefined
  return login.url === addressOf(url) ? login : { kind: "needed", url: addressOf(url) }
}

/** `change` returns the new login, `remove`, or undefined to leave it. The lock is held until it has ended. */
export async function changeServerLogin(
  home: string,
  url: string,
  change: (login: ServerLogin | undefined) => Promise<LoginChange> | LoginChange,
): Promise<void> {
  const file = fileOf(home, url)
  mkdirSync(folderOf(home), { recursive: true })
  chmodSync(folderOf(home), 0o700) // regardless of the umask
  const held = await lockFile(`${file}.lock`, LOCK_TIMEOUT_MS)
  if (held === undefined) throw new LoginFault("another process is changing the login of this server. Try again.")
  try {
    const changed = await change(readServerLogin(home, url))
    if (changed === "remove") rmSync(file, { force: true })
    else if (changed !== undefined) replaceOwnFile(file, `${JSON.stringify({ version: 1, ...changed }, null, 2)}\n`)
  } finally {
    held.close()
  }
}

type LoginChange = ServerLogin | "remove" | undefined

/** Tokens and secrets of all servers, for the redactor. Files that cannot be read have none. */
export function storedServerSecrets(home: string): readonly string[] {
  return filesIn(folderOf(home)).flatMap((file) => {
    const read = readOwnFile(file, MAX_BYTES)
    return read.kind === "text" ? secretsIn(parsed(read.text)) : []
  })
}

export function secretsIn(login: ServerLogin | undefined): readonly string[] {
  if (login?.kind !== "tokens") return []
  return [login.access, login.refresh, login.clientSecret].filter((value) => value !== undefined)
}

/** As it is compared and stored. */
export function addressOf(url: string): string {
  const address = new URL(url)
  address.hash = ""
  return address.href
}

function folderOf(home: string): string {
  return join(home, "mcp-logins")
}

function fileOf(home: string, url: string): string {
  return join(folderOf(home), `${createHash("sha256").update(addressOf(url)).digest("hex").slice(0, 32)}.json`)
}

function filesIn(folder: string): readonly string[] {
  try {
    const names = readdirSync(folder).filter((name) => name.endsWith(".json"))
    return names.slice(0, MAX_FILES).map((name) => join(folder, name))
  } catch (fault) {
    if (fault instanceof Error && "code" in fault && fault.code === "ENOENT") return []
    throw fault
  }
}

function loginIn(file: string): ServerLogin | undefined {
  const read = readOwnFile(file, MAX_BYTES)
  switch (read.kind) {
    case "text":
      return parsed(read.text) ?? damaged
    case "absent":
      return undefined
    case "too-long":
      return damaged
    case "unreadable":
      throw new LoginFault(`${file} cannot be read. Check its owner.`, { cause: read.cause })
  }
}

/** The next login replaces the file. */
const damaged: ServerLogin = { kind: "needed", url: "" }

function parsed(text: string): ServerLogin | undefined {
  const value = tryParseJson(text)
  if (!isObject(value) || value["version"] !== 1) return undefined
  const field = (name: string) => {
    const found = value[name]
    return typeof found === "string" && found !== "" ? found : undefined
  }
  const [url, issuer, tokenUrl, clientId, access] = [
    field("url"),
    field("issuer"),
    field("tokenUrl"),
    field("clientId"),
    field("access"),
  ]
  if (url === undefined) return undefined
  if (value["kind"] === "needed") return { kind: "needed", url }
  if (issuer === undefined || tokenUrl === undefined || clientId === undefined || access === undefined) return undefined
  const { expiresAt } = value
  return {
    kind: "tokens",
    url,
    issuer,
    tokenUrl,
    clientId,
    access,
    ...optional("refresh", field("refresh")),
    ...optional("expiresAt", typeof expiresAt === "number" ? expiresAt : undefined),
    ...optional("revocationUrl", field("revocationUrl")),
    ...optional("resource", field("resource")),
    ...optional("clientSecret", field("clientSecret")),
    clientMethod: methods.find((method) => method === value["clientMethod"]) ?? "none",
    savedAt: field("savedAt") ?? "",
  }
}

const methods = ["none", "basic", "post"] as const

/** A member, if it has a value. */
export function optional<Name extends string, Value>(
  name: Name,
  value: Value | undefined,
): { readonly [Key in Name]?: Value } {
  const members: { [Key in Name]?: Value } = {}
  if (value !== undefined) members[name] = value
  return members
}
