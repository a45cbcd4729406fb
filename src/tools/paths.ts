// Resolves a path at the moment of use: follows every symlink, also a last one whose target does not exist yet. Tools use
// the resolved path and ask the guard about it.
import { lstatSync, readlinkSync, realpathSync } from "node:fs"
import { dirname, isAbsolute, join, relative, resolve, basename } from "node:path"

/** Why the path must not be accessed; undefined when it may. */
export type GuardPath = (realPath: string) => string | undefined

export type Located =
  | { readonly kind: "at"; readonly real: string; readonly shown: string }
  | { readonly kind: "no"; readonly why: string }

export function locate(path: string, cwd: string, guardPath: GuardPath): Located {
  if (path.includes("\0")) return { kind: "no", why: "A path cannot contain the character NUL." }
  const real = realPathOf(path, cwd)
  const why = guardPath(real)
  return why === undefined ? { kind: "at", real, shown: shownPath(real, realPathOf(cwd, "/")) } : { kind: "no", why }
}

/** For a missing file: the real path of its nearest existing folder, and the rest unchanged. */
export function realPathOf(path: string, cwd: string): string {
  return followed(resolve(cwd, path), 0)
}

/** For messages: relative to the working folder if it is inside. */
export function shownPath(real: string, realCwd: string): string {
  const inside = relative(realCwd, real)
  if (inside === "") return "."
  return inside === ".." || inside.startsWith("../") || isAbsolute(inside) ? real : inside
}

const mostLinks = 40

function followed(path: string, links: number): string {
  try {
    return realpathSync.native(path)
  } catch {
    // A part is missing or not accessible: the tool reports it when it uses the path.
    const folder = dirname(path)
    if (folder === path) return path
    const target = links < mostLinks ? linkTarget(path) : undefined
    if (target !== undefined) return followed(resolve(followed(folder, links + 1), target), links + 1)
    return join(followed(folder, links), basename(path))
  }
}

function linkTarget(path: string): string | undefined {
  try {
    return lstatSync(path).isSymbolicLink() ? readlinkSync(path) : undefined
  } catch {
    return undefined // it does not exist
  }
}
