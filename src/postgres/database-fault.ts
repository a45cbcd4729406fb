// Classifies errors of PostgreSQL and of the connection to it, and describes them without the password of the address.
import { messageOf } from "./message-of.ts"

/**
 * `unreachable`: no connection, or no answer in time; the outcome of a write is unknown. `conflict`: a concurrent
 * transaction won; repeating may succeed. `full`: no disk space, memory or connections left. `read-only`: a standby, or a
 * server that was made read-only. `refused`: the credentials, the database or the privileges are wrong. `newer`: written by
 * a newer release.
 */
export type DatabaseFaultKind = "unreachable" | "conflict" | "full" | "read-only" | "refused" | "newer"

export class DatabaseFault extends Error {
  override readonly name = "DatabaseFault"
  readonly kind: DatabaseFaultKind

  constructor(kind: DatabaseFaultKind, message: string, cause?: unknown) {
    super(message, { cause })
    this.kind = kind
  }
}

/** Undefined for an error that is a defect of this program. */
export function faultOf(error: unknown, server: string): DatabaseFault | undefined {
  if (error instanceof DatabaseFault) return error
  const code = codeOf(error)
  const kind = code === undefined ? undefined : kindOf(code)
  if (kind === undefined) return undefined
  return new DatabaseFault(kind, `PostgreSQL at ${server} ${sentenceOf(kind, messageOf(error))}`, error)
}

/** Whether the connection is closed; otherwise a transaction can still be rolled back. */
export function isConnectionLost(error: unknown): boolean {
  const code = codeOf(error)
  if (error instanceof DatabaseFault || code === undefined) return false
  return kindOf(code) === "unreachable" && code !== statementCancelled
}

/** Host, port and database of an address: it may contain a password. */
export function serverName(address: string): string {
  try {
    const { host, pathname } = new URL(address.replace(/\/\/([^@/]*@)?[^/]*,/, "//")) // of several hosts the last
    return `${host || "localhost"}${pathname}`
  } catch {
    return "the configured address"
  }
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined
}

/** Besides those that begin with 08. */
const unreachableCodes: ReadonlySet<string> = new Set(
  [
    "EAI_AGAIN CONNECT_TIMEOUT CONNECTION_CLOSED CONNECTION_ENDED CONNECTION_DESTROYED",
    "57P01 57P02 57P03 57014", // the server stops, crashed or starts; the statement took too long
    "25P03", // this process stood still in a transaction, which the server has ended
  ].flatMap((codes) => codes.split(" ")),
)
const statementCancelled = "57014"
const refusedCodes: ReadonlySet<string> = new Set(["3D000", "42501", "28000", "28P01", "0LP01"])

/** Of the operating system, such as ECONNREFUSED. */
const systemCode = /^E[A-Z0-9]+$/
/** Of TLS and of the exchange of passwords, before anything is sent. */
const handshakeCode = /CERT|^ERR_(SSL|TLS)_|^SASL_|^EPROTO$|UNABLE_TO_VERIFY|HOSTNAME_MISMATCH/

function kindOf(code: string): DatabaseFaultKind | undefined {
  if (refusedCodes.has(code) || handshakeCode.test(code)) return "refused"
  if (unreachableCodes.has(code) || code.startsWith("08") || systemCode.test(code)) return "unreachable"
  if (code.startsWith("40") || code === "55P03") return "conflict"
  if (code.startsWith("53") || code.startsWith("58")) return "full"
  return code === "25006" ? "read-only" : undefined
}

function sentenceOf(kind: DatabaseFaultKind, message: string): string {
  switch (kind) {
    case "unreachable":
      return `cannot be reached (${message})`
    case "conflict":
      return `has refused a transaction because of another one (${message})`
    case "full":
      return `is out of resources (${message})`
    case "read-only":
      return `accepts no writes (${message})`
    case "refused":
    case "newer":
      return `refuses the connection (${message}). Check the address, the user, its privileges and the certificate.`
  }
}
