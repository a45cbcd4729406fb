// Command line of an extension: program, arguments and a minimal environment. No shell is involved, and only variables
// listed here or by the user are passed on.
import { messageOf } from "../../contract/faults.ts"
import { existsSync, realpathSync } from "node:fs"
import { basename, isAbsolute, join, resolve, sep } from "node:path"
import { moduleUrl } from "../../program/program-files.ts"
import { dataVariable } from "./plugin-sandbox.ts"

export interface CommandLine {
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

export interface EnvironmentSources {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Working folder of the session. */
  readonly cwd: string
  /** Variables that the user passes to tools and extensions. */
  readonly passedVariables: readonly string[]
  /** Parent of the plugins' data folders. */
  readonly dataRoot: string
}

const alwaysPassedVariables = ["PATH", "HOME", "LANG", "TERM", "XDG_RUNTIME_DIR", "SYNAPS_BASE_DIR"]

/** A bare name is looked up on the PATH, a relative path in the plugin's folder. `node` is the running binary. */
export function resolveCommand(folder: string, command: string): string {
  if (command === "node") return process.execPath
  return isAbsolute(command) || !command.includes("/") ? command : join(folder, command)
}

/** Arguments of the host's own Node that let extensions import the SDK from any folder. */
export function interpreterArguments(command: string): readonly string[] {
  return command === "node" ? ["--import", moduleUrl("clients/extension/resolve-sdk").href] : []
}

/** An argument that names a path inside the plugin's folder becomes its real path; others stay. */
export function resolveArgument(folder: string, argument: string): string {
  const path = resolve(folder, argument)
  if (!existsSync(path)) return argument
  const [real, realFolder] = [realpathSync(path), realpathSync(folder)]
  return real === realFolder || real.startsWith(realFolder + sep) ? real : argument
}

export function environmentOf(
  folder: string,
  { env, cwd, passedVariables, dataRoot }: EnvironmentSources,
): Record<string, string> {
  const seen = [...alwaysPassedVariables, ...passedVariables].flatMap((name) => {
    const value = env[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  return {
    ...Object.fromEntries(seen),
    PLUGIN_DIR: folder,
    REPO_ROOT: cwd,
    [dataVariable]: join(dataRoot, basename(folder)),
    PYTHONDONTWRITEBYTECODE: "1", // bytecode files would change the trusted folder
  }
}

export function startFailure(fault: unknown): string {
  return `it could not be started: ${messageOf(fault)}`
}
