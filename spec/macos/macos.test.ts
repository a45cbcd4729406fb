// macOS without a Mac: what belongs to Linux is used behind a guard only, and the program works where Node reports macOS,
// without /proc and /sys. Not covered: the kernel, file system and shell of macOS, and packages that exist per platform.
import { globSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it, type TestContext } from "vitest"
import { newPlace, type Place } from "../e2e/turnhouse.ts"

const root = join(import.meta.dirname, "../..")
const onLinux = /process\.platform [!=]== "linux"/
const inShell = /\[ -r \/proc\/self\/stat \]/
const caught = /\} catch( \(\w+\))? \{/

/** Modules that name something of Linux, and what keeps it from macOS. */
const guarded: Readonly<Record<string, RegExp>> = {
  "src/app/demo/end-programs.ts": onLinux,
  "src/app/prove/disk/faults/fault-tools.ts": onLinux,
  "src/app/prove/disk/faults/file-limit.ts": /prlimit/, // used where fault-tools.ts has found it
  "src/app/prove/disk/faults/full-disk.ts": /holder\.pid/, // used where fault-tools.ts has found a mount namespace
  "src/app/prove/fuzz/engine/bounds.ts": caught,
  "src/app/prove/fuzz/real/real-process.ts": caught,
  "src/app/prove/secrets/secret-home.ts": onLinux,
  "src/config/home.ts": /home\.startsWith\("\/proc\/"\)/, // compares a path
  "src/config/instructions/read-file.ts": onLinux,
  "src/features/locks/store/git-hook.ts": /\[ -z "\$until" \] && continue/, // without a time in the file, as elsewhere
  "src/log/process-identity.ts": onLinux,
  "src/models/credentials/aws/aws-source.ts": onLinux,
  "src/processes/bwrap-arguments.ts": /bwrapArguments/, // used after bwrap-trial.ts only
  "src/processes/mark.ts": onLinux,
  "src/processes/peer-process.ts": onLinux,
  "src/processes/process-table.ts": onLinux,
  "src/processes/reaper.ts": inShell,
  "src/processes/tool-limit.ts": onLinux,
  "src/tools/files/held-folder.ts": onLinux,
  "src/transports/reader-watch.ts": caught, // poll() exists on macOS; without a library the watch is off
  "src/transports/socket-address.ts": onLinux,
}
const linuxOnly = /\/proc\b|\/sys\/|SO_PEERCRED|prctl|prlimit|koffi|\/dev\/shm|O_PATH|inotify/

describe("what belongs to Linux", () => {
  const modules = globSync("src/**/*.ts", { cwd: root }).filter((path) => !/\.test\.ts$|fixtures|generated/.test(path))
  const textOf = (path: string) => readFileSync(join(root, path), "utf8")

  it("is named in the listed modules only", () => {
    const found = modules.filter((path) => linuxOnly.test(withoutComments(textOf(path))))
    expect(found.toSorted()).toEqual(Object.keys(guarded))
  })

  it("is behind a guard in each of them", () => {
    const open = Object.entries(guarded).filter(([path, guard]) => !guard.test(textOf(path)))
    expect(open.map(([path]) => path)).toEqual([])
  })
})

describe("where Node reports macOS, without /proc and /sys", () => {
  it("a turn runs tools, a file is written, and the session continues in a background host", async (test) => {
    const mac = macPlace(test)
    mac.write("package.json", '{ "name": "on-a-mac" }')
    expect(await mac.run("run", "read package.json and tell me the name")).toMatchObject({ code: 0 })
    expect(await mac.run("run", "write hello to hello.txt", "--yes")).toMatchObject({ code: 0 })
    expect(mac.read("hello.txt").trim()).toBe("hello")
    const { code, stdout } = await mac.run("new")
    expect(code).toBe(0)
    expect(await mac.run("run", "--session", stdout.trim(), "what files are here")).toMatchObject({ code: 0 })
    expect(await mac.run("host", "--stop")).toMatchObject({ code: 0 })
  })

  it("doctor names what is missing there", async (test) => {
    const { stdout } = await macPlace(test).run("doctor")
    expect(stdout).toContain("darwin")
    expect(stdout).toContain("processes that leave their group are not found")
  })
})

/** Node is started by a script that preloads the fixture; `sysctl` of macOS is another one. */
function macPlace(test: TestContext): Pick<Place, "run" | "write" | "read"> {
  const place = newPlace(test)
  const preload = join(import.meta.dirname, "fixtures/as-macos.mjs")
  const node = script(place, "node-as-macos", `AS_MACOS_NODE=$0 exec '${process.execPath}' --import '${preload}' "$@"`)
  script(place, "sysctl", "echo 5e551011-0000-4000-8000-000000000001")
  const env = { TURNHOUSE_NODE: node, PATH: `${place.root}:/usr/bin:/bin` }
  return {
    run: (...args) => place.start(args, { env }).ended,
    write: (name, text) => place.write(name, text),
    read: (name) => place.read(name),
  }
}

function script(place: Place, name: string, line: string): string {
  const path = join(place.root, name)
  writeFileSync(path, `#!/bin/sh\n${line}\n`, { mode: 0o755 })
  return path
}

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\//g, "").replaceAll(/(^|\s)\/\/.*$/gm, "")
}
