// Home, folder and configuration of the child, read without loading the rest of the house.
import { ConfigFault } from "../../config/config-fault.ts"
import { ensureHome, homeFolder } from "../../config/home.ts"
import { loadConfig } from "../../config/load-config.ts"
import { trustOf } from "../../config/trust.ts"
import { CliFault } from "../cli-fault.ts"
import type { Args } from "../command.ts"
import type { Surroundings } from "../compose.ts"
import { exitCodes } from "../exit-codes.ts"

export async function readSurroundings(args: Args): Promise<Surroundings> {
  const home = homeFolder(process.env)
  const cwd = process.cwd()
  const files = { configFile: args.text("config"), profile: args.text("profile") }
  try {
    ensureHome(home)
    const trust = await trustOf(home, cwd)
    const { config, warnings } = await loadConfig({ env: process.env, cwd, home, trust, ...files })
    return { home, cwd, config, warnings }
  } catch (fault) {
    if (fault instanceof ConfigFault) throw new CliFault(fault.message, exitCodes.failed)
    throw fault
  }
}
