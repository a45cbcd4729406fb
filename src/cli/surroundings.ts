// Home, folder and configuration of a command, read without loading anything of the house.
import { ConfigFault } from "../config/config-fault.ts"
import { ensureHome, homeFolder } from "../config/home.ts"
import { loadConfig } from "../config/load-config.ts"
import { trustOf } from "../config/trust.ts"
import type { Config } from "../contract/config.ts"
import { usageFault } from "./cli-fault.ts"

export interface Surroundings {
  readonly home: string
  readonly cwd: string
  readonly config: Config
  readonly warnings: readonly string[]
}

export async function surroundings(
  options: { configFile?: string | undefined; profile?: string | undefined } = {},
): Promise<Surroundings> {
  const home = homeFolder(process.env)
  const cwd = currentFolder()
  try {
    ensureHome(home)
    const trust = await trustOf(home, cwd)
    const { config, warnings } = await loadConfig({ env: process.env, cwd, home, trust, ...options })
    return { home, cwd, config, warnings }
  } catch (fault) {
    if (fault instanceof ConfigFault) throw usageFault(fault.message)
    throw fault
  }
}

function currentFolder(): string {
  try {
    return process.cwd()
  } catch {
    throw usageFault("the current folder is gone; change into one that is there")
  }
}
