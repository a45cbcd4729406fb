// The project of the first story: a bug, its test, a git repository with a remote, and what the model says about it.
import { storyPush, storyRemoteLog } from "../../../contract/rules/stories.ts"
import type { Part, Script } from "../../../models/offline/part.ts"
import { createRepository } from "../repository.ts"
import type { Workspace } from "../workspace.ts"

const buggy = `/** The refund for an order, in euros. */
export function refund(price, rate) {
  return Math.floor(price * rate * 100) / 100
}
`

const test = `import assert from "node:assert/strict"
import { refund } from "./refund.mjs"

assert.equal(refund(20, 0.5), 10)
assert.equal(refund(1.15, 1), 1.15)
console.log("2 refunds are right")
`

export const testCommand = "node refund.test.mjs"
export const changedFile = "refund.mjs"
const commitCommand = 'git commit -qam "Round refunds to the nearest cent"'

const say = (text: string): Part => ({ text })
const bash = (command: string): Part => ({ call: { tool: "bash", input: { command } } })

const script: Script = {
  delayMs: 8,
  steps: [
    [
      say("I read the code that computes refunds and run its test."),
      { call: { tool: "read", input: { path: changedFile } } },
      bash(testCommand),
    ],
    [
      say("1.15 * 100 is 114.99999999999999 for a computer, and `floor` loses the cent. Rounding keeps it."),
      {
        call: {
          tool: "edit",
          input: { path: changedFile, old_string: "Math.floor", new_string: "Math.round" },
        },
      },
    ],
    [say("Now the test again."), bash(testCommand)],
    [say("It passes. I commit the change."), bash(commitCommand)],
    [say("Now I push it, if you allow that."), bash(storyPush)],
    [say("Pushed. I look at what the remote has."), bash(storyRemoteLog)],
    [say("The remote has the fix once. Refunds are rounded to the nearest cent.")],
  ],
}

export interface PushProject {
  readonly folder: string
  readonly remote: string
}

/** The configuration allows reading, editing, testing and committing; a push needs an approval. */
export async function createPushProject(workspace: Workspace): Promise<PushProject> {
  const model = workspace.writeJson("scripted-model.json", script)
  workspace.writeJson("home/config.json", {
    model: `offline/script:${model}`,
    tools: {
      allow: ["edit", `bash(${testCommand})`, "bash(git commit:*)", `bash(${storyRemoteLog})`],
      confirm: ["bash(git push:*)"],
    },
  })
  workspace.write(`project/${changedFile}`, buggy)
  workspace.write("project/refund.test.mjs", test)
  const folder = workspace.path("project")
  return { folder, remote: await createRepository(workspace, folder) }
}
