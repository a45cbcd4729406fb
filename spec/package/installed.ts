// The package as a user gets it: packed once, and installed with npm into a folder that has nothing else.
import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

export const checkout = fileURLToPath(new URL("../..", import.meta.url))
const nodes = join(checkout, "node_modules/.cache/nodes")

export interface Installed {
  readonly tarball: string
  /** The project that depends on it. */
  readonly project: string
  /** Where npm has put it. */
  readonly folder: string
  readonly program: string
  remove(): void
}

export function installPackage(): Installed {
  const root = mkdtempSync(join(tmpdir(), "turnhouse-package-"))
  npm(["pack", "--pack-destination", root], checkout)
  const [name = ""] = readdirSync(root)
  const [tarball, project] = [join(root, name), join(root, "project")]
  mkdirSync(project)
  writeFileSync(join(project, "package.json"), JSON.stringify({ name: "demo-app", type: "module", private: true }))
  npm(["install", "--prefer-offline", "--ignore-scripts", tarball], project)
  return {
    tarball,
    project,
    folder: join(project, "node_modules/turnhouse"),
    program: join(project, "node_modules/.bin/turnhouse"),
    remove: () => rmSync(root, { recursive: true, force: true }),
  }
}

/** The folder of a Node binary for the PATH. Downloaded once. */
export function nodeFolder(version: string): string {
  const [folder, aside] = [join(nodes, version), join(nodes, `${version}.${process.pid}`)]
  const bin = `node_modules/node-linux-${process.arch}/bin`
  if (existsSync(join(folder, bin))) return join(folder, bin)
  mkdirSync(aside, { recursive: true })
  writeFileSync(join(aside, "package.json"), "{}")
  npm(["install", "--prefer-offline", "--ignore-scripts", `node-linux-${process.arch}@${version}`], aside)
  renameSync(aside, folder)
  return join(folder, bin)
}

/** With the npm configuration of the user who runs the tests. */
function npm(args: readonly string[], folder: string): void {
  const options = ["--prefix", folder, "--no-audit", "--no-fund", "--loglevel=error"]
  execFileSync("npm", [...args, ...options], { cwd: folder, stdio: ["ignore", "ignore", "inherit"] })
}
