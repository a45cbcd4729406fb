import type { Gate } from "../session-context.ts"

/** Extensions, between what the configuration forbids and what a person is asked. */
export const hookGate: Gate = ({ session, call, tool, input }) => session.hooks?.judge(tool, input, call.modified)
