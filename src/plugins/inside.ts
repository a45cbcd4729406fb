// Paths that a plugin names in its own folder. One that leaves it is refused: what is outside was neither shown to the user
// nor pinned.
import { isAbsolute, join, normalize, sep } from "node:path"
import { look, realPathOf } from "../config/trust/project-files.ts"

export type InsidePath =
  | { readonly kind: "file" | "folder"; readonly path: string }
  | { readonly kind: "absent" }
  | { readonly kind: "refused"; readonly why: string }

export function insidePath(folder: string, name: string): InsidePath {
  const refused = (why: string): InsidePath => ({
    kind: "refused",
    why: `${JSON.stringify(name.slice(0, 200))} ${why}`,
  })
  if (name.includes("\0") || isAbsolute(name)) return refused("must be a relative path")
  const plain = normalize(name)
  if (plain === ".." || plain.startsWith(`..${sep}`)) return refused("leaves the plugin's folder")
  const path = join(folder, plain)
  const found = look(path)
  if (found.kind === "absent") return { kind: "absent" }
  if (found.kind !== "file" && found.kind !== "folder") return refused("cannot be read")
  return isInside(path, folder) ? { kind: found.kind, path: withoutSlash(path) } : refused("is a link that leaves it")
}

/** With links followed. */
export function isInside(path: string, folder: string): boolean {
  const [real, root] = [realPathOf(path), realPathOf(folder)]
  return real === root || real.startsWith(root + sep)
}

function withoutSlash(path: string): string {
  return path.length > 1 && path.endsWith(sep) ? path.slice(0, -1) : path
}
