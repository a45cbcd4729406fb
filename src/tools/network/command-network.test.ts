// Real commands in a real sandbox, with a server of this machine as the world outside.
import { createServer } from "node:http"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { needPackage } from "../../../spec/need-package.ts"
import { Workbench } from "../fixtures/workbench.ts"
import type { NetworkSetting } from "./command-network.ts"
import { listening } from "./fixtures/listening.ts"

const requests: string[] = []
const outside = createServer((request, response) => {
  requests.push(`${request.method} ${request.headers.host} ${request.url}`)
  response.end("from outside")
})
let port = 0
let url = ""
const open = new Map<string, Workbench>()
beforeAll(async () => {
  needPackage("bwrap", "bubblewrap")
  port = await listening(outside)
  url = `http://127.0.0.1:${port}/a?b=c`
})
afterAll(async () => {
  for (const bench of open.values()) await bench.close()
  outside.close()
})

/** One for all tests with the same setting. */
function workbench(network: NetworkSetting): Workbench {
  const key = JSON.stringify(network)
  const bench = open.get(key) ?? new Workbench({ sandboxed: true, network })
  open.set(key, bench)
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
      "[The connection to other.example:443 was refused: tools.network does not allow other.example.]",
    )
    expect(output).toContain("tools.network does not allow other.example:8080.]")
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

it("has no network at all with none", async () => {
  const printed = await outputOf("none", `echo "proxy: $HTTP_PROXY"; curl -sS -m 5 '${url}' || echo no route`)
  expect(printed).toContain("proxy: \n")
  expect(printed).toContain("no route")
})

it("has the network of the host with all", async () => {
  expect(await outputOf("all", `curl -sS --noproxy '*' '${url}'`)).toBe("from outside")
})
