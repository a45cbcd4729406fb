// Matches origins of web sites: an exact origin, `https://*.shop.example` for a host and its subdomains, or `*`.
// The origin `null` identifies no web site and matches no pattern.

export function matchesOrigin(pattern: string, origin: string): boolean {
  if (origin === "null" || origin === "") return false
  if (pattern === "*") return true
  const below = /^([a-z][a-z0-9+.-]*:\/\/)\*\.(.+)$/.exec(pattern.toLowerCase())
  if (below === null) return pattern.toLowerCase() === origin.toLowerCase()
  const [, scheme = "", host = ""] = below
  const normalized = origin.toLowerCase()
  if (!normalized.startsWith(scheme)) return false
  const name = normalized.slice(scheme.length)
  return name === host || (name.endsWith(`.${host}`) && /^[a-z0-9_.-]+(?::\d+)?$/.test(name))
}

export function matchesAnyOrigin(patterns: readonly string[], origin: string): boolean {
  return patterns.some((pattern) => matchesOrigin(pattern, origin))
}
