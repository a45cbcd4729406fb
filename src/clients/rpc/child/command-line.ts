// The command line of a child, with flags in the order that parents of this protocol use.
import { launcherFile } from "../../../program/program-files.ts"

export interface CommandLineOptions {
  /** Program and first arguments. Default: `turnhouse rpc` of this package. */
  readonly command?: readonly [string, ...string[]]
  /** The session to continue, by id or name. */
  readonly continue?: string | undefined
  /** System prompt, or a file that contains it. */
  readonly system?: string | undefined
  readonly model?: string | undefined
  readonly profile?: string | undefined
  /** Enables the frames of Turnhouse that are not part of version 1: approvals and steering. */
  readonly extended?: boolean
  /** Further arguments, after all others. */
  readonly args?: readonly string[]
}

export function commandLine(options: CommandLineOptions): readonly [string, ...string[]] {
  const [program, ...first] = options.command ?? [launcherFile, "rpc"]
  return [
    program,
    ...first,
    ...flag("--continue", options.continue),
    ...flag("--system", options.system),
    ...flag("--model", options.model),
    ...flag("--profile", options.profile),
    ...(options.extended === true ? ["--extended"] : []),
    ...(options.args ?? []),
  ]
}

function flag(name: string, value: string | undefined): readonly string[] {
  return value === undefined ? [] : [name, value]
}
