// For tests of programs that import `turnhouse/NAME`: makes dist/ if it is older than src/.
import { execFileSync } from "node:child_process"
import { fileURLToPath } from "node:url"

const script = fileURLToPath(new URL("../scripts/build.ts", import.meta.url))

export function needBuild(): void {
  execFileSync(process.execPath, [script, "--if-changed"], { stdio: "inherit" })
}
