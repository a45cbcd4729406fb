// Redacts the output of every tool before it is stored and sent to a model.
import { defineExtension, replace } from "turnhouse/extension"
import { redact } from "./redact.ts"

await defineExtension({
  hooks: {
    after_tool_call({ tool_output }) {
      const redacted = redact(tool_output)
      return redacted === undefined ? undefined : replace(redacted)
    },
  },
}).run()
