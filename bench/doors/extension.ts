// The smallest extension that answers both hooks of a call, written without our library.
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"

const program = `
let waiting = Buffer.alloc(0)
process.stdin.on("data", (chunk) => {
  waiting = Buffer.concat([waiting, chunk])
  for (;;) {
    const head = waiting.indexOf("\\r\\n\\r\\n")
    if (head === -1) return
    const length = Number(/\\d+/.exec(waiting.toString("latin1", 0, head))[0])
    if (waiting.length < head + 4 + length) return
    const { method, id } = JSON.parse(waiting.toString("utf8", head + 4, head + 4 + length))
    waiting = waiting.subarray(head + 4 + length)
    const result = method === "initialize" ? { protocol_version: 1, capabilities: {} } : { action: "continue" }
    const body = JSON.stringify({ jsonrpc: "2.0", id, result })
    process.stdout.write("Content-Length: " + Buffer.byteLength(body) + "\\r\\n\\r\\n" + body)
    if (method === "shutdown") process.exit()
  }
})
process.stdin.on("end", () => process.exit())
`

/** `root`: a folder of plugins. */
export function writeExtension(root: string, name = "both-hooks"): void {
  const folder = join(root, name)
  const hooks = [{ hook: "before_tool_call" }, { hook: "after_tool_call" }]
  const extension = {
    runtime: "process",
    command: process.execPath,
    args: ["main.mjs"],
    permissions: ["tools.intercept"],
    hooks,
  }
  mkdirSync(join(folder, ".synaps-plugin"), { recursive: true })
  writeFileSync(join(folder, ".synaps-plugin", "plugin.json"), JSON.stringify({ extension }))
  writeFileSync(join(folder, "main.mjs"), program)
}
