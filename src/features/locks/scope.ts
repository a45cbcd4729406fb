// The scope of a lock: global, a folder with all it contains, or a plain name. Pure; the caller resolves real paths.

/** Overlaps every other scope. */
export const GLOBAL_SCOPE = "global"

/** The stored form: different spellings of one place are one scope. */
export function canonicalScope(scope: string, realPath: (path: string) => string): string {
  if (scope.toLowerCase() === GLOBAL_SCOPE) return GLOBAL_SCOPE
  return isPath(scope) && !scope.includes("\0") ? realPath(scope) : scope
}

export function overlap(one: string, other: string): boolean {
  if (one === other || one === GLOBAL_SCOPE || other === GLOBAL_SCOPE) return true
  return one.startsWith("/") && other.startsWith("/") && (contains(one, other) || contains(other, one))
}

/** By whole names: /p contains /p/sub, not /px. */
export function contains(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`)
}

function isPath(scope: string): boolean {
  return scope.startsWith("/") || scope === "." || scope === ".." || scope.startsWith("./") || scope.startsWith("../")
}
