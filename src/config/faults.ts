// Problems of the configuration, one line each: where, what is wrong, and what to do. Values are shown only where they
// cannot be secrets.

const MAX_SHOWN_PROBLEMS = 10

export class ConfigFault extends Error {
  override readonly name = "ConfigFault"
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(shown(problems))
    this.problems = problems
  }
}

function shown(problems: readonly string[]): string {
  const distinct = [...new Set(problems)]
  if (distinct.length <= MAX_SHOWN_PROBLEMS) return distinct.join("\n")
  const first = distinct.slice(0, MAX_SHOWN_PROBLEMS - 1)
  return [...first, `and ${distinct.length - first.length} more problems; fix these first.`].join("\n")
}

export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && "code" in error && typeof error.code === "string" && codes.includes(error.code)
}

export function describeError(error: unknown): string {
  if (hasCode(error, "EACCES", "EPERM")) return "permission denied"
  if (hasCode(error, "EISDIR")) return "it is a folder"
  if (hasCode(error, "ENOTDIR")) return "a part of its path is not a folder"
  if (hasCode(error, "ENOENT")) return "it does not exist"
  if (hasCode(error, "EROFS")) return "the file system is read-only"
  if (hasCode(error, "ENOSPC")) return "the disk is full"
  return error instanceof Error ? error.message : String(error)
}
