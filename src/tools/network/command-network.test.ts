// Real commands in a real sandbox, with a server of this machine as the world outside.
import { writeFileSync } from "node:fs"
import { createServer, request as sendRequest } from "node:http"
import { createServer as createTcpServer } from "node:net"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { needPackage } from "../../../spec/need-package.ts"
import { Workbench } from "../fixtures/workbench.ts"
import type { ConnectionAnswer } from "../tool.ts"
import { watchRun } from "../watch-run.ts"
import { CommandNetwork, MAX_ASKED_HOSTS, type NetworkSetting } from "./command-network.ts"
import { listening } from "./fixtures/listening.ts"

const requests: string[] = []
const outside = createServer((request, response) => {
  requests.push(`${request.method} ${request.headers.host} ${request.url}`)
  response.end("from outside")
})
let port = 0
let url = ""
const benches = new Map<string, Workbench>()
beforeAll(async () => {
  needPackage("bwrap", "bubblewrap")
  port = await listening(outside)
  url = `http://127.0.0.1:${port}/a?b=c`
})
afterAll(async () => {
  for (const bench of benches.values()) await bench.close()
  outside.close()
})

/** One for all tests with the same setting. */
function workbench(network: NetworkSetting): Workbench {
  const key = JSON.stringify(network)
  const bench = benches.get(key) ?? new Workbench({ sandboxed: true, network })
  benches.set(key, bench)
  return bench
}

async function outputOf(network: NetworkSetting, command: string): Promise<string> {
  return (await workbench(network).call("bash", { command })).output
}

describe("a command whose network is a list", () => {
  const listed = () => ({ allow: [`127.0.0.1:${port}`] })

  it("reaches a listed host, by plain requests and by CONNECT", async () => {
    expect(await outputOf(listed(), `curl -sS '${url}'; echo; curl -sS --proxytunnel '${url}'`)).toBe(
      "from outside\nfrom outside",
    )
    expect(requests.slice(-2)).toEqual([`GET 127.0.0.1:${port} /a?b=c`, `GET 127.0.0.1:${port} /a?b=c`])
  })

  it("is refused another host, and the result says which and why", async () => {
    const { output, outcome } = await workbench({ allow: [] }).call("bash", {
      command: "curl -sS https://other.example/x; curl -sS http://other.example:8080/",
    })
    expect(output).toContain("CONNECT tunnel failed, response 403")
    expect(output).toContain(
      "[The connection to other.example:443 was refused: tools.network does not list other.example.]",
    )
    expect(output).toContain("tools.network does not list other.example:8080.]")
    expect(outcome).toBe("done")
  })

  it.for([
    [
      "an address of this machine",
      "http://127.0.0.1:80/",
      "127.0.0.1:80 was refused: it is not of the public internet",
    ],
    [
      "a cloud's metadata",
      "http://169.254.169.254/",
      "169.254.169.254:80 was refused: it is not of the public internet",
    ],
    ["a name with such an address", "http://localhost/", "localhost:80 was refused: it has the address"],
  ])("is refused %s although every host is listed", async ([, address = "", refusal = ""]) => {
    expect(await outputOf({ allow: ["*"] }, `curl -sS --noproxy '' ${address}`)).toContain(refusal)
  })

  it("has no other way out: no route, no names", async () => {
    const printed = await outputOf(
      listed(),
      `curl -sS -m 5 --noproxy '*' '${url}' || echo no route; getent hosts example.com || echo no names`,
    )
    expect(printed).toContain("no route")
    expect(printed).toContain("no names")
  })

  it("reaches its own servers without the proxy", async () => {
    const serve = `require("node:http").createServer((_, response) => response.end("own")).listen(4000, "127.0.0.1", () => console.log("up"))`
    const script = `coproc '${process.execPath}' -e '${serve}'; read -r line <&\${COPROC[0]}; curl -sS http://localhost:4000/; kill $COPROC_PID`
    expect(await outputOf({ allow: [] }, script)).toContain("own")
  })

  it("gets its exit code, and neither the channel nor its variables", async () => {
    const bench = workbench(listed())
    const command = `env | grep -c NODE_CHANNEL; ls -l /proc/$$/fd | grep -c 'socket:'; exit 7`
    expect(await bench.call("bash", { command })).toMatchObject({
      output: "0\n0\nexit code 7",
      details: { exitCode: 7 },
    })
  })

  it("keeps its network for a process that it left in the background", async () => {
    const bench = workbench(listed())
    const command = `(until [ -e go ]; do sleep 0.05; done; curl -sS '${url}' > fetched) >/dev/null 2>&1 &`
    expect((await bench.call("bash", { command })).output).toContain("still running")
    const { output } = await bench.call("bash", {
      command: "touch go; until [ -s fetched ]; do sleep 0.05; done; cat fetched",
    })
    expect(output).toBe("from outside")
  })
})

describe("a host that is not listed", () => {
  /** No resolver is asked for a label of more than 63 characters: the connection fails at once. */
  const host = `${"long".repeat(20)}.example`
  const codes = (...hosts: readonly string[]) =>
    hosts.map((name) => `curl -sS -o /dev/null -w '%{http_code} ' http://${name}/`).join("; ")

  it("is asked about once for a command, and connected to when it is allowed", async () => {
    const asked: unknown[] = []
    const connect = async (destination: unknown): Promise<ConnectionAnswer> => {
      asked.push(destination)
      return { kind: "allowed" }
    }
    const { output } = await workbench({ allow: [] }).call("bash", { command: codes(host, host) }, { connect })
    expect(output).toContain("502 502")
    expect(asked).toEqual([{ host, port: 80 }])
  })

  it("is refused with the reason when it is denied", async () => {
    const connect = async (): Promise<ConnectionAnswer> => ({ kind: "refused", reason: "you denied it" })
    const { output } = await workbench({ allow: [] }).call("bash", { command: codes(host) }, { connect })
    expect(output).toContain("403")
    expect(output).toContain(`tools.network does not list ${host}, and you denied it.]`)
  })

  it("does not use up the time of the command while it is asked about", async () => {
    const bench = workbench({ allow: [] })
    const args = ["-c", "until [ -e answered ]; do sleep 0.02; done"]
    const gated = await bench.processes.spawn({ command: "sh", args, cwd: bench.cwd, env: {}, owner: "test" })
    gated.go()
    const askedAt = performance.now()
    let looks = 0
    const end = await watchRun(gated, 1, new AbortController().signal, () => {
      looks += 1
      if (looks === 5) writeFileSync(join(bench.cwd, "answered"), "")
      return performance.now() - askedAt
    })
    expect(end.kind).toBe("exited")
  })

  it("is withdrawn when the command gives up", async () => {
    const withdrawn = Promise.withResolvers<string>()
    const connect = (_: unknown, signal: AbortSignal) =>
      new Promise<ConnectionAnswer>((resolve) => {
        signal.addEventListener("abort", () => {
          withdrawn.resolve("withdrawn")
          resolve({ kind: "refused", reason: "it was closed" })
        })
      })
    const command = `curl -sS -m 0.5 http://${host}/ || true`
    await workbench({ allow: [] }).call("bash", { command }, { connect })
    expect(await withdrawn.promise).toBe("withdrawn")
  })
})

it("asks about a bounded number of hosts, one at a time", async () => {
  let pending = 0
  let most = 0
  let times = 0
  const connect = async (): Promise<ConnectionAnswer> => {
    times += 1
    pending += 1
    most = Math.max(most, pending)
    await new Promise(setImmediate)
    pending -= 1
    return { kind: "refused", reason: "you denied it" }
  }
  const network = new CommandNetwork([], { connect })
  const listener = createTcpServer()
  const proxyPort = await listening(listener)
  network.serve(listener)
  const ask = (index: number) => requestThrough(proxyPort, `host${index}.example`)
  const codes = await Promise.all(Array.from({ length: 2 * MAX_ASKED_HOSTS }, (_, index) => ask(index)))
  expect(new Set(codes)).toEqual(new Set([403]))
  expect({ times, most }).toEqual({ times: MAX_ASKED_HOSTS, most: 1 })
  expect(network.refusals().at(-1)).toMatch(/^\d+ more hosts were refused\.$/)
  network.close()
  listener.close()
})

function requestThrough(proxyPort: number, host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    sendRequest({ port: proxyPort, host: "127.0.0.1", path: `http://${host}/` }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
      .on("error", reject)
      .end()
  })
}

it("has no network at all with none", async () => {
  const printed = await outputOf("none", `echo "proxy: $HTTP_PROXY"; curl -sS -m 5 '${url}' || echo no route`)
  expect(printed).toContain("proxy: \n")
  expect(printed).toContain("no route")
})

it("has the network of the host with all", async () => {
  expect(await outputOf("all", `curl -sS --noproxy '*' '${url}'`)).toBe("from outside")
})
