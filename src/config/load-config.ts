// Loads the configuration: the user's own, a profile, the project's (if its folder is trusted) and a named file, each
// merged over the one before. All problems are reported at once; a configuration with a problem is never used in part.
import type { Config } from "../contract/config.ts"
import { withClusterVariables } from "./cluster-settings.ts"
import type { ServerFiles } from "./combine-files.ts"
import { ConfigFault } from "./faults.ts"
import { type ConfigRequest, layerFiles, type LayerText, missingFileText } from "./layer-files.ts"
import { readConfigFile } from "./read-config-file.ts"
import { sentenceOnTrust } from "./trust/trust.ts"

export type { ConfigRequest } from "./layer-files.ts"

export interface LoadedConfig {
  readonly config: Config
  /** The files in their order, with the project's file if it was not read because it is not trusted. */
  readonly sources: readonly { readonly path: string; readonly trusted: boolean }[]
  readonly warnings: readonly string[]
  /** Files and folders outside of the home that the user's own configuration names. */
  readonly ownPlaces: readonly string[]
  /** The file of each entry of `mcpServers`. */
  readonly serverFiles: ServerFiles
}

/** Throws ConfigFault. */
export async function loadConfig(request: ConfigRequest): Promise<LoadedConfig> {
  const { read, leftOut, trust } = layerFiles(request)
  const files: LayerText[] = []
  for (const file of read) {
    const content = readConfigFile(file.path)
    if (content.kind !== "absent") files.push({ ...file, content })
    else if (file.kind === "named" || file.kind === "profile")
      throw new ConfigFault([missingFileText(file, request.home)])
  }
  const { config, warnings, ownFolders, serverFiles } = files.length === 0 ? nothing : await combined(files, request)
  return {
    config: withClusterVariables(config, request.env),
    sources: [
      ...files.map(({ path }) => ({ path, trusted: true })),
      ...leftOut.map((path) => ({ path, trusted: false })),
    ],
    warnings: [...trust.warnings, ...sentenceOnTrust(trust), ...warnings],
    serverFiles,
    ownPlaces: [...ownFolders, ...files.filter(({ kind }) => kind === "named").map(({ path }) => path)],
  }
}

const nothing = { config: {}, warnings: [], ownFolders: [], serverFiles: new Map() }

async function combined(files: readonly LayerText[], { env }: ConfigRequest) {
  const { combineFiles } = await import("./combine-files.ts")
  return await combineFiles(files, env)
}
