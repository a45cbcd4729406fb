// A self-signed certificate for an address of this machine: X.509 v3 in DER, with the extensions that browsers demand. Node
// can read certificates and sign, but not write them.
import { generateKeyPairSync, randomBytes, sign } from "node:crypto"
import { isIPv4 } from "node:net"

/** Phones refuse more than 825. */
const VALID_DAYS = 730
const DAY_MS = 86_400_000
/** The clock of a phone may be behind. */
const SKEW_MS = DAY_MS

/** The private key and the certificate, in PEM format. The address is of IPv4. */
export function selfSignedCertificate(address: string, now: number): string {
  if (!isIPv4(address)) throw new Error(`'${address}' is not an address of IPv4`)
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const name = sequence(tagged(0x31, sequence(objectId("2.5.4.3"), tagged(0x0c, Buffer.from("Turnhouse")))))
  const toBeSigned = sequence(
    tagged(0xa0, integer(Buffer.from([2]))), // version 3
    integer(serialNumber()),
    ecdsaWithSha256,
    name,
    sequence(time(now - SKEW_MS), time(now + VALID_DAYS * DAY_MS)),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    tagged(0xa3, sequence(...extensions(address))),
  )
  const signature = sign("sha256", toBeSigned, privateKey)
  const certificate = sequence(toBeSigned, ecdsaWithSha256, bits(signature))
  return `${privateKey.export({ type: "pkcs8", format: "pem" }).toString()}${pem("CERTIFICATE", certificate)}`
}

const ecdsaWithSha256 = sequence(objectId("1.2.840.10045.4.3.2"))

function extensions(address: string): readonly Buffer[] {
  const ipAddress = tagged(0x87, Buffer.from(address.split(".").map(Number)))
  return [
    extension("2.5.29.19", "critical", sequence()), // basic constraints: no authority
    extension("2.5.29.15", "critical", Buffer.from([0x03, 0x02, 0x07, 0x80])), // key usage: signatures
    extension("2.5.29.37", "optional", sequence(objectId("1.3.6.1.5.5.7.3.1"))), // for servers
    extension("2.5.29.17", "optional", sequence(ipAddress)), // its name
  ]
}

function extension(id: string, weight: "critical" | "optional", value: Buffer): Buffer {
  const critical = weight === "critical" ? [Buffer.from([0x01, 0x01, 0xff])] : []
  return sequence(objectId(id), ...critical, tagged(0x04, value))
}

/** Positive, and never two zero bytes at the start. */
function serialNumber(): Buffer {
  const bytes = randomBytes(16)
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40
  return bytes
}

function time(at: number): Buffer {
  const text = new Date(at).toISOString().replaceAll(/[-:T]|\.\d+/g, "")
  return tagged(0x18, Buffer.from(text))
}

function bits(bytes: Buffer): Buffer {
  return tagged(0x03, Buffer.concat([Buffer.from([0]), bytes]))
}

function integer(bytes: Buffer): Buffer {
  return tagged(0x02, bytes)
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return tagged(0x30, ...parts)
}

function objectId(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split(".").map(Number)
  return tagged(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]))
}

/** Groups of seven bits; all but the last have the highest bit set. */
function base128(value: number): readonly number[] {
  const groups = [value & 0x7f]
  for (let left = value >> 7; left > 0; left >>= 7) groups.unshift((left & 0x7f) | 0x80)
  return groups
}

function tagged(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  return Buffer.concat([Buffer.from([tag, ...lengthBytes(content.length)]), content])
}

function lengthBytes(length: number): readonly number[] {
  if (length < 0x80) return [length]
  return length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
}

function pem(label: string, der: Buffer): string {
  const lines = der.toString("base64").match(/.{1,64}/g) ?? []
  return `-----BEGIN ${label}-----\n${lines.join("\n")}\n-----END ${label}-----\n`
}
