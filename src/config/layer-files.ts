// Which files make up the configuration, in the order in which they are laid over each other.
import { readdirSync, realpathSync } from "node:fs"
import { join, resolve } from "node:path"
import { ConfigFault } from "./config-fault.ts"
import { hasCode } from "./file-errors.ts"
import { type Environment, withUserHome } from "./home.ts"
import { projectConfig } from "./project-files.ts"
import type { ReadFile } from "./read-config-file.ts"
import type { FolderTrust } from "./trust.ts"

export interface ConfigRequest {
  readonly env: Environment
  readonly cwd: string
  readonly home: string
  /** `--config`. */
  readonly configFile?: string | undefined
  /** `--profile`. */
  readonly profile?: string | undefined
  /** What `trustOf` says of `cwd`. */
  readonly trust: FolderTrust
}

export interface LayerFile {
  readonly kind: "user" | "profile" | "project" | "named"
  readonly path: string
}

/** A file that is there, with what it says. */
export interface LayerText extends LayerFile {
  readonly content: Exclude<ReadFile, { kind: "absent" }>
}

export interface LayerFiles {
  readonly read: readonly LayerFile[]
  /** The project's file, when it is there and not trusted. */
  readonly leftOut: readonly string[]
  /** The trust to speak of: a file that is also named by hand is read, whatever its folder. */
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

/** A file that was asked for by name is not there. */
export function notThere({ kind, path }: LayerFile, home: string): string {
  if (kind !== "profile") return `${path}: there is no such file; check the name given with --config.`
  const profiles = profilesIn(home)
  return `${path}: there is no such profile; ${profiles.length === 0 ? "none has been made yet" : `there are: ${profiles.join(", ")}`}.`
}

function profileFile(home: string, profile: string): string {
  if (/^\w[\w.-]*$/.test(profile)) return join(home, "profiles", profile, "config.json")
  throw new ConfigFault([
    `The profile ${JSON.stringify(profile)} is not a name: use letters, digits, '.', '_' and '-'.`,
  ])
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
    return false // one of them is not there, so they are not the same
  }
}
