// The least that any host of sessions does, behind the transport and with the frames of one of our doors: stores a prompt and its
// answer durably, and forwards both. No engine, no checks, nothing kept apart from the messages. It ends with its parent.
// It is bundled before it is measured, so that its start is that of plain JavaScript.
// Arguments: rpc|ws|house|ipc|run chat|anthropic PROVIDER DATABASE [SOCKET, or the message of run]
import { Relay } from "./ask.ts"
import { bareFormats } from "./formats.ts"
import { once, serveStdio } from "./stdio.ts"

const [door = "", format = "", provider = "", database = "", last = ""] = process.argv.slice(2)
const bareFormat = bareFormats[format]
if (bareFormat === undefined) throw new Error(`there is no format ${format}`)
const relay = new Relay(provider, bareFormat, database)

if (door === "run") once(relay, last)
else if (door === "rpc") serveStdio(relay)
else {
  process.stdin.resume().on("end", () => process.exit())
  if (door === "ws") void import("./sockets.ts").then(({ serveSockets }) => serveSockets(relay))
  else void import("./lines.ts").then(({ serveLines }) => serveLines(relay, door === "house" ? "house" : "ipc", last))
}
