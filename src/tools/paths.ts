// Where a path really leads, at the moment of use: every symlink followed, also a last one that points to nothing yet.
// Tools work on that path and ask the guard about it, so a link out of the working folder is seen for what it is.
import { lstatSync, readlinkSync, realpathSync } from "node:fs"
import { dirname, isAbsolute, join, relative, resolve, basename } from "node:path"

/** A sentence when the path must not be touched, nothing when it may. */
export type GuardPath = (realPath: string) => string | undefined

export type Located =
  | { readonly kind: "at"; readonly real: string; readonly shown: string }
  | { readonly kind: "no"; readonly why: string }

export function locate(path: string, cwd: string, guardPath: GuardPath): Located {
  if (path.includes("\0")) return { kind: "no", why: "A path cannot hold the character NUL." }
  const real = realPathOf(path, cwd)
  const why = guardPath(real)
  return why === undefined ? { kind: "at", real, shown: shownPath(real, realPathOf(cwd, "/")) } : { kind: "no", why }
}

/** For a file that is not there: the real path of the nearest folder that is, and the rest as it was given. */
export function realPathOf(path: string, cwd: string): string {
  return followed(resolve(cwd, path), 0)
}

/** As people and models want to read it: relative to the working folder where it lies inside. */
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
    // Something on the way is missing or closed to us: the tool finds out what when it uses the path.
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
    return undefined // not there at all
  }
}
