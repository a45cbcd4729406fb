// Asks the user a question with choices. The runner makes the request, and the answer is the result: the tool itself never
// runs.
import { checks, toolInputSchemas } from "../../contract/generated/tool-inputs.js"
import type { AskInput } from "../../contract/tool-inputs.ts"
import { defineTool, failed, withoutPreparation } from "../define-tool.ts"
import type { Tool } from "../tool.ts"

export const askTool: Tool = {
  ...defineTool<AskInput>({
    name: "ask",
    description:
      "Asks the user one to four questions with choices and waits for the answer. Use it when the answer changes what you " +
      "do and you cannot find it out yourself; do not use it to ask for permission. The user may answer in own words.",
    class: "read",
    isReadOnly: true,
    inputSchema: toolInputSchemas.ask,
    check: checks.ask,
    prepare: async (_, context) => withoutPreparation(context, async () => failed("The question was not asked.")),
  }),
  questions: (input) => (checks.ask(input) ? input.questions : []),
}
