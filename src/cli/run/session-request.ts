// What a command line wants of a new session. Everything else comes from the configuration that counts in the folder.
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

/** Kept with the session, so that every host that opens it later reads the same files. */
function configurationOf(args: Args, cwd: string): SessionOptions["configuration"] {
  const file = args.text("config")
  const profile = args.text("profile")
  if (file === undefined && profile === undefined) return undefined
  return { file: file === undefined ? undefined : resolve(cwd, file), profile }
}
