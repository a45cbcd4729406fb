// Trusted folders, for the user who decides about them. Reads no configuration, so that trust can be revoked if that is
// broken.
import { readdirSync, statSync } from "node:fs"
import { join, resolve } from "node:path"
import { ConfigFault } from "../../config/faults.ts"
import { ensureHome, homeFolder } from "../../config/home.ts"
import { instructionFilesIn, instructionFolders } from "../../config/instructions/folders.ts"
import { namedFiles } from "../../config/trust/named-files.ts"
import { distrustFolder, trustedFolders, trustFolder, trustOf, type FolderTrust } from "../../config/trust/trust.ts"
import { AppFault } from "../app-fault.ts"

/** Paths that are listed before a folder is trusted. */
const MAX_LISTED_FILES = 100

export interface FolderReview extends FolderTrust {
  /** Files that may configure its sessions. */
  readonly listed: ListedFiles
  /** AGENTS.md and CLAUDE.md of the folder and of the repository around it, relative to the repository's root. */
  readonly instructions: readonly string[]
}

/** What would be read if the folder was trusted. */
export function reviewFolder(dir: string): Promise<FolderReview> {
  return withHome(async (home) => {
    const state = await trustOf(home, dir)
    const { folder, files } = state
    const listed = filesUnder(folder, [...files, ...(await namedFiles(folder, process.env))])
    return { ...state, listed, instructions: instructionFilesIn(instructionFolders(folder)) }
  })
}

export function trust(dir: string): Promise<FolderTrust> {
  return withHome((home) => trustFolder(home, dir))
}

/** False if the folder was not trusted. */
export function distrust(dir: string): Promise<boolean> {
  return withHome((home) => distrustFolder(home, dir))
}

export interface KnownFolder {
  readonly folder: string
  readonly at: string
  readonly state: FolderTrust["state"] | "gone"
}

export function listTrusted(): Promise<{
  readonly rows: readonly KnownFolder[]
  readonly warnings: readonly string[]
}> {
  return withHome(async (home) => {
    const { folders, warnings } = await trustedFolders(home)
    const rows = folders.map(async ({ folder, at }) => ({ folder, at, state: await stateNow(home, folder) }))
    return { rows: await Promise.all(rows), warnings }
  })
}

async function stateNow(home: string, folder: string): Promise<KnownFolder["state"]> {
  try {
    const { state } = await trustOf(home, folder)
    return state === "nothing" ? "trusted" : state // for its instruction files
  } catch (fault) {
    if (fault instanceof ConfigFault) return "gone"
    throw fault
  }
}

async function withHome<Value>(use: (home: string) => Promise<Value>): Promise<Value> {
  try {
    const home = homeFolder(process.env)
    ensureHome(home)
    return await use(home)
  } catch (fault) {
    throw fault instanceof ConfigFault ? new AppFault(fault.message) : fault
  }
}

export interface ListedFiles {
  readonly paths: readonly string[]
  /** The list is incomplete. */
  readonly more: boolean
}

/** The files below names of files and folders, with links followed. */
export function filesUnder(folder: string, names: readonly string[]): ListedFiles {
  const paths: string[] = []
  const waiting = [...names].toReversed()
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (paths.length >= MAX_LISTED_FILES) return { paths, more: true }
    const inside = entriesOf(resolve(folder, name))
    if (inside === undefined) paths.push(name)
    else if (inside.length === 0) paths.push(`${name}/ (empty)`)
    else waiting.push(...inside.map((entry) => join(name, entry)).toReversed())
  }
  return { paths, more: false }
}

/** Empty for what is not a readable folder. */
function entriesOf(path: string): readonly string[] | undefined {
  try {
    return statSync(path).isDirectory() ? readdirSync(path).toSorted() : undefined
  } catch {
    return undefined
  }
}
