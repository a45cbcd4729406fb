// Makes the tarball and describes it.
import { execFileSync, type StdioOptions } from "node:child_process"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { isObject } from "../../src/contract/json-object.ts"

/** Bytes that npm and the build may print. */
const MAX_OUTPUT = 64 * 1024 ** 2

export interface Tarball {
  readonly file: string
  readonly packedBytes: number
  readonly unpackedBytes: number
  readonly files: readonly { readonly path: string; readonly bytes: number }[]
}

/** Runs `prepack`, which builds dist/. */
export function makeTarball(root: string, folder: string): Tarball {
  mkdirSync(folder, { recursive: true })
  return readTarball(pack(root, "--pack-destination", folder), folder)
}

/** What the tarball would have, without building or writing anything. */
export function describeFiles(root: string): Tarball {
  return readTarball(pack(root, "--dry-run", "--ignore-scripts"), root)
}

function pack(root: string, ...args: readonly string[]): string {
  const stdio: StdioOptions = ["ignore", "pipe", "pipe"]
  return execFileSync("npm", ["pack", "--json", ...args], { cwd: root, encoding: "utf8", stdio, maxBuffer: MAX_OUTPUT })
}

/** Scripts that npm runs before may print as well; the description is the list at the end. */
export function readTarball(printed: string, folder: string): Tarball {
  const [found]: unknown[] = JSON.parse(printed.slice(printed.search(/^\[$/m)))
  if (!isObject(found) || typeof found["filename"] !== "string" || !Array.isArray(found["files"]))
    throw new Error("npm pack printed no description of the tarball")
  const files = found["files"].flatMap((file: unknown) =>
    isObject(file) && typeof file["path"] === "string" ? [{ path: file["path"], bytes: Number(file["size"]) }] : [],
  )
  return {
    file: join(folder, found["filename"]),
    packedBytes: Number(found["size"]),
    unpackedBytes: Number(found["unpackedSize"]),
    files,
  }
}

/** Files and sizes by folder, largest first. */
export function describeTarball({ file, packedBytes, unpackedBytes, files }: Tarball): string {
  const folders = new Map<string, { count: number; bytes: number }>()
  for (const { path, bytes } of files) {
    const folder = path
      .split("/")
      .slice(0, path.startsWith("dist/") ? 2 : 1)
      .join("/")
    const sum = folders.get(folder) ?? { count: 0, bytes: 0 }
    folders.set(folder, { count: sum.count + 1, bytes: sum.bytes + bytes })
  }
  const rows = [...folders].toSorted(([, one], [, other]) => other.bytes - one.bytes)
  const lines = rows.map(
    ([name, { count, bytes }]) => `  ${kilobytes(bytes)}  ${name}${count > 1 ? ` (${count} files)` : ""}`,
  )
  const total = `${files.length} files, ${kilobytes(packedBytes).trim()} packed, ${kilobytes(unpackedBytes).trim()} unpacked`
  return [`${file}: ${total}`, ...lines].join("\n")
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1000).toFixed(1).padStart(8)} kB`
}
