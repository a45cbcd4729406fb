// The provider server as a process: `node spec/provider-server/main.ts SCRIPT.json` prints one line `listening on URL`
// and runs until it gets a signal. Without a file the script is read from stdin.
import { readFileSync } from "node:fs"
import type { ProviderScript } from "./script.ts"
import { startProviderServer } from "./server.ts"

const file = process.argv[2]
const server = await startProviderServer(scriptFrom(readFileSync(file ?? 0, "utf8")))
console.log(`listening on ${server.url}`)
process.once("SIGTERM", () => void server.close())
process.once("SIGINT", () => void server.close())

function scriptFrom(text: string): ProviderScript {
  const script: unknown = JSON.parse(text)
  if (isScript(script)) return script
  throw new Error("A script is a JSON object with a list 'replies'.")
}

function isScript(value: unknown): value is ProviderScript {
  return typeof value === "object" && value !== null && "replies" in value && Array.isArray(value.replies)
}
