// Programs of the proof that say what a file of theirs has: an MCP server and an extension. Each first writes down its
// environment.
import { extensionProgram as extensionOf } from "../extension-program.ts"

const start = `import { readFileSync, writeFileSync } from "node:fs"
const [, , folder, note] = process.argv
writeFileSync(note, JSON.stringify(process.env))
const planted = (name) => readFileSync(folder + "/" + name, "utf8")
`

/** Its tools get the name of the file. */
export const serverProgram = `${start}import { createInterface } from "node:readline"
const inputSchema = { type: "object", properties: { file: { type: "string" } } }
const text = (file) => [{ type: "text", text: planted(file) }]
const tools = {
  work: (file) => ({ content: text(file) }),
  fail: (file) => ({ content: text(file), isError: true }),
  log: (file) => (process.stderr.write(planted(file) + "\\n"), { content: [] }),
  refuse: (file) => { throw new Error(planted(file)) },
}
const results = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "prove", version: "1" } }),
  "tools/list": () => ({ tools: Object.keys(tools).map((name) => ({ name, description: "Says it.", inputSchema })) }),
  "tools/call": ({ name, arguments: { file } }) => tools[name](file),
}
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) return
  let answer
  try {
    answer = { result: results[method]?.(params) ?? {} }
  } catch (fault) {
    answer = { error: { code: -32000, message: fault.message } }
  }
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, ...answer }) + "\\n")
})
`

/** What it does follows from the command of `bash`: `echo block FILE`, `echo replace FILE` or `echo log FILE`. */
export const extensionProgram = `${start}${extensionOf(`(({ kind, tool_input }) => {
  const [, what, file] = /^echo (block|replace|log) (\\S+)$/.exec(tool_input?.command ?? "") ?? []
  if (kind === "before_tool_call" && what === "block") return { action: "block", reason: planted(file) }
  if (kind === "before_tool_call" && what === "log") process.stderr.write(planted(file) + "\\n")
  if (kind === "after_tool_call" && what === "replace") return { action: "replace", output: planted(file) }
  return { action: "continue" }
})(params)`)}`

export const manifest = {
  name: "telling",
  extension: {
    protocol_version: 1,
    runtime: "process",
    command: "node",
    permissions: ["tools.intercept", "tools.transform_output"],
    hooks: [
      { hook: "before_tool_call", tool: "bash" },
      { hook: "after_tool_call", tool: "bash" },
    ],
  },
}
