// Addresses that a link of a model may have.

const allowed = new Set(["http:", "https:", "mailto:"])

/** Absolute, and of a kind that runs nothing; undefined for every other one. */
export function safeAddress(href: string): string | undefined {
  const url = URL.parse(href.trim())
  return url !== null && allowed.has(url.protocol) ? url.href : undefined
}
