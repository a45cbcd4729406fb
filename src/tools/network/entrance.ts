// The way out of a command's own network: one listening socket. A small Node process opens it inside, hands it to the host
// and exits before the command starts, so that no process and no file of the host is needed inside.
import { isNamedByRules } from "../../contract/rules/network-rules.ts"
import type { PlainCommand } from "../../processes/sandbox.ts"

/** The network belongs to one command, so any port is free. */
const PORT = 41_080
const ADDRESS = `http://127.0.0.1:${PORT}`

const OPENER = `const listener = require("node:net").createServer()
listener.on("error", () => process.exit(1))
listener.listen(${PORT}, "127.0.0.1", () => process.send("listening", listener, (fault) => process.exit(fault ? 1 : 0)))`

/** The command gets neither the channel nor the variables that name it. */
const ENTER = `NODE_OPTIONS= "$0" -e "$1" </dev/null || { echo "turnhouse: the network proxy could not be opened in the sandbox" >&2; exit 126; }
unset NODE_CHANNEL_FD NODE_CHANNEL_SERIALIZATION_MODE; shift; exec "$@" 4>&-`

/** The command line that opens the entrance, then becomes the command. */
export function throughEntrance({ command, args }: PlainCommand): PlainCommand {
  return { command: "/bin/sh", args: ["-c", ENTER, process.execPath, OPENER, command, ...args] }
}

/** Hosts that a command reaches in its own network, unless a rule names them: then the host's are meant. */
const ownHosts = ["localhost", "127.0.0.1", "::1"]

/** For programs that use a proxy: most read the first ones, Node 24 and Yarn need their own. */
export function proxyVariables(rules: readonly string[]): Readonly<Record<string, string>> {
  const isOwn = (host: string) => !rules.some((rule) => isNamedByRules([rule], { host, port: portOf(rule) }))
  const direct = ownHosts.filter(isOwn).join(",")
  return {
    ...Object.fromEntries(proxyNames.map((name) => [name, ADDRESS])),
    NO_PROXY: direct,
    no_proxy: direct,
    NODE_USE_ENV_PROXY: "1",
  }
}

const proxyNames = [
  "HTTP_PROXY",
  "http_proxy",
  "HTTPS_PROXY",
  "https_proxy",
  "ALL_PROXY",
  "all_proxy",
  "YARN_HTTP_PROXY",
  "YARN_HTTPS_PROXY",
]

function portOf(rule: string): number {
  return Number(/:(\d+)$/.exec(rule)?.[1] ?? 80)
}
