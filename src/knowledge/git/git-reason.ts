// What git printed about an error, in one line.

/** Files that an error names, each in a line that begins with a tab. */
const MAX_NAMED = 10

export function gitReason(stderr: string): string {
  const lines = stderr.split("\n").filter((line) => line.trim() !== "")
  const first = lines.findIndex((line) => /^(fatal|error):/.test(line))
  const [reason = "", ...others] = first === -1 ? lines.slice(-1) : lines.slice(first)
  const end = others.findIndex((line) => !line.startsWith("\t"))
  const files = others.slice(0, end === -1 ? MAX_NAMED : Math.min(end, MAX_NAMED)).map((line) => line.trim())
  return [reason.trim().replace(/\.$/, ""), files.join(", ")].join(" ").trim()
}
