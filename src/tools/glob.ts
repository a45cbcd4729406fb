// Globs as regular expressions: * ? [a-z] [!a-z] {a,b} and ** for any number of folders. A glob without a slash is about
// the name alone, wherever the file lies; one with a slash is about the whole path below the searched folder. Hidden
// names match like any other.
const tokens = /(?:\*\*\/)+|\*+|\?|\[[!^]?\]?[^\]]*\]|\\.|[^]/gsu

/** Nothing when the glob makes no sense. */
export function globMatcher(glob: string): ((path: string) => boolean) | undefined {
  const anchored = glob.replace(/^\.?\//, "")
  const byPath = anchored.includes("/")
  const pattern = patternOf(anchored)
  if (pattern === undefined) return undefined
  return (path) => pattern.test(byPath ? path : path.slice(path.lastIndexOf("/") + 1))
}

function patternOf(glob: string): RegExp | undefined {
  let depth = 0
  const parts = Array.from(glob.matchAll(tokens), ([token]) => {
    if (token === "{") depth++
    if (token === "}" && depth > 0) {
      depth--
      return ")"
    }
    return depth > 0 && token === "," ? "|" : translated(token)
  })
  try {
    return new RegExp(`^${parts.join("")}${")".repeat(depth)}$`, "su")
  } catch {
    return undefined // a range from z to a, for example
  }
}

function translated(token: string): string {
  if (token.startsWith("**/")) return "(?:.*/)?"
  if (token === "*") return "[^/]*"
  if (token.startsWith("*")) return ".*"
  if (token === "?") return "[^/]"
  if (token === "{") return "(?:"
  if (token.startsWith("[") && token.length > 1) return characterClass(token.slice(1, -1))
  return RegExp.escape(token.startsWith("\\") && token.length > 1 ? token.slice(1) : token)
}

function characterClass(inside: string): string {
  const negated = /^[!^]/.test(inside)
  const members = inside.slice(negated ? 1 : 0).replaceAll(/[\\[\]^]/g, "\\$&")
  return `[${negated ? "^/" : ""}${members}]`
}
