// Configuration of one folder: the files that apply to it, read once, and whether the folder is trusted.
import { statSync } from "node:fs"
import { resolve } from "node:path"
import { withUserHome } from "../../config/home.ts"
import { loadConfig, type LoadedConfig } from "../../config/load-config.ts"
import type { Config } from "../../contract/config.ts"
import { sessionPlugins } from "../plugins/session-plugins.ts"
import { ownAgentFiles } from "./named-agents.ts"
import { trustOf } from "../../config/trust/trust.ts"

export interface ConfigPlace {
  readonly home: string
  readonly cwd: string
  /** `--config` and `--profile`. */
  readonly configFile?: string | undefined
  readonly profile?: string | undefined
}

export interface FolderConfig extends Pick<LoadedConfig, "config" | "ownPlaces" | "serverFiles" | "warnings"> {
  readonly trusted: boolean
}

/** Throws ConfigFault. */
export async function loadFolderConfig(place: ConfigPlace): Promise<FolderConfig> {
  const trust = await trustOf(place.home, place.cwd)
  const { config, ownPlaces, serverFiles, warnings } = await loadConfig({ env: process.env, trust, ...place })
  const trusted = trust.state === "trusted"
  const { home, cwd: settingsFolder } = place
  const plugins = await sessionPlugins({ home, env: process.env, config, ownPlaces, settingsFolder, trusted })
  return {
    config: await withAgentFiles(config, place),
    ownPlaces,
    serverFiles,
    warnings: [...warnings, ...plugins.warnings],
    trusted,
  }
}

/** Only files of the user: an agent of the WebSocket API must not depend on the folder of the server. */
async function withAgentFiles(config: Config, { home }: ConfigPlace): Promise<Config> {
  if (Object.values(config.agents ?? {}).every(({ from }) => from === undefined)) return config
  const { withBasedAgents } = await import("../../config/agents/profiles.ts")
  return withBasedAgents(config, await ownAgentFiles({ home, env: process.env }))
}

/** Whether both places read the same files. */
export function isSamePlace(one: ConfigPlace, other: ConfigPlace): boolean {
  return one.cwd === other.cwd && one.profile === other.profile && fileOf(one) === fileOf(other)
}

function fileOf({ cwd, configFile }: ConfigPlace): string | undefined {
  return configFile ? resolve(cwd, withUserHome(configFile, process.env)) : undefined
}

/** A path that the system does not accept, because it is too long or has a null byte, is none. */
export function isFolder(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
  } catch {
    return false
  }
}
