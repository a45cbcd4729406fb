import { describe, expect, it } from "vitest"
import { installCommand, offerBubblewrap, type Confirmation, type Installer } from "./install-bubblewrap.ts"

describe.runIf(process.platform === "linux")("the command that installs bubblewrap", () => {
  it("is that of the distribution, with sudo for other users than root", () => {
    const onDebian = (path: string) => path === "/usr/bin/apt-get"
    expect(installCommand(onDebian, true)).toEqual(["/usr/bin/apt-get", "install", "-y", "bubblewrap"])
    expect(installCommand(onDebian, false)).toEqual(["sudo", "/usr/bin/apt-get", "install", "-y", "bubblewrap"])
    expect(installCommand((path) => path === "/sbin/apk", true)).toEqual(["/sbin/apk", "add", "bubblewrap"])
  })

  it("is unknown where no known package manager is installed", () => {
    expect(installCommand(() => false, true)).toBeUndefined()
  })
})

describe("the offer to install bubblewrap", () => {
  const command = ["/usr/bin/apt-get", "install", "-y", "bubblewrap"]

  /** A machine without bubblewrap, and what happens on it. */
  function machine(change: Partial<Confirmation & Installer> = {}) {
    const seen = { questions: [] as string[], ran: [] as (readonly string[])[] }
    const deps: Confirmation & Installer = {
      isInstalled: () => seen.ran.length > 0,
      command: () => command,
      canAsk: () => true,
      confirm: async (question) => seen.questions.push(question) > 0,
      run: async (ran) => seen.ran.push(ran) > 0,
      ...change,
    }
    return { seen, deps }
  }

  it("installs after a yes", async () => {
    const { seen, deps } = machine()
    expect(await offerBubblewrap(deps, deps)).toBe(true)
    expect(seen).toEqual({
      questions: ["Install bubblewrap now (/usr/bin/apt-get install -y bubblewrap)?"],
      ran: [command],
    })
  })

  it("installs nothing after a no, without a terminal, or where it is installed", async () => {
    for (const change of [
      { confirm: async () => false },
      { canAsk: () => false },
      { isInstalled: () => true },
      { command: () => undefined },
    ]) {
      const { seen, deps } = machine(change)
      expect(await offerBubblewrap(deps, deps)).toBe(false)
      expect(seen.ran).toEqual([])
    }
  })

  it("reports an installation that failed", async () => {
    const { deps } = machine({ run: async () => false })
    expect(await offerBubblewrap(deps, deps)).toBe(false)
  })
})
