// Asks the extensions of a session about a tool call.
// Asks the extensions of a session about a tool call.
import type { Gate } from "../session-context.ts"

export const hookGate: Gate = ({ session, call, tool, input }) => session.hooks?.judge(tool, input, call.modified)
