// A shell hook that refuses a prompt, through the real program.
import { expect, it } from "vitest"
import { expectNoStack } from "./complaints.ts"
import { expectIdle } from "./history.ts"
import { newPlace } from "./turnhouse.ts"

it("a hook that exits with 2 refuses the prompt; the next prompt runs", async (test) => {
  const place = newPlace(test)
  const command = `grep -q secret && { echo "no secrets, please" >&2; exit 2; } || exit 0`
  place.config({ hooks: { UserPromptSubmit: [{ hooks: [{ type: "command", command }] }] } })
  const model = place.script([[{ text: "Hello." }]])
  const ended = await place.run("run", "my secret", "--model", model)
  expectNoStack(ended)
  expect(ended.code).toBe(1)
  expect(ended.stderr).toContain("turn failed: A hook refused the prompt: no secrets, please")
  expect(ended.stderr).not.toContain("To continue")
  expectIdle(await place.log(await place.newest()))
  expect(await place.run("run", "-c", "hello")).toMatchObject({ code: 0, stdout: "Hello.\n" })
})
