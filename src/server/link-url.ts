// The address of /house or /ws that a client is given: where the server says it is, or where the configuration puts it. One that
// listens everywhere has no name of its own, so it is called by one that the configuration names, or by its number.
import { networkInterfaces } from "node:os"
import type { Config } from "../contract/config.ts"
import { withoutTrailing } from "../contract/trailing.ts"
import type { Args } from "../cli/command.ts"
import { usageFault } from "../app/app-fault.ts"
import { addressOf, urlOf } from "./address.ts"
import { serverUrl } from "./server-note.ts"

export function linkUrl(args: Args, home: string, config: Config, door: "house" | "ws"): URL {
  const given = args.text("url")
  const url = parsed(given ?? serverUrl(home) ?? configuredUrl(args, config))
  const { names = [] } = config.server ?? {}
  if (given === undefined && isEverywhere(url)) url.hostname = names[0] ?? outerAddress() ?? "localhost"
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:"
  url.pathname = `${withoutTrailing(url.pathname, "/")}/${door}`
  return url
}

function configuredUrl(args: Args, config: Config): string {
  const address = addressOf(args, config)
  return urlOf(address, address.port)
}

function parsed(text: string): URL {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol))
    throw usageFault(`--url takes an address such as https://house.example, not '${text}'`)
  return url
}

function isEverywhere({ hostname }: URL): boolean {
  return hostname === "0.0.0.0" || hostname === "[::]"
}

function outerAddress(): string | undefined {
  const all = Object.values(networkInterfaces()).flatMap((found) => found ?? [])
  return all.find(({ family, internal }) => family === "IPv4" && !internal)?.address
}
