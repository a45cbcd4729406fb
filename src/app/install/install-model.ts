// Installs the packages of the local embedding model into the home, with npm and the versions and digests that this
// release was built with. They are written into a folder beside and renamed when complete, so that no process sees half.
import { spawn } from "node:child_process"
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { hasCode, describeError } from "../../config/faults.ts"
import { findModel, modelFolder, modelPackages, receiptFile } from "../../knowledge/model-packages.ts"
import { modelLockFile } from "../../program/program-files.ts"
import { AppFault, exitCodes } from "../app-fault.ts"
import { npmProblem } from "./npm-problem.ts"

export interface InstallOptions {
  readonly home: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly signal: AbortSignal
}

/** Where the model is, if it is installed. */
export function installedModel(home: string): ReturnType<typeof findModel> {
  return findModel(home)
}

/** Returns the folder. The signal's abort leaves nothing behind. */
export async function installModel({ home, env, signal }: InstallOptions): Promise<string> {
  const folder = modelFolder(home)
  const aside = `${folder}.${process.pid}.part`
  try {
    removeAbandoned(folder)
    mkdirSync(aside, { recursive: true, mode: 0o700 })
    writePackage(aside)
  } catch (fault) {
    throw new AppFault(
      `${dirname(folder)} cannot be written: ${describeError(fault)}. Make it writable for you, or set TURNHOUSE_HOME to another folder.`,
    )
  }
  try {
    await runNpm(aside, env, signal)
    writeReceipt(aside)
    moveInto(aside, home)
    return folder
  } finally {
    rmSync(aside, { recursive: true, force: true })
  }
}

/** How many bytes have arrived. */
export function bytesArrived(home: string): number {
  const aside = `${modelFolder(home)}.${process.pid}.part`
  return filesIn(aside).reduce(
    (sum, file) => sum + (statSync(join(aside, file), { throwIfNoEntry: false })?.size ?? 0),
    0,
  )
}

/** What a killed installation has left. */
function removeAbandoned(folder: string): void {
  const parts = existsSync(dirname(folder)) ? globSync(`${basename(folder)}.*.part`, { cwd: dirname(folder) }) : []
  for (const part of parts) {
    const pid = Number(part.split(".").at(-2))
    if (!isRunning(pid)) rmSync(join(dirname(folder), part), { recursive: true, force: true })
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (fault) {
    return !hasCode(fault, "ESRCH")
  }
}

function writePackage(folder: string): void {
  const lock: unknown = JSON.parse(readFileSync(modelLockFile, "utf8"))
  writeFileSync(join(folder, "package-lock.json"), JSON.stringify(lock))
  const dependencies = Object.fromEntries(modelPackages.map((name) => [name, "*"]))
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, dependencies }))
}

/** npm knows the user's registry, proxy and credentials, and checks the digests. */
async function runNpm(folder: string, env: InstallOptions["env"], signal: AbortSignal): Promise<void> {
  const quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
  const retryFlags = ["--fetch-retries=1", "--fetch-retry-mintimeout=1000", "--fetch-retry-maxtimeout=2000"]
  const args = ["ci", `--prefix=${folder}`, "--global=false", ...quiet, ...retryFlags]
  const child = spawn("npm", args, { cwd: folder, env, stdio: ["ignore", "ignore", "pipe"], signal })
  let output = ""
  child.stderr.setEncoding("utf8").on("data", (text: string) => (output += text))
  const ended = await new Promise<number | null | Error>((resolve) => {
    child.once("error", resolve)
    child.once("close", resolve)
  })
  signal.throwIfAborted()
  if (ended !== 0) throw new AppFault(npmProblem(ended, output), exitCodes.failed)
}

function writeReceipt(folder: string): void {
  const sizes = filesIn(folder).map((file) => [file, statSync(join(folder, file)).size] as const)
  writeFileSync(join(folder, receiptFile), JSON.stringify(Object.fromEntries(sizes)))
}

function filesIn(folder: string): readonly string[] {
  const entries = globSync("**", { cwd: folder, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
}

/** A folder that is there already is incomplete, or another process has just installed the same. */
function moveInto(aside: string, home: string): void {
  const folder = modelFolder(home)
  if (findModel(home).kind === "installed") return
  rmSync(folder, { recursive: true, force: true })
  try {
    renameSync(aside, folder)
  } catch (fault) {
    if (findModel(home).kind !== "installed") throw new AppFault(`${folder} cannot be written: ${describeError(fault)}`)
  }
}
