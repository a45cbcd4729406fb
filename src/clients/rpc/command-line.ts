// How a child is started: the program and its flags, in the order that parents of this protocol pass them.
import { fileURLToPath } from "node:url"

export interface CommandLineOptions {
  /** The program and what comes first behind it. Default: this package's own `turnhouse rpc`. */
  readonly command?: readonly [string, ...string[]]
  /** A session to go on with: an id, or a name. */
  readonly continue?: string | undefined
  /** Instructions for the model, or a file with them. */
  readonly system?: string | undefined
  readonly model?: string | undefined
  readonly profile?: string | undefined
  /** Asks a Turnhouse child for the frames that are not part of version 1: approvals and steering. */
  readonly extended?: boolean
  /** More flags, behind all others. */
  readonly args?: readonly string[]
}

const turnhouse = fileURLToPath(new URL("../../../bin/turnhouse", import.meta.url))

export function commandLine(options: CommandLineOptions): readonly [string, ...string[]] {
  const [program, ...first] = options.command ?? [turnhouse, "rpc"]
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
