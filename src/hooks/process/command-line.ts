// How an extension is started: its program, its arguments, and an environment with a handful of variables. Nothing goes
// through a shell, and nothing of the host's own environment is passed on unless it is named here or by the user.
import { existsSync, realpathSync } from "node:fs"
import { basename, isAbsolute, join, resolve, sep } from "node:path"
import { dataVariable } from "./plugin-sandbox.ts"

export interface CommandLine {
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>
  /** The folder in which the session works. */
  readonly cwd: string
  /** Variables that the user lets tools and extensions see. */
  readonly passedOn: readonly string[]
  /** Where each plugin has a folder for its data. */
  readonly dataRoot: string
}

const alwaysPassedOn = ["PATH", "HOME", "LANG", "TERM", "XDG_RUNTIME_DIR", "SYNAPS_BASE_DIR"]

/** A bare name is looked for on the PATH; a relative path lies in the plugin's folder. `node` is the one that runs us. */
export function resolveCommand(folder: string, command: string): string {
  if (command === "node") return process.execPath
  return isAbsolute(command) || !command.includes("/") ? command : join(folder, command)
}

/** What the host's own Node is started with, so that extensions can import the SDK from wherever they lie. */
export function interpreterArguments(command: string): readonly string[] {
  return command === "node" ? ["--import", new URL("../../clients/extension/resolve-sdk.ts", import.meta.url).href] : []
}

/** An argument that names something inside the plugin's folder becomes its real path; everything else stays. */
export function resolveArgument(folder: string, argument: string): string {
  const path = resolve(folder, argument)
  if (!existsSync(path)) return argument
  const [real, realFolder] = [realpathSync(path), realpathSync(folder)]
  return real === realFolder || real.startsWith(realFolder + sep) ? real : argument
}

export function environmentOf(folder: string, { env, cwd, passedOn, dataRoot }: Surroundings): Record<string, string> {
  const seen = [...alwaysPassedOn, ...passedOn].flatMap((name) => {
    const value = env[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  return {
    ...Object.fromEntries(seen),
    PLUGIN_DIR: folder,
    REPO_ROOT: cwd,
    [dataVariable]: join(dataRoot, basename(folder)),
    PYTHONDONTWRITEBYTECODE: "1", // compiled files beside a trusted program would be a change to it
  }
}
