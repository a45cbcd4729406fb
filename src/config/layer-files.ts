// The files that make up the configuration, in the order in which they are merged.
import { readdirSync, realpathSync } from "node:fs"
import { join, resolve } from "node:path"
import { ConfigFault, hasCode } from "./faults.ts"
import { type Environment, withUserHome } from "./home.ts"
import { projectConfig } from "./trust/project-files.ts"
import type { ReadFile } from "./read-config-file.ts"
import type { FolderTrust } from "./trust/trust.ts"

export interface ConfigRequest {
  readonly env: Environment
  readonly cwd: string
  readonly home: string
  /** `--config`. */
  readonly configFile?: string | undefined
  /** `--profile`. */
  readonly profile?: string | undefined
  /** From `trustOf` for `cwd`. */
  readonly trust: FolderTrust
}

export interface LayerFile {
  readonly kind: "user" | "profile" | "project" | "named"
  readonly path: string
}

/** An existing file with its content. */
export interface LayerText extends LayerFile {
  readonly content: Exclude<ReadFile, { kind: "absent" }>
}

export interface LayerFiles {
  readonly read: readonly LayerFile[]
  /** The project's file, if it exists and is not trusted. */
  readonly leftOut: readonly string[]
  /** Without a project file that is named with --config: it is read regardless of trust. */
  readonly trust: FolderTrust
}

export function layerFiles({ env, cwd, home, configFile, profile, trust }: ConfigRequest): LayerFiles {
  const read: LayerFile[] = [{ kind: "user", path: join(home, "config.json") }]
  if (profile) read.push({ kind: "profile", path: profileFile(home, profile) })
  const project = join(cwd, projectConfig)
  const named = configFile ? resolve(cwd, withUserHome(configFile, env)) : undefined
  const sameFile = named !== undefined && isSameFile(named, project)
  if (trust.state === "trusted" && !sameFile) read.push({ kind: "project", path: project })
  if (named !== undefined) read.push({ kind: "named", path: named })
  const files = sameFile ? trust.files.filter((file) => file !== projectConfig) : trust.files
  const leftOut = trust.state !== "trusted" && files.includes(projectConfig) ? [project] : []
  return { read, leftOut, trust: { ...trust, files } }
}

export function missingFileText({ kind, path }: LayerFile, home: string): string {
  if (kind !== "profile") return `${path}: file not found; check --config.`
  const profiles = profilesIn(home)
  return `${path}: profile not found; ${profiles.length === 0 ? "there are no profiles" : `profiles: ${profiles.join(", ")}`}.`
}

function profileFile(home: string, profile: string): string {
  if (/^\w[\w.-]*$/.test(profile)) return join(home, "profiles", profile, "config.json")
  throw new ConfigFault([`Invalid profile name ${JSON.stringify(profile)}: use letters, digits, '.', '_' and '-'.`])
}

function profilesIn(home: string): readonly string[] {
  try {
    return readdirSync(join(home, "profiles")).toSorted()
  } catch (error) {
    if (hasCode(error, "ENOENT")) return []
    throw error
  }
}

function isSameFile(one: string, other: string): boolean {
  try {
    return realpathSync(one) === realpathSync(other)
  } catch {
    return false // one of them does not exist
  }
}
