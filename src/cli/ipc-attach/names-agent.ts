// Whether `attach` names a socket instead of a session. In its own file, so that attaching to a session does not load the
// IPC client.
import type { Args } from "../command.ts"

export function namesAgent(args: Args): boolean {
  return args.text("agent") !== undefined || args.positionals[0]?.endsWith(".sock") === true
}
