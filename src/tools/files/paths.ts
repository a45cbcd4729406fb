// Resolves a path at the moment of use: follows every symlink, also a last one whose target does not exist yet. Tools use
// the resolved path and ask the guard about it.
import { lstatSync, readlinkSync, realpathSync } from "node:fs"
import { dirname, isAbsolute, join, relative, resolve, basename } from "node:path"

/** Why the path must not be accessed; undefined when it may. */
export type GuardPath = (realPath: string) => string | undefined

export type Located =
  | { readonly kind: "at"; readonly realPath: string; readonly displayPath: string }
  | { readonly kind: "no"; readonly reason: string }

export function locate(path: string, cwd: string, guardPath: GuardPath): Located {
  if (path.includes("\0")) return { kind: "no", reason: "A path cannot contain the character NUL." }
  const realPath = realPathOf(path, cwd)
  const refusal = guardPath(realPath)
  return refusal === undefined
    ? { kind: "at", realPath, displayPath: displayPathOf(realPath, realPathOf(cwd, "/")) }
    : { kind: "no", reason: refusal }
}

/** For a missing file: the real path of its nearest existing folder, and the rest unchanged. */
export function realPathOf(path: string, cwd: string): string {
  return resolveLinks(resolve(cwd, path), 0)
}

/** For messages: relative to the working folder if it is inside. */
export function displayPathOf(realPath: string, realCwd: string): string {
  const relativePath = relative(realCwd, realPath)
  if (relativePath === "") return "."
  return relativePath === ".." || relativePath.startsWith("../") || isAbsolute(relativePath) ? realPath : relativePath
}

const MAX_LINKS = 40

function resolveLinks(path: string, links: number): string {
  try {
    return realpathSync.native(path)
  } catch {
    // A part is missing or not accessible: the tool reports it when it uses the path.
    const folder = dirname(path)
    if (folder === path) return path
    const target = links < MAX_LINKS ? linkTarget(path) : undefined
    if (target !== undefined) return resolveLinks(resolve(resolveLinks(folder, links + 1), target), links + 1)
    return join(resolveLinks(folder, links), basename(path))
  }
}

function linkTarget(path: string): string | undefined {
  try {
    return lstatSync(path).isSymbolicLink() ? readlinkSync(path) : undefined
  } catch {
    return undefined // it does not exist
  }
}
