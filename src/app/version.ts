import { readFileSync } from "node:fs"

export function version(): string {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8")
  return /"version":\s*"([^"]+)"/.exec(text)?.[1] ?? "unknown"
}
