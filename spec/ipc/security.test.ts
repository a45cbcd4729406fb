// An agent's own tools cannot reach its socket, wherever it is: with it they could approve their own calls.
import { dirname, join } from "node:path"
import { beforeAll, describe, expect, it } from "vitest"
import { newPlace, type Place } from "../e2e/turnhouse.ts"
import { needPackage } from "../need-package.ts"
import { bash, shortFolder, startAgent, allowAllTools, turn } from "./agents.ts"
import { of } from "./raw-viewer.ts"

const connect = "import socket, sys; socket.socket(socket.AF_UNIX).connect(sys.argv[1]); print('in')"

describe.concurrent("tools of an agent cannot reach its socket", () => {
  beforeAll(() => needPackage("bwrap", "bubblewrap"))

  it.for([
    ["in the home", () => ({})],
    ["in a folder of the user's choice", (folder: string) => ({ dir: join(folder, "s") })],
    ["where brainwires looks", () => ({ brainwires: true })],
  ] as const)("%s", async ([, ipc], test) => {
    const place = newPlace(test)
    const data = shortFolder(test)
    place.config({ ...allowAllTools, tools: { ...allowAllTools.tools, sandbox: "require" }, ipc: ipc(data) })
    const agent = await startAgent(place, [], { env: { XDG_DATA_HOME: data } })
    const folder = dirname(agent.socket)
    const viewer = await agent.viewer(test)
    await viewer.slash("model", steps(place, agent.id, folder))
    const [socket, listing, read] = of(await turn(viewer, "go"), "tool_result")
    expect(socket?.output).toMatch(/No such file[^]*not in$/)
    expect(`${listing?.output ?? ""}${listing?.error ?? ""}`).not.toContain(agent.id)
    expect(read).toMatchObject({ output: null, error: "Tools may not access the home folder of Turnhouse." })
  })
})

function steps(place: Place, id: string, folder: string): string {
  const reach = bash(`cd ${folder} && python3 -c "${connect}" ${id}.sock 2>&1 || echo not in`)
  const read = { call: { tool: "read", input: { path: join(folder, `${id}.token`) } } } as const
  return place.script([[reach], [bash(`ls -A ${folder}; true`)], [read], [{ text: "Done." }]])
}
