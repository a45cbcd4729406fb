// Home, folder and configuration of a command, read without loading anything of the house.
import { ConfigFault } from "../config/config-fault.ts"
import { ensureHome, homeFolder } from "../config/home.ts"
import { loadConfig } from "../config/load-config.ts"
import { trustOf } from "../config/trust.ts"
import type { Config } from "../contract/config.ts"
import { AppFault, usageFault } from "./app-fault.ts"
import { redactConfigured } from "./secrets/redacted-stderr.ts"
import { printNotice } from "./terminal.ts"

export interface AppContext {
  readonly home: string
  readonly cwd: string
  readonly config: Config
  readonly warnings: readonly string[]
  /** See LoadedConfig. */
  readonly ownPlaces: readonly string[]
  /** `--no-extensions`: sessions that this process runs have none. */
  readonly noExtensions?: boolean
}

export async function loadContext(
  options: { configFile?: string | undefined; profile?: string | undefined; noExtensions?: boolean } = {},
): Promise<AppContext> {
  const { noExtensions = false, ...files } = options
  const home = usableHome()
  const cwd = currentFolder()
  try {
    const trust = await trustOf(home, cwd)
    const { config, warnings, ownPlaces } = await loadConfig({ env: process.env, cwd, home, trust, ...files })
    redactConfigured(home, config)
    if (noExtensions) checkGuards(config)
    return { home, cwd, config, warnings, ownPlaces, noExtensions }
  } catch (fault) {
    throw explained(fault)
  }
}

function checkGuards({ extensions }: Config): void {
  const [guard] = extensions?.failClosed ?? []
  if (guard === undefined) return
  throw usageFault(
    `--no-extensions: extensions.failClosed makes ${guard} a guard, which must run; take it out of the configuration`,
  )
}

/** For commands that look at sessions or stop them: a mistake in a configuration file must not be in their way. */
export async function loadContextLeniently(): Promise<AppContext> {
  const home = usableHome()
  try {
    return await loadContext()
  } catch (fault) {
    if (!(fault instanceof AppFault)) throw fault
    printNotice(`turnhouse: ${fault.message}`)
    return { home, cwd: home, config: {}, warnings: [], ownPlaces: [] }
  }
}

function usableHome(): string {
  try {
    const home = homeFolder(process.env)
    ensureHome(home)
    return home
  } catch (fault) {
    throw explained(fault)
  }
}

function explained(fault: unknown): unknown {
  return fault instanceof ConfigFault ? usageFault(fault.message) : fault
}

function currentFolder(): string {
  try {
    return process.cwd()
  } catch {
    throw usageFault("the current folder is gone; change into one that is there")
  }
}
