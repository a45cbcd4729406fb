// Tests and describes errors of the file system.

export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && "code" in error && typeof error.code === "string" && codes.includes(error.code)
}

export function inWords(error: unknown): string {
  if (hasCode(error, "EACCES", "EPERM")) return "permission denied"
  if (hasCode(error, "EISDIR")) return "it is a folder"
  if (hasCode(error, "ENOTDIR")) return "a part of its path is not a folder"
  if (hasCode(error, "ENOENT")) return "it does not exist"
  if (hasCode(error, "EROFS")) return "the file system is read-only"
  if (hasCode(error, "ENOSPC")) return "the disk is full"
  return error instanceof Error ? error.message : String(error)
}
