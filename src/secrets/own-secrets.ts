// Turnhouse's own keys and tokens. Tokens come and go while other processes run, so they are recognised by their shape: a
// session token begins with the mark of the home, and a link key has a prefix.
import { createHmac, randomBytes } from "node:crypto"
import { base64Core, formsOf, type Secret } from "./forms.ts"
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
    tokens: [...sessionTokenShapes(keys.homeKey), linkKeyShape, ...encodedLinkKeyShapes],
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

const linkKeyBegin = "lnk_"
const linkKeyRest = /[0-9a-f]{18}\.[\w-]+\.[\w-]{43}/y
const linkKeyLength = 1000

const linkKeyShape: TokenShape = {
  name: "link key",
  begin: linkKeyBegin,
  rest: linkKeyRest,
  maxLength: linkKeyLength,
}

/** In base64 it looks different with 0, 1 or 2 bytes before it in a group of three. What matches is decoded to be sure. */
const encodedLinkKeyShapes: readonly TokenShape[] = [0, 1, 2].flatMap((lead) => {
  const core = base64Core(Buffer.from(linkKeyBegin), lead)
  return [...new Set([core, core.replaceAll("+", "-").replaceAll("/", "_")])].map((begin) => ({
    name: "link key",
    begin,
    rest: /[\w+/=-]*/y,
    maxLength: Math.ceil((linkKeyLength * 4) / 3),
    measure: (match: string) => encodedLength(match, lead),
  }))
})

function encodedLength(match: string, lead: number): number {
  const skipped = lead === 0 ? 0 : lead + 1
  const decoded = Buffer.from("A".repeat(skipped) + match, "base64")
    .subarray(lead)
    .toString("latin1")
  linkKeyRest.lastIndex = linkKeyBegin.length
  const isBegin = decoded.startsWith(linkKeyBegin.slice(1), 1) // a character that the first one shares is not a part of the match
  if (!isBegin || !linkKeyRest.test(decoded)) return 0
  return Math.floor(((lead + linkKeyRest.lastIndex) * 8) / 6) - skipped
}
