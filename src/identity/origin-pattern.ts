// Which web sites are meant: an origin as it is, `https://*.shop.example` for a host and everything below it, or `*`.
// The origin `null` is of nobody who could be known, and no pattern means it.

export function fitsOrigin(pattern: string, origin: string): boolean {
  if (origin === "null" || origin === "") return false
  if (pattern === "*") return true
  const below = /^([a-z][a-z0-9+.-]*:\/\/)\*\.(.+)$/.exec(pattern.toLowerCase())
  if (below === null) return pattern.toLowerCase() === origin.toLowerCase()
  const [, scheme = "", host = ""] = below
  const given = origin.toLowerCase()
  if (!given.startsWith(scheme)) return false
  const name = given.slice(scheme.length)
  return name === host || (name.endsWith(`.${host}`) && /^[a-z0-9_.-]+(?::\d+)?$/.test(name))
}

export function fitsAny(patterns: readonly string[], origin: string): boolean {
  return patterns.some((pattern) => fitsOrigin(pattern, origin))
}
