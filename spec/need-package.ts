// For tests that need another program: it is found or installed, or the test fails and says why. A test must not pass
// because its subject is missing.
import { execFileSync } from "node:child_process"

export function needPackage(program: string, debianPackage: string): void {
  if (isThere(program)) return
  if (process.getuid?.() !== 0) throw new Error(`${program} is missing; install the package ${debianPackage}.`)
  try {
    execFileSync("apt-get", ["update"], { stdio: "ignore" })
    execFileSync("apt-get", ["install", "-y", debianPackage], { stdio: "ignore" })
  } catch (fault) {
    throw new Error(`${program} is missing and ${debianPackage} could not be installed.`, { cause: fault })
  }
  if (!isThere(program)) throw new Error(`${debianPackage} was installed, and ${program} still cannot be run.`)
}

function isThere(program: string): boolean {
  try {
    execFileSync(program, ["--version"], { stdio: "ignore" })
    return true
  } catch {
    return false
  }
}
