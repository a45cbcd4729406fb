// Health check of the container: asks the server of this home, whatever its port, whether it is alive.
import { readFileSync } from "node:fs"

const [, address] = readFileSync(`${process.env.TURNHOUSE_HOME}/server.address`, "utf8").trim().split(" ")
const url = new URL("/healthz", address)
// A server on all interfaces is asked on this machine.
if (url.hostname === "0.0.0.0") url.hostname = "127.0.0.1"
if (url.hostname === "[::]") url.hostname = "[::1]"
const { status } = await fetch(url, { signal: AbortSignal.timeout(4000) })
if (status !== 200) throw new Error(`${url} answers ${status}`)
