// Turnhouse's own keys and tokens. Tokens come and go while other processes run, so they are recognised by their shape: a
// session token begins with the mark of the home, and a link key has a prefix.
import { createHmac, randomBytes } from "node:crypto"
import { formsOf, type Secret } from "./forms.ts"
import type { TokenShape } from "./token-shapes.ts"

export interface OwnSecrets {
  readonly keys: readonly Secret[]
  readonly tokens: readonly TokenShape[]
}

const tokenLength = 64
const markLength = 16

export function ownSecrets(keys: { readonly homeKey: Uint8Array; readonly consoleKey: string }): OwnSecrets {
  const homeKey = Buffer.from(keys.homeKey)
  const encodings = [
    homeKey.toString("hex"),
    homeKey.toString("base64").replace("=", ""),
    homeKey.toString("base64url"),
  ]
  return {
    keys: [
      { name: "console.key", value: keys.consoleKey },
      ...encodings.map((value) => ({ name: "secret.key", value })),
    ],
    tokens: [...sessionTokenShapes(keys.homeKey), linkKeyShape],
  }
}

/** 64 hexadecimal digits, 48 of them random. */
export function newSessionToken(homeKey: Uint8Array): string {
  return markOf(homeKey) + randomBytes((tokenLength - markLength) / 2).toString("hex")
}

function markOf(homeKey: Uint8Array): string {
  return createHmac("sha256", homeKey).update("session token mark").digest("hex").slice(0, markLength)
}

function sessionTokenShapes(homeKey: Uint8Array): TokenShape[] {
  const mark = markOf(homeKey)
  const name = "session token"
  const maxLength = Math.ceil((tokenLength * 4) / 3)
  return formsOf(mark).map(
    (begin) =>
      begin === mark
        ? { name, begin, rest: /[0-9a-f]*/y, maxLength: tokenLength - markLength }
        : { name, begin, rest: /[\w+/=-]*/y, maxLength }, // in base64
  )
}

const linkKeyShape: TokenShape = {
  name: "link key",
  begin: "lnk_",
  rest: /[0-9a-f]{18}\.[\w-]+\.[\w-]{43}/y,
  maxLength: 1000,
}
