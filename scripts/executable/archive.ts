// The content of the single file: the package as npm would publish it, the packages that it needs at run time, and the
// Node binary, which must be the one whose checksum is in bin/node.sha256.
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs"
import { dirname, join } from "node:path"
import { isObject } from "../../src/contract/json-object.ts"
import { describeFiles } from "../release/tarball.ts"

export interface ArchiveOptions {
  /** The checkout, with dist/ built and packages installed. */
  readonly root: string
  /** An empty folder. */
  readonly folder: string
  readonly platform: string
}

/** Copies everything into the folder. */
export function stage({ root, folder, platform }: ArchiveOptions): void {
  checkNode(root, platform)
  for (const { path } of describeFiles(root).files) copy(root, folder, path)
  for (const path of runtimePackages(root, "", platform).flatMap(partsOf)) copy(root, folder, `node_modules/${path}`)
  mkdirSync(join(folder, "node_modules/.bin"))
  symlinkSync(`../node-${platform}/bin/node`, join(folder, "node_modules/.bin/node"))
}

/** The same files give the same bytes. */
export function archiveOf(folder: string): Buffer {
  const names = ["--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--mtime=@0", "--mode=u+rw,go-w"]
  const script = 'tar "$@" -cf - . | gzip -6n'
  return execFileSync("sh", ["-c", script, "sh", ...names], { cwd: folder, maxBuffer: 1024 ** 3 })
}

/** Packages of `dependencies` and, where they are installed for this platform, of `optionalDependencies`, recursively. */
function runtimePackages(root: string, of: string, platform: string): readonly string[] {
  const manifest: unknown = JSON.parse(
    readFileSync(join(root, of === "" ? "" : `node_modules/${of}`, "package.json"), "utf8"),
  )
  const names = isObject(manifest)
    ? ["dependencies", "optionalDependencies"].flatMap((key) => keysOf(manifest[key]))
    : []
  const present = names.filter((name) => isForPlatform(name, platform) && existsSync(join(root, "node_modules", name)))
  return [...new Set(present.flatMap((name) => [name, ...runtimePackages(root, name, platform)]))]
}

/** The package of Node has headers and manuals as well. */
function partsOf(name: string): readonly string[] {
  return name.startsWith("node-") ? ["package.json", "LICENSE", "bin/node"].map((path) => `${name}/${path}`) : [name]
}

function isForPlatform(name: string, platform: string): boolean {
  return !/-(linux|darwin|win32|freebsd|openbsd)-/.test(name) || name.endsWith(platform)
}

function checkNode(root: string, platform: string): void {
  const file = join(root, `node_modules/node-${platform}/bin/node`)
  if (!existsSync(file)) throw new Error(`${file} is missing: run 'npm install' on ${platform}`)
  const sum = createHash("sha256").update(readFileSync(file)).digest("hex")
  const sums = readFileSync(join(root, "bin/node.sha256"), "utf8")
  if (!sums.includes(`${sum}  node-${platform}@`)) throw new Error(`${file} is not the binary of bin/node.sha256`)
}

function copy(root: string, folder: string, path: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  cpSync(join(root, path), join(folder, path), { recursive: true, dereference: true })
}

function keysOf(value: unknown): readonly string[] {
  return isObject(value) ? Object.keys(value) : []
}
