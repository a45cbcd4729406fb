// What SQLite and the file system say when they cannot, sorted by what it means: the log is unavailable (nothing was
// accepted, it may work again later) or a part of the file is damaged. Everything else is a fault of this program.
import type { Refusal } from "../../contract/refusals.ts"

/** Carries a finished sentence about why the log cannot be used. */
export class LogUnavailable extends Error {
  override readonly name: string = "LogUnavailable"
}

/** The database cannot be read before a writer has opened it. */
export class LogNeedsWriter extends LogUnavailable {
  override readonly name = "LogNeedsWriter"
}

const busy = 5
const readOnly = 8
const ioError = 10
const corrupt = 11
const full = 13
const cannotOpen = 14
const protocol = 15
const tooBig = 18
const constraint = 19
const notADatabase = 26

/** The refusal that a failure amounts to; throws on what is no failure of storage. */
export function unavailable(error: unknown, path: string): Refusal {
  if (error instanceof LogUnavailable) return { code: "log.unavailable", what: error.message }
  const code = sqliteCode(error)
  if (code !== undefined) return { code: "log.unavailable", what: sqliteSentence(code, messageOf(error), path) }
  if (isSystemError(error)) return { code: "log.unavailable", what: `${path}: ${error.message}` }
  throw error
}

/** A reader found a write-ahead log that a killed writer left unfinished; only a writer may recover it. */
export function needsWriter(error: unknown): boolean {
  return error instanceof LogNeedsWriter || sqliteCode(error) === readOnly || sqliteCode(error) === protocol
}

export function isBusy(error: unknown): boolean {
  return sqliteCode(error) === busy
}

export function isCannotOpen(error: unknown): boolean {
  return sqliteCode(error) === cannotOpen
}

export function isDamage(error: unknown): boolean {
  const code = sqliteCode(error)
  return code === corrupt || code === notADatabase || error instanceof BrokenRow
}

/** For those who can go on without the damaged part. */
export function damageOrThrow(error: unknown): Error {
  if (isDamage(error) && error instanceof Error) return error
  throw error
}

/** Whether the failure lies in what was asked, so that the next request may well succeed. */
export function isOfThisRequest(error: unknown): boolean {
  const code = sqliteCode(error)
  return isDamage(error) || code === full || code === tooBig || code === constraint
}

/** Whether the failure shows that what is stored for this session does not hang together. */
export function isDamagedSession(error: unknown): boolean {
  return isDamage(error) || sqliteCode(error) === constraint
}

/** A row whose columns do not have the types they were stored with. */
export class BrokenRow extends Error {
  override readonly name = "BrokenRow"
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function sqliteCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !("errcode" in error)) return undefined
  return typeof error.errcode === "number" ? error.errcode & 0xff : undefined
}

function isSystemError(error: unknown): error is Error {
  return error instanceof Error && "syscall" in error
}

function sqliteSentence(code: number, message: string, path: string): string {
  switch (code) {
    case busy:
      return `another process keeps ${path} locked`
    case readOnly:
      return `${path} may not be written`
    case ioError:
      return `reading or writing ${path} failed (${message})`
    case corrupt:
    case notADatabase:
      return `${path} is damaged (${message})`
    case full:
      return `there is no room left for ${path}`
    case cannotOpen:
      return `${path} cannot be opened`
    default:
      return `${path}: ${message}`
  }
}
