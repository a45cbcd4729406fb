// For tests that need another program: it is found or installed, or the test fails and says why. A test must not pass
// because its subject is missing.
import { execFileSync } from "node:child_process"
import { tmpdir } from "node:os"
import { join } from "node:path"

export function needPackage(program: string, debianPackage: string): void {
  if (isThere(program)) return
  if (process.getuid?.() !== 0) throw new Error(`${program} is missing; install the package ${debianPackage}.`)
  try {
    const lock = join(tmpdir(), "turnhouse-need-package.lock") // two test files may need the same package
    const install = `apt-get update && apt-get install -y ${debianPackage}`
    execFileSync("flock", [lock, "sh", "-c", install], { stdio: "ignore" })
  } catch (fault) {
    throw new Error(`${program} is missing and ${debianPackage} could not be installed.`, { cause: fault })
  }
  if (!isThere(program)) throw new Error(`${debianPackage} was installed, and ${program} is still missing.`)
}

function isThere(program: string): boolean {
  try {
    execFileSync("sh", ["-c", 'command -v "$0"', program], { stdio: "ignore" })
    return true
  } catch {
    return false
  }
}
