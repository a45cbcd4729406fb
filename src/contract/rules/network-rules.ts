// Rules about the hosts that commands may connect to: `example.com`, `*.example.com` (its subdomains), `*` (every host),
// each with an optional port. Without a port a rule is about 80 and 443. Hosts are compared as the URL parser writes them.
import { memberIn, textIn } from "../json-object.ts"
import type { Connection, JsonValue } from "../values.ts"

/** Checked by the schema of the configuration. */
export const networkRule = /^(?:\*|(?:\*\.)?[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*\.?|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?$/

/** The host in lower case, an IPv6 address without brackets. */
export type Destination = Readonly<Connection>

/** The tool name of requests and permissions that are about a connection. */
export const networkTool = "network"

const usualPorts: ReadonlySet<number> = new Set([80, 443])

/** `HOST:PORT`, as in a CONNECT request or an address. */
export function parseDestination(authority: string, defaultPort?: number): Destination | undefined {
  const url = URL.parse(`http://${authority}`)
  if (url === null || url.host === "" || /[@/?#\\\s]/.test(authority)) return undefined
  const typed = /:(\d{1,5})$/.exec(authority)?.[1]
  const port = typed === undefined ? defaultPort : Number(typed)
  if (port === undefined || port < 1 || port > 65_535) return undefined
  return { host: plainHost(url.hostname), port }
}

/** What a request for a connection shows as its arguments. */
export function destinationIn(input: JsonValue): Destination | undefined {
  const host = textIn(input, "host")
  const port = memberIn(input, "port")
  return host === undefined || typeof port !== "number" ? undefined : { host, port }
}

export function isAllowedByRules(rules: readonly string[], destination: Destination): boolean {
  return rules.some((rule) => fitsRule(rule, destination))
}

/** A rule names this host itself, not all hosts of a domain: it may have a private address then. */
export function isNamedByRules(rules: readonly string[], destination: Destination): boolean {
  return rules.some((rule) => !rule.startsWith("*") && fitsRule(rule, destination))
}

/** The narrowest rule that allows the connection. */
export function ruleFor(destination: Destination): string {
  const { host, port } = destination
  const name = host.includes(":") ? `[${host}]` : host
  return usualPorts.has(port) ? name : `${name}:${port}`
}

export function destinationText({ host, port }: Destination): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`
}

/** Whether everything that the rule allows is also allowed by one of the others. */
export function isCoveredByRules(rule: string, others: readonly string[]): boolean {
  const { host, port } = parseRule(rule)
  return others.map(parseRule).some((other) => {
    const hasPort = other.port === port || (other.port === undefined && port !== undefined && usualPorts.has(port))
    return hasPort && (other.host === host || coversHost(other.host, host))
  })
}

interface Rule {
  readonly host: string
  readonly port: number | undefined
}

function parseRule(rule: string): Rule {
  const [, host = rule, port] = /^(.*?)(?::(\d+))?$/.exec(rule) ?? []
  return {
    host: host.startsWith("*") ? withoutDot(host.toLowerCase()) : (parseDestination(host, 80)?.host ?? host),
    port: port === undefined ? undefined : Number(port),
  }
}

function fitsRule(rule: string, { host, port }: Destination): boolean {
  const parsed = parseRule(rule)
  const hasPort = parsed.port === undefined ? usualPorts.has(port) : parsed.port === port
  return hasPort && (parsed.host === host || coversHost(parsed.host, host))
}

function coversHost(pattern: string, host: string): boolean {
  return pattern === "*" || (pattern.startsWith("*.") && host.endsWith(pattern.slice(1)))
}

function plainHost(hostname: string): string {
  return withoutDot(hostname.replace(/^\[(.*)\]$/, "$1"))
}

function withoutDot(host: string): string {
  return host.endsWith(".") ? host.slice(0, -1) : host
}
