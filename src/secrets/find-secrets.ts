// Collects secrets from the environment and the configuration. A value found twice keeps the first name. A secret with
// several lines counts as a whole and line by line.
import type { Config } from "../contract/config.ts"
import { countsAsSecret, hasHighEntropy, isSecretName } from "./counts-as-secret.ts"
import { type Secret, shortestSecret } from "./forms.ts"

type Environment = Readonly<Record<string, string | undefined>>

export function secretsOf({ env, config }: { env: Environment; config: Config }): readonly Secret[] {
  const found = [...fromNamedValues("", env), ...fromConfig(config)]
  const byValue = new Map<string, Secret>()
  for (const { name, value } of found.flatMap(withItsLines)) {
    if (value.length >= shortestSecret && !byValue.has(value)) byValue.set(value, { name, value })
  }
  return [...byValue.values()]
}

function fromConfig(config: Config): Secret[] {
  return [
    ...Object.entries(config.providers ?? {}).flatMap(([id, provider]) => [
      ...(typeof provider.apiKey === "string" ? named(`providers.${id}.apiKey`, provider.apiKey) : []),
      ...fromAddress(`providers.${id}.baseURL`, provider.baseURL),
      ...fromNamedValues(`providers.${id}.headers.`, provider.headers),
    ]),
    ...Object.entries(config.mcpServers ?? {}).flatMap(([id, server]) => [
      ...fromNamedValues(`mcpServers.${id}.env.`, server.env),
      ...fromNamedValues(`mcpServers.${id}.headers.`, server.headers),
      ...fromAddress(`mcpServers.${id}.url`, server.url),
      ...named(`mcpServers.${id}.oauth.clientSecret`, server.oauth?.clientSecret),
    ]),
    ...(typeof config.web?.search?.apiKey === "string" ? named("web.search.apiKey", config.web.search.apiKey) : []),
    ...fromAddress("web.search.baseURL", config.web?.search?.baseURL),
    ...Object.entries(config.agents ?? {}).flatMap(([id, agent]) => named(`agents.${id}.embed.key`, agent.embed?.key)),
    ...named("server.auth.secret", config.server?.auth?.secret),
    ...(config.otp?.transport.type === "smtp" ? fromAddress("otp.transport.url", config.otp.transport.url) : []),
    ...(config.store?.type === "postgres" ? fromAddress("store.url", config.store.url) : []),
    ...(config.bus?.type === "nats" ? fromAddress("bus.url", config.bus.url) : []),
  ]
}

/** A field that is always secret; only short values and known placeholders are skipped. */
function named(name: string, value: string | undefined): Secret[] {
  return value !== undefined && countsAsSecret("SECRET", value) ? [{ name, value }] : []
}

/** Variables and headers: their names decide. */
function fromNamedValues(prefix: string, values: Environment | undefined): Secret[] {
  return Object.entries(values ?? {}).flatMap(([key, value = ""]) => {
    const name = prefix + key
    if (!countsAsSecret(key, value)) return fromAddress(name, value)
    return [...fromAddress(name, value), { name, value }, ...withoutScheme(name, value)]
  })
}

/** `Bearer abc`: the secret follows the scheme. */
function withoutScheme(name: string, value: string): Secret[] {
  const credentials = /^(?:Bearer|Basic|Token|ApiKey|Bot)\s+(\S+)$/i.exec(value)?.[1]
  return credentials === undefined ? [] : [{ name, value: credentials }]
}

/** An address with credentials, and the credentials themselves, encoded and decoded. */
function fromAddress(name: string, address = ""): Secret[] {
  const user = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)@/i.exec(address)?.[1]
  const parameters = /^[a-z][a-z0-9+.-]*:\/\/[^?#]*\?([^#]*)/i.exec(address)?.[1] ?? ""
  const secretParameters = parameters
    .split("&")
    .map(pairOf)
    .filter(([key]) => isSecretName(key))
  const values = secretParameters.map(([, value]) => value)
  if (user !== undefined && !isUserName(address, user)) values.push(passwordOf(user))
  if (values.length === 0) return []
  const parts = values.flatMap((value) => [value, decoded(value)])
  return [{ name, value: address }, ...parts.flatMap((part) => named(name, part))]
}

/** A database that asks for no password: the name of its user occurs in ordinary text. */
function isUserName(address: string, user: string): boolean {
  return !user.includes(":") && /^(postgres|postgresql|mysql|mariadb):/i.test(address)
}

/** Without a colon the whole is a token, as in message buses. */
function passwordOf(user: string): string {
  return user.includes(":") ? user.slice(user.indexOf(":") + 1) : user
}

function pairOf(parameter: string): [key: string, value: string] {
  const at = parameter.indexOf("=")
  return at < 0 ? [parameter, ""] : [parameter.slice(0, at), parameter.slice(at + 1)]
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    return value // not percent-encoded
  }
}

function withItsLines(secret: Secret): Secret[] {
  if (!secret.value.includes("\n")) return [secret]
  const lines = secret.value.split("\n").map((line) => line.trim())
  const keyLines = lines.filter((line) => /^\S{16,}$/.test(line) && !line.startsWith("-----") && hasHighEntropy(line))
  return [secret, ...keyLines.map((value) => ({ name: secret.name, value }))]
}
