// Whether a socket is meant, and not a session by its id. In a file of its own: attaching to a session does not load
// what attaching to a socket needs.
import type { Args } from "../command.ts"

export function namesAgent(args: Args): boolean {
  return args.text("agent") !== undefined || args.positionals[0]?.endsWith(".sock") === true
}
