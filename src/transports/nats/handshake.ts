// Opening of a link: a request and its reply carry a nonce of each side and prove that both know the key of the cluster.
// Keys and subjects of the link are derived from that key and both nonces. A replayed request gets a reply, and a link
// that only the owner of the key can use.
import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from "node:crypto"

export const KEY_BYTES = 32
const nonceBytes = 32
const macBytes = 32
const version = 1

/** What all nodes of a cluster share, for links to one host. */
export interface HostSecret {
  readonly key: Uint8Array
  readonly cluster: string
  readonly hostId: string
}

/** One direction of a link. */
export interface Direction {
  readonly subject: string
  readonly key: Uint8Array
}

export interface LinkSecrets {
  readonly toHost: Direction
  readonly toClient: Direction
}

/** The reply of a host to a request that it does not accept. */
export const refusal = Uint8Array.of(0)

export function createRequest(secret: HostSecret): { readonly nonce: Buffer; readonly message: Buffer } {
  const nonce = randomBytes(nonceBytes)
  return { nonce, message: encode(nonce, mac(secret, "request", nonce)) }
}

/** The nonce of a request; undefined when it was made with another key. */
export function readRequest(secret: HostSecret, message: Uint8Array): Uint8Array | undefined {
  return decode(message, (nonce) => mac(secret, "request", nonce))
}

export function createReply(
  secret: HostSecret,
  requestNonce: Uint8Array,
): { readonly nonce: Buffer; readonly message: Buffer } {
  const nonce = randomBytes(nonceBytes)
  return { nonce, message: encode(nonce, mac(secret, "reply", requestNonce, nonce)) }
}

export function readReply(secret: HostSecret, requestNonce: Uint8Array, message: Uint8Array): Uint8Array | undefined {
  return decode(message, (nonce) => mac(secret, "reply", requestNonce, nonce))
}

export function linkSecrets(secret: HostSecret, requestNonce: Uint8Array, replyNonce: Uint8Array): LinkSecrets {
  const salt = Buffer.concat([requestNonce, replyNonce])
  const derive = (purpose: string, bytes: number) =>
    Buffer.from(hkdfSync("sha256", secret.key, salt, label(secret, purpose), bytes))
  const direction = (name: string): Direction => ({
    subject: `${linkSubjects(secret.cluster)}.${derive(`${name} subject`, 16).toString("hex")}`,
    key: derive(`${name} key`, KEY_BYTES),
  })
  return { toHost: direction("to host"), toClient: direction("to client") }
}

export function hostSubject({ cluster, hostId }: HostSecret): string {
  return `turnhouse.${cluster}.host.${hostId}`
}

/** All links of a cluster are below it. */
export function linkSubjects(cluster: string): string {
  return `turnhouse.${cluster}.link`
}

function encode(nonce: Buffer, proof: Buffer): Buffer {
  return Buffer.concat([Uint8Array.of(version), nonce, proof])
}

function decode(message: Uint8Array, proofOf: (nonce: Uint8Array) => Buffer): Uint8Array | undefined {
  if (message.length !== 1 + nonceBytes + macBytes || message[0] !== version) return undefined
  const nonce = Uint8Array.from(message.subarray(1, 1 + nonceBytes))
  return timingSafeEqual(message.subarray(1 + nonceBytes), proofOf(nonce)) ? nonce : undefined
}

function mac(secret: HostSecret, purpose: string, ...nonces: readonly Uint8Array[]): Buffer {
  const made = createHmac("sha256", secret.key).update(label(secret, purpose))
  for (const nonce of nonces) made.update(nonce)
  return made.digest()
}

/** Neither a cluster nor a host id contains a NUL. */
function label({ cluster, hostId }: HostSecret, purpose: string): string {
  return `turnhouse link ${version}\0${purpose}\0${cluster}\0${hostId}\0`
}
