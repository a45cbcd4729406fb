// The instructions of deploy/Dockerfile that a test runs without Docker.
import { readFileSync } from "node:fs"
import { join } from "node:path"

const text = readFileSync(join(import.meta.dirname, "../../deploy/Dockerfile"), "utf8").replaceAll("\\\n", "")

/** The text of every instruction of this name. */
export function instructions(name: string): readonly string[] {
  return text.split("\n").flatMap((line) => (line.startsWith(`${name} `) ? [line.slice(name.length + 1).trim()] : []))
}

/** The list in `CMD ["a", "b"]`. */
export function listOf(instruction: string | undefined): readonly string[] {
  const list: unknown = JSON.parse(/\[.*\]$/.exec(instruction ?? "")?.[0] ?? "[]")
  return Array.isArray(list) ? list.map(String) : []
}

export function environment(): Record<string, string> {
  return Object.fromEntries(
    instructions("ENV")
      .map((line) => line.split("="))
      .map(([name, value]) => [name, value ?? ""]),
  )
}
