// Installs a package from the npm registry into the temporary folder of a run.
import { execFile } from "node:child_process"
import { existsSync, mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import type { World } from "../doors/world.ts"

const execute = promisify(execFile)
const LIMIT_MS = 300_000
/** Newer versions of a package that are tried before it counts as one that cannot be installed. */
const MAX_TRIES = 8

export interface Installed {
  readonly folder: string
  readonly version: string
}

export async function installPackage(world: World, name: string, version: string): Promise<Installed> {
  const folder = world.path(`npm-${name.replaceAll(/\W/g, "-")}-${version}`)
  mkdirSync(folder, { recursive: true })
  const args = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", folder, `${name}@${version}`]
  await npm(world, args, folder)
  const { version: installed }: { version: string } = JSON.parse(
    readFileSync(join(folder, "node_modules", name, "package.json"), "utf8"),
  )
  return { folder, version: installed }
}

/** The newest version above `version` that can be installed: not every registry has the dependencies of all of them. */
export async function installNewest(world: World, name: string, version: string): Promise<Installed> {
  const all: string | readonly string[] = JSON.parse(
    await npm(world, ["view", name, "versions", "--json"], world.path("tmp")),
  )
  const newer = [all].flat().filter((each) => !each.includes("-"))
  const candidates = newer.slice(newer.indexOf(version) + 1).toReversed()
  let reason = `there is no version above ${version}`
  for (const candidate of candidates.slice(0, MAX_TRIES)) {
    try {
      return await installPackage(world, name, candidate)
    } catch (fault) {
      reason = fault instanceof Error ? fault.message : String(fault)
    }
  }
  throw new Error(`none of ${candidates.slice(0, MAX_TRIES).join(", ")} can be installed: ${reason}`)
}

/** The first of these programs that runs on this machine. */
export async function programIn({ folder }: Installed, paths: readonly string[]): Promise<string> {
  for (const path of paths.map((each) => join(folder, "node_modules", each)).filter((each) => existsSync(each))) {
    try {
      await execute(path, ["--version"], { timeout: LIMIT_MS, env: { PATH: process.env["PATH"] } })
      return path
    } catch {
      // built for another processor
    }
  }
  throw new Error(`none of its programs runs on this machine: ${paths.join(", ")}`)
}

/** With the home of the run in its environment, so that it ends with the run. */
async function npm(world: World, args: readonly string[], cwd: string): Promise<string> {
  const env = { ...process.env, TURNHOUSE_HOME: world.path("npm") }
  try {
    const { stdout } = await execute("npm", [...args], { cwd, env, timeout: LIMIT_MS, maxBuffer: 16 * 1024 * 1024 })
    return stdout
  } catch (fault) {
    const text = fault instanceof Error && "stderr" in fault ? String(fault.stderr) : String(fault)
    const lines = text.split("\n").filter((line) => line.startsWith("npm error"))
    throw new Error(`npm ${args[0]}: ${lines.slice(0, 2).join(" ").replaceAll("npm error ", "") || text}`, {
      cause: fault,
    })
  }
}
