// The request for a new session from command-line options; the configuration of the folder adds the rest.
import { resolve } from "node:path"
import type { SessionOptions } from "../../contract/session-options.ts"
import type { Args } from "../command.ts"

export function sessionRequest(args: Args, given: SessionOptions): SessionOptions {
  const model = args.text("model")
  const configuration = configurationOf(args, given.cwd)
  return {
    ...given,
    ...(model === undefined ? {} : { model }),
    ...(configuration === undefined ? {} : { configuration }),
  }
}

/** Stored with the session, so that every host reads the same files. */
function configurationOf(args: Args, cwd: string): SessionOptions["configuration"] {
  const file = args.text("config")
  const profile = args.text("profile")
  if (file === undefined && profile === undefined) return undefined
  return { file: file === undefined ? undefined : resolve(cwd, file), profile }
}
