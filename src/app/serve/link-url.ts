// The address of /house or /ws for a share link: of the running server, else by the configuration. A server that listens
// on all interfaces is addressed by a configured name, or by the address of this machine.
import { networkInterfaces } from "node:os"
import type { Config } from "../../contract/config.ts"
import { withoutTrailing } from "../../contract/text/text.ts"
import { usageFault } from "../app-fault.ts"
import { addressOf, urlOf } from "../../server/address.ts"
import { serverUrl } from "./server-note.ts"

/** `given`: the public address, where it is known. */
export function linkUrl(given: string | undefined, home: string, config: Config, door: "house" | "ws"): URL {
  const url = parsed(given ?? serverUrl(home) ?? configuredUrl(config))
  const { names = [] } = config.server ?? {}
  if (given === undefined && isEverywhere(url)) url.hostname = names[0] ?? outerAddress() ?? "localhost"
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:"
  url.pathname = `${withoutTrailing(url.pathname, "/")}/${door}`
  return url
}

function configuredUrl(config: Config): string {
  const address = addressOf({}, config)
  return urlOf(address, address.port)
}

function parsed(text: string): URL {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol))
    throw usageFault(`--url: '${text}' is not an HTTP address. Use one such as https://turnhouse.example.`)
  return url
}

function isEverywhere({ hostname }: URL): boolean {
  return hostname === "0.0.0.0" || hostname === "[::]"
}

function outerAddress(): string | undefined {
  const all = Object.values(networkInterfaces()).flatMap((found) => found ?? [])
  return all.find(({ family, internal }) => family === "IPv4" && !internal)?.address
}
