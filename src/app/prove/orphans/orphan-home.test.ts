import { expect, it, onTestFinished } from "vitest"
import { Workspace } from "../../demo/workspace.ts"
import { behaviours } from "./behaviours.ts"
import { withoutEscaped } from "./orphan-home.ts"

it("lets only the processes of a script escape that may, not what is left of the other starters", async () => {
  const workspace = new Workspace()
  onTestFinished(() => workspace.close(false))
  const [forks] = behaviours
  const escaping = behaviours.find(({ escapes }) => escapes)
  if (forks === undefined || escaping === undefined) throw new Error("no behaviours")
  const nap = (starter: string, pid: number) => ({
    pid,
    commandLine: `${workspace.path("tools", starter, "sleep")} 300`,
  })
  const program = { pid: 3, commandLine: `node ${workspace.path("tools/server/server.mjs")}` }
  const plan = { command: forks, shell: escaping, server: forks, extension: forks }
  expect(withoutEscaped({ workspace }, plan, [nap("shell", 1), nap("command", 2), program])).toEqual([
    nap("command", 2),
    program,
  ])
})
