// The export format of a session: a header, the stored lines byte for byte, and a seal with the signed head of the hash
// chain. The file alone is enough to check it. It does not protect against the holder of the key.
import { isObject } from "../contract/json-object.ts"
import { createPublicKey, sign, verify, type KeyObject } from "node:crypto"
import { firstHash, nextHash } from "./chain.ts"

export interface Seal {
  readonly seq: number
  readonly hash: string
  /** Raw Ed25519 public key, base64url. */
  readonly publicKey: string
  readonly signature: string
}

export type ExportCheck =
  | { readonly kind: "intact"; readonly sessionId: string; readonly seal: Seal; readonly hashes: ReadonlySet<string> }
  | { readonly kind: "broken"; readonly line: number; readonly what: string }

export function exportHeader(sessionId: string): string {
  return JSON.stringify({ turnhouse: "export", version: 1, sessionId })
}

export function exportSeal(sessionId: string, seq: number, hash: string, key: KeyObject): string {
  const publicKey = createPublicKey(key).export({ format: "jwk" }).x ?? ""
  const signature = sign(null, signedText(sessionId, seq, hash), key).toString("base64url")
  return JSON.stringify({ seal: { seq, hash, publicKey, signature } })
}

/** Checks an export line by line; stops at the first problem. */
export async function checkExport(lines: AsyncIterable<string>): Promise<ExportCheck> {
  const hashes = new Set<string>()
  let sessionId: string | undefined
  let hash = ""
  let seq = 0
  let number = 0
  let checked: ExportCheck | undefined
  for await (const line of lines) {
    number += 1
    if (checked !== undefined) return { kind: "broken", line: number, what: "there is a line after the seal" }
    const parsed = parse(line)
    if (parsed === undefined) return { kind: "broken", line: number, what: "it is not JSON" }
    if (sessionId === undefined) {
      sessionId = headerOf(parsed)
      if (sessionId === undefined) return { kind: "broken", line: number, what: "this is not a Turnhouse export" }
      hash = firstHash(sessionId)
      continue
    }
    const seal = sealOf(parsed)
    if (seal !== undefined) {
      checked = checkSeal(sessionId, seal, seq, hash, hashes, number)
      continue
    }
    if (parsed["seq"] !== seq + 1) return { kind: "broken", line: number, what: `event ${seq + 1} is expected here` }
    seq += 1
    hash = nextHash(hash, line)
    hashes.add(hash)
  }
  return checked ?? { kind: "broken", line: number + 1, what: "the file ends before its seal" }
}

function checkSeal(
  sessionId: string,
  seal: Seal,
  seq: number,
  hash: string,
  hashes: ReadonlySet<string>,
  line: number,
): ExportCheck {
  if (seal.seq !== seq || seal.hash !== hash)
    return { kind: "broken", line, what: "the events do not lead to the sealed hash" }
  if (!isSigned(sessionId, seal)) return { kind: "broken", line, what: "the signature is wrong" }
  return { kind: "intact", sessionId, seal, hashes }
}

function isSigned(sessionId: string, { seq, hash, publicKey, signature }: Seal): boolean {
  try {
    const key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x: publicKey }, format: "jwk" })
    return verify(null, signedText(sessionId, seq, hash), key, Buffer.from(signature, "base64url"))
  } catch {
    return false // not a key
  }
}

function signedText(sessionId: string, seq: number, hash: string): Buffer {
  return Buffer.from(`turnhouse-export:${sessionId}:${seq}:${hash}`)
}

function headerOf(parsed: Record<string, unknown>): string | undefined {
  const { turnhouse, version, sessionId } = parsed
  return turnhouse === "export" && version === 1 && typeof sessionId === "string" ? sessionId : undefined
}

function sealOf(parsed: Record<string, unknown>): Seal | undefined {
  const seal = parsed["seal"]
  if (!isObject(seal)) return undefined
  const { seq, hash, publicKey, signature } = seal
  if (typeof seq !== "number" || typeof hash !== "string") return undefined
  return typeof publicKey === "string" && typeof signature === "string"
    ? { seq, hash, publicKey, signature }
    : undefined
}

function parse(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
