// Home, working folder and configuration of a command, loaded without the engine.
import { resolve } from "node:path"
import { ConfigFault } from "../config/faults.ts"
import { ensureHome, homeFolder } from "../config/home.ts"
import { mayUsePostgres } from "../config/store-hint.ts"
import type { Config } from "../contract/config.ts"
import { AppFault, usageFault } from "./app-fault.ts"
import { clusterKeyProblem } from "../secrets/check-cluster-keys.ts"
import { KeyFileFault } from "../secrets/key-file.ts"
import { redactConfigured } from "./secrets/redacted-stderr.ts"
import { loadFolderConfig, type ConfigPlace, type FolderConfig } from "./settings/folder-config.ts"
import { printNotice } from "./terminal.ts"

export interface AppContext extends FolderConfig, ConfigPlace {
  /** `--no-extensions`: sessions that this process runs have none. */
  readonly noExtensions?: boolean
}

export interface ContextOptions {
  /** Default: `TURNHOUSE_HOME`, else `~/.turnhouse`. Created if it does not exist. */
  readonly home?: string
  /** Whose `turnhouse.json` counts, if the folder is trusted. Default: the current folder. */
  readonly cwd?: string
  /** A configuration file besides the user's and the folder's. */
  readonly configFile?: string | undefined
  readonly profile?: string | undefined
  /** Sessions that this process runs have no extensions. */
  readonly noExtensions?: boolean
}

export async function loadContext(options: ContextOptions = {}): Promise<AppContext> {
  const { noExtensions = false, home, cwd = currentFolder(), ...files } = options
  const place = { home: usableHome(home), cwd, ...files }
  try {
    const loaded = await loadFolderConfig(place)
    redactConfigured(place.home, loaded.config)
    if (noExtensions) checkGuards(loaded.config)
    return { ...place, ...loaded, noExtensions }
  } catch (fault) {
    throw asUsageFault(fault)
  }
}

function checkGuards({ extensions }: Config): void {
  const [guard] = extensions?.failClosed ?? []
  if (guard === undefined) return
  throw usageFault(
    `--no-extensions: ${guard} is listed in extensions.failClosed and must run. Remove it from the configuration first.`,
  )
}

/** For commands that list or stop sessions: they work despite an error in a configuration file. */
export async function loadContextLeniently(): Promise<AppContext> {
  const home = usableHome()
  try {
    return await loadContext()
  } catch (fault) {
    // Without the configuration it is unknown where the log is: another one would be shown in its place.
    if (!(fault instanceof AppFault) || mayUsePostgres(home, process.env)) throw fault
    printNotice(`turnhouse: ${fault.message}`)
    return { home, cwd: home, config: {}, warnings: [], ownPlaces: [], serverFiles: new Map(), trusted: false }
  }
}

function usableHome(named?: string): string {
  try {
    const home = named === undefined ? homeFolder(process.env) : resolve(named)
    ensureHome(home)
    checkClusterKeys(home)
    return home
  } catch (fault) {
    throw asUsageFault(fault)
  }
}

/** Before anything reads or creates a key. */
function checkClusterKeys(home: string): void {
  const problem = clusterKeyProblem(home)
  if (problem !== undefined) throw usageFault(problem)
}

function asUsageFault(fault: unknown): unknown {
  if (fault instanceof KeyFileFault) return usageFault(fault.message)
  return fault instanceof ConfigFault ? usageFault(fault.message) : fault
}

function currentFolder(): string {
  try {
    return process.cwd()
  } catch {
    throw usageFault("the current folder no longer exists. Change to another folder.")
  }
}
