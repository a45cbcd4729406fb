// Checks every shell command before it runs.
import { defineExtension, isObject } from "turnhouse/extension"
import { judge, readRules, type Rule } from "./rules.ts"

let rules: readonly Rule[] = []

await defineExtension({
  onInitialize({ config }) {
    rules = readRules(config["rules"])
    console.log(`${rules.length} rules`)
  },
  hooks: {
    before_tool_call({ tool_input }) {
      const command = isObject(tool_input) ? tool_input["command"] : undefined
      if (typeof command !== "string") throw new Error("shell call without a command")
      return judge(rules, command)
    },
  },
}).run()
