// Classifies errors of SQLite and the file system: the log is unavailable (nothing was accepted; a retry may succeed), or
// a part of the file is damaged. Everything else is a fault of this program.
import type { Refusal } from "../../contract/refusals.ts"

/** The message says why the log cannot be used, for a refusal. */
export class LogUnavailable extends Error {
  override readonly name: string = "LogUnavailable"
}

/** A writer must open the database before it can be read. */
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

/** The refusal for a storage failure; throws any other error. */
export function unavailable(error: unknown, path: string): Refusal {
  if (error instanceof LogUnavailable) return { code: "log.unavailable", what: error.message }
  const code = sqliteCode(error)
  if (code !== undefined) return { code: "log.unavailable", what: sqliteSentence(code, messageOf(error), path) }
  if (isSystemError(error)) return { code: "log.unavailable", what: `${path}: ${error.message}` }
  throw error
}

/** A killed writer left an unfinished write-ahead log, which only a writer may recover. */
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

/** For callers that can skip the damaged part. */
export function damageOrThrow(error: unknown): Error {
  if (isDamage(error) && error instanceof Error) return error
  throw error
}

/** Undefined if what it reads is damaged. */
export function unlessDamaged<Value>(read: () => Value): Value | undefined {
  try {
    return read()
  } catch (error) {
    damageOrThrow(error)
    return undefined
  }
}

/** Whether the request itself is the cause, so that the next request may succeed. */
export function isOfThisRequest(error: unknown): boolean {
  const code = sqliteCode(error)
  return isDamage(error) || code === full || code === tooBig || code === constraint
}

/** Whether the stored data of this session is inconsistent. */
export function isDamagedSession(error: unknown): boolean {
  return isDamage(error) || sqliteCode(error) === constraint
}

/** A row with columns of the wrong type. */
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
      return `${path} is locked by another process`
    case readOnly:
      return `${path} is read-only`
    case ioError:
      return `reading or writing ${path} failed (${message})`
    case corrupt:
    case notADatabase:
      return `${path} is damaged (${message})`
    case full:
      return `no space is left on the disk of ${path}`
    case cannotOpen:
      return `${path} cannot be opened`
    default:
      return `${path}: ${message}`
  }
}
