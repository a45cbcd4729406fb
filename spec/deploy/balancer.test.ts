// The load balancer of the compose file in front of two real servers with its configuration. Names of containers become
// addresses of this machine.
import { copyFileSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { beforeAll, describe, expect, it, type TestContext } from "vitest"
import { HouseClient } from "../../src/clients/house/house-client.ts"
import { freePort } from "../../src/testing/servers/server-process.ts"
import { newPlace } from "../e2e/turnhouse.ts"
import { needPackage } from "../need-package.ts"

const source = join(import.meta.dirname, "../../deploy/compose")
const settings = readFileSync(join(source, "haproxy.cfg"), "utf8")

beforeAll(() => needPackage("/usr/sbin/haproxy", "haproxy"), 300_000)

async function startNode(test: TestContext) {
  const place = newPlace(test)
  copyFileSync(join(source, "config.json"), join(place.home, "config.json"))
  const running = place.start(["serve", "--host", "0.0.0.0", "--port", "0"])
  const port = await running.until(
    "an address",
    () => /^listening on http:\/\/0\.0\.0\.0:(\d+)$/m.exec(running.stdout)?.[1],
  )
  return { place, running, port: Number(port) }
}

/** Its address, as a client knows it. */
async function balance(test: TestContext, ...nodes: readonly number[]): Promise<string> {
  const place = newPlace(test)
  const port = await freePort()
  const file = place.write(
    "haproxy.cfg",
    settings
      .replace("maxconn 30000", "maxconn 100")
      .replace("bind :8080", `bind 127.0.0.1:${port}`)
      .replace(/^ *server node(\d) .*\n/gm, (line, number: string) => serverLine(line, nodes[Number(number) - 1])),
  )
  place.startOther("/usr/sbin/haproxy", ["-db", "-f", file])
  const address = `http://localhost:${port}`
  await expect.poll(() => statusOf(`${address}/readyz`), { timeout: 20_000 }).toBe(200)
  return address
}

/** Without a node there is no server. */
function serverLine(line: string, port: number | undefined): string {
  return port === undefined ? "" : line.replace(/node\d:8787/, `127.0.0.1:${port}`)
}

async function statusOf(address: string): Promise<number | string> {
  return fetch(address).then(
    ({ status }) => status,
    () => "no answer",
  )
}

describe("the load balancer", () => {
  it("passes WebSockets to a node, and keeps clients from its metrics and its admin API", async (test) => {
    const { place, port } = await startNode(test)
    const address = await balance(test, port)
    const { stdout } = await place.run("link", "--json", "--role", "watch", "--url", address)
    const { url }: { url: string } = JSON.parse(stdout)
    const client = await HouseClient.connect(url)
    expect(await client.query({ type: "sessions" })).toMatchObject({ kind: "answer" })
    client.close()
    expect(await statusOf(`http://127.0.0.1:${port}/admin/health`)).toBe(200)
    expect(await statusOf(`${address}/admin/health`)).toBe(404)
    expect(await statusOf(`http://127.0.0.1:${port}/metrics`)).toBe(401)
    expect(await statusOf(`${address}/metrics`)).toBe(404)
  })

  it("answers every request while a node leaves", async (test) => {
    const [one, other] = await Promise.all([startNode(test), startNode(test)])
    const address = await balance(test, one.port, other.port)
    const statuses = new Set<number | string>()
    const ask = async () => void statuses.add(await statusOf(`${address}/readyz`))
    for (let request = 0; request < 10; request += 1) await ask()
    one.running.signal("SIGTERM")
    const left = one.running.ended.then(() => true)
    do await ask()
    while (!(await Promise.race([left, Promise.resolve(false)])))
    for (let request = 0; request < 10; request += 1) await ask()
    expect([...statuses]).toEqual([200])
  })
})
