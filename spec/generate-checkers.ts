// Runs before the tests, so that they never see checkers of an older schema.
import { execFileSync } from "node:child_process"
import { fileURLToPath } from "node:url"

export default function generateCheckers(): void {
  execFileSync(process.execPath, [fileURLToPath(new URL("../scripts/generate.ts", import.meta.url)), "--check"], {
    stdio: "inherit",
  })
}
