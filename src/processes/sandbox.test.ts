import { spawn } from "node:child_process"
import { once } from "node:events"
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { needPackage } from "../../spec/need-package.ts"
import { bwrapArguments } from "./bwrap-arguments.ts"
import { findBwrap, bwrapProblem } from "./bwrap-trial.ts"
import { cleanUp, freshMark, markedPids } from "./fixtures/marked.ts"
import { nastyTools } from "./fixtures/nasty-tools.ts"
import { spawnGated, type GatedProcess, type GatedRequest } from "./gated-process.ts"
import { runningProcesses } from "./process-table.ts"
import { openSandbox, type SandboxOptions } from "./sandbox.ts"

const isRoot = process.getuid?.() === 0
const soon = { timeout: 20_000, interval: 50 }
const env = { PATH: process.env["PATH"] ?? "" }
let root = ""
let home = ""
let work = ""
let mark = ""
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "sandbox-")))
  home = join(root, "home")
  work = join(root, "work")
  mkdirSync(home)
  mkdirSync(work)
  writeFileSync(join(home, "secret.key"), "the key")
  mark = freshMark()
})
afterEach(async () => {
  await cleanUp(mark)
  for (const pid of withWord(mark)) process.kill(Number(pid), "SIGKILL") // one that got away after all
  rmSync(root, { recursive: true })
})

function open(change: Partial<SandboxOptions> = {}) {
  const warnings: string[] = []
  const warn = (sentence: string) => void warnings.push(sentence)
  return { warnings, sandbox: openSandbox({ mode: "require", hidden: [home], warn, ...change }) }
}

async function start(script: string, change: Partial<SandboxOptions> = {}, stdin?: GatedRequest["stdin"]) {
  const command = await open(change).sandbox.wrap({ command: "sh", args: ["-c", script] }, work)
  const gated = await spawnGated({ ...command, cwd: work, env, mark, stdin })
  gated.go()
  return gated
}

async function outputOf(script: string, change: Partial<SandboxOptions> = {}): Promise<string> {
  const gated = await start(script, change)
  const [printed, complaints] = await Promise.all([text(gated.stdout), text(gated.stderr)])
  return printed + complaints
}

/** Pids of processes with a word on their command line, also without their environment. */
function withWord(word: string): string[] {
  return readdirSync("/proc").filter((pid) => /^\d+$/.test(pid) && commandLine(pid).includes(word))
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8")
  } catch {
    return "" // it has ended in the meantime
  }
}

describe("in the sandbox", () => {
  beforeAll(() => needPackage("bwrap", "bubblewrap"))

  it("a hidden folder is empty and read-only, and everything else is unchanged", async () => {
    writeFileSync(join(work, "mine"), "content")
    expect(await outputOf(`ls -A ${home}; cat ${home}/secret.key`)).toMatch(/^cat: .*No such file or directory\n$/)
    expect(await outputOf(`echo x > ${home}/planted`)).toContain("Read-only file system")
    expect(await outputOf("pwd; cat mine; echo more > other")).toBe(`${work}\ncontent`)
    expect(readFileSync(join(work, "other"), "utf8")).toBe("more\n")
    expect(readdirSync(home)).toEqual(["secret.key"])
  })

  it("hides a folder that is reached by a link, one inside the working folder, and several at once", async () => {
    const inside = join(work, "inside")
    mkdirSync(inside)
    writeFileSync(join(inside, "x"), "")
    symlinkSync(home, join(root, "link"))
    const hidden = [join(root, "link"), inside, join(home, "sessions")]
    expect(await outputOf(`ls -A ${home} ${join(root, "link")}/ inside; ls`, { hidden })).toBe(
      `${home}:\n\n${join(root, "link")}/:\n\ninside:\ninside\n`,
    )
  })

  it("shows a folder inside a hidden one read-only and ignores a missing one", async () => {
    const shown = [join(home, "fence"), join(home, "missing")]
    mkdirSync(join(home, "fence"))
    writeFileSync(join(home, "fence", "held"), "")
    expect(await outputOf(`ls -A ${home} ${home}/fence`, { shown })).toBe(`${home}:\nfence\n\n${home}/fence:\nheld\n`)
    for (const command of ["touch fence/forged", "rm fence/held", "touch forged", "mv fence other"])
      expect(await outputOf(`cd ${home}; ${command}`, { shown })).toMatch(/Read-only file system|resource busy/)
    expect(readdirSync(join(home, "fence"))).toEqual(["held"])
  })

  it("creates a missing hidden folder, private to its owner, before a command can", async () => {
    const hidden = [join(root, "later", "sessions")]
    expect(await outputOf(`mkdir -p ${hidden[0]}/x`, { hidden })).toContain("Read-only file system")
    expect(statSync(hidden[0] ?? "").mode & 0o777).toBe(0o700)
    expect(readdirSync(hidden[0] ?? "")).toEqual([])
  })

  it("skips a folder that cannot be created", async () => {
    writeFileSync(join(root, "file"), "")
    expect(await outputOf("echo fine", { hidden: [home, "/proc/sessions", join(root, "file", "x")] })).toBe("fine\n")
  })

  it("a protected file or folder can be read, and not changed, replaced, created or moved away from above", async () => {
    mkdirSync(join(root, "user"))
    const plugins = join(root, "user", "synaps", "plugins")
    const config = join(work, "config.json")
    writeFileSync(config, "{}")
    mkdirSync(plugins, { recursive: true })
    writeFileSync(join(plugins, "guard.py"), "guard")
    const readOnly = () => [join(root, "user", "synaps"), join(root, "user", "later"), config]
    expect(await outputOf(`cat ${plugins}/guard.py config.json`, { readOnly })).toBe("guard{}")
    const attempts = [
      `sed -i s/guard/x/ ${plugins}/guard.py`,
      `mkdir ${plugins}/evil`,
      `rm -r ${plugins}`,
      `mv ${join(root, "user", "synaps")} gone`,
      `mv ${join(root, "user")} gone`,
      `mv ${root} ${root}-gone`,
      `mkdir -p ${join(root, "user", "later", "evil")}`,
      `echo x > config.json`,
      `echo x > other.json && mv other.json config.json`,
      `rm config.json`,
    ]
    for (const attempt of attempts)
      expect(`${attempt}: ${await outputOf(attempt, { readOnly })}`).toMatch(/Read-only file system|busy/)
    expect(readFileSync(join(plugins, "guard.py"), "utf8")).toBe("guard")
    expect(readFileSync(config, "utf8")).toBe("{}")
    expect(readdirSync(join(root, "user", "later"))).toEqual([])
  })

  it("with writable folders everything else is read-only, and hidden folders stay hidden", async () => {
    mkdirSync(join(home, "data"))
    mkdirSync(join(root, "else"))
    const limits = { writable: [work, home], opened: [join(home, "data")], hasNetwork: false }
    const script = `touch mine ${home}/data/own; touch ${root}/else/x; touch ${home}/x; ls ${home}; cat /proc/net/dev`
    const command = await open().sandbox.wrap({ command: "sh", args: ["-c", script] }, work, limits)
    const gated = await spawnGated({ ...command, cwd: work, env, mark })
    gated.go()
    const [printed, complaints] = await Promise.all([text(gated.stdout), text(gated.stderr)])
    expect(complaints).toMatch(/else\/x.*Read-only file system\n.*home\/x.*Read-only file system\n$/)
    expect(printed).toMatch(/^data\n/)
    expect(printed.match(/^ *\w+:/gm)).toEqual(["    lo:"])
    expect([existsSync(join(work, "mine")), existsSync(join(home, "data", "own"))]).toEqual([true, true])
  })

  it("no command runs in a folder that is hidden from it", async () => {
    const { sandbox } = open()
    mkdirSync(join(home, "deep"))
    symlinkSync(join(home, "deep"), join(work, "link"))
    expect(await sandbox.problem(work)).toBeUndefined()
    for (const cwd of [home, join(home, "deep"), join(work, "link")]) {
      expect(await sandbox.problem(cwd)).toBe(
        `The working folder ${cwd} is inside a folder of Turnhouse, which tools cannot access.`,
      )
    }
  })

  it("commands see no outside process, and no hidden folder through one", async () => {
    const seen = await outputOf(
      `cat /proc/1/comm; ls -d /proc/${process.pid}/root${home}/secret.key; cat /proc/*/root${home}/secret.key`,
    )
    expect(seen).toContain("bwrap\n")
    expect(seen).not.toContain("the key")
    expect(seen).toContain(`/proc/${process.pid}/root`)
  })

  it("the mount that hides a folder cannot be removed", async () => {
    const attempts = [
      `umount ${home}`,
      `unshare -m umount ${home}`,
      `unshare -Urm umount ${home}`,
      `unshare -Urm sh -c 'mkdir all && mount --bind / all && cat all${home}/secret.key'`,
      `nsenter -t 1 -m cat ${home}/secret.key`,
    ]
    const script = attempts.map((attempt) => `${attempt}; cat ${home}/secret.key`).join("; ")
    expect(await outputOf(script)).not.toContain("the key")
  })

  it.runIf(isRoot)("root cannot access disks or make the kernel run a program outside", async () => {
    const look = `for node in $(find /dev); do [ -b $node ] && echo $node; done; [ -w /proc/sys/kernel/core_pattern ] && echo pattern; [ -w /sys/kernel ] && echo sys; mknod disk b 7 0`
    expect(await outputOf(look)).toMatch(/^mknod: .*Operation not permitted\n$/)
  })

  it.runIf(isRoot)("works for an ordinary user", async () => {
    chmodSync(root, 0o755)
    const inner = `ls -A ${home}; id -u; trap '' TERM; echo ready; while :; do sleep 1; done`
    const args = [...bwrapArguments({ hidden: [home] }, work, false, () => true), "sh", "-c", inner]
    const child = spawn(findBwrap() ?? "", args, { uid: 65534, gid: 65534, detached: true, env, stdio: "pipe" })
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
    expect([(await lines.next()).value, (await lines.next()).value]).toEqual(["65534", "ready"])
    process.kill(-(child.pid ?? 0), "SIGKILL")
    await once(child, "close")
    await expect.poll(() => withWord(home), soon).toEqual([])
  })
})

describe("a sandboxed process", () => {
  beforeAll(() => needPackage("bwrap", "bubblewrap"))

  it("has the command's exit code, stdin, stdout and stderr", async () => {
    const gated = await start("cat; echo bad >&2; exit 3", {}, { text: "given" })
    expect(await Promise.all([text(gated.stdout), text(gated.stderr), gated.exited])).toEqual([
      "given",
      "bad\n",
      { code: 3, signal: null },
    ])
  })

  it("reports a missing command as without a sandbox, and a signal as shells do", async () => {
    const command = await open().sandbox.wrap({ command: "no-such-command", args: [] }, work)
    const missing = await spawnGated({ ...command, cwd: work, env, mark })
    missing.go()
    expect(await text(missing.stderr)).toContain("not found")
    expect(await missing.exited).toEqual({ code: 127, signal: null })
    expect(await (await start("kill -9 $$")).exited).toEqual({ code: 137, signal: null })
  })

  it("has had no effect when it is abandoned", async () => {
    const command = await open().sandbox.wrap({ command: "touch", args: ["done"] }, work)
    const gated = await spawnGated({ ...command, cwd: work, env, mark })
    gated.abandon()
    expect(await gated.exited).toEqual({ code: 125, signal: null })
    expect(existsSync(join(work, "done"))).toBe(false)
  })

  async function membersOf({ process: { group } }: GatedProcess) {
    return (await runningProcesses()).filter((one) => one.group === group)
  }

  it.each(
    Object.entries({
      ...nastyTools,
      "does all to get away": "setsid env -i sh -c ': MARK; trap : TERM; echo ready; while :; do sleep 1; done' & wait",
    }),
  )("is gone with all it started when it is killed, although it %s", async (_, script) => {
    const gated = await start(`: ${mark}; ${script.replace("MARK", mark)}`)
    await once(gated.stdout, "data")
    expect(withWord(mark)).not.toEqual([])
    expect(await gated.kill()).toBe(true)
    expect(await membersOf(gated)).toEqual([])
    expect(await markedPids(mark)).toEqual([])
    expect(withWord(mark)).toEqual([])
  })

  it("may print after SIGTERM", async () => {
    const gated = await start("trap 'echo bye; exit' TERM; echo ready; sleep 300 & wait")
    await once(gated.stdout, "data")
    const lastWords = text(gated.stdout)
    expect(await gated.kill()).toBe(true)
    expect(await lastWords).toBe("bye\n")
  })

  it("may leave background processes, which continue in its group", async () => {
    const gated = await start("(while [ ! -e stop ]; do sleep 0.02; done; touch stopped) >/dev/null 2>&1 & echo begun")
    await once(gated.stdout, "data")
    expect(await gated.exited).toEqual({ code: 0, signal: null })
    expect(await gated.isAlive()).toBe(true)
    writeFileSync(join(work, "stop"), "")
    await expect.poll(() => existsSync(join(work, "stopped")), soon).toBe(true)
    await expect.poll(() => gated.isAlive(), soon).toBe(false)
  })

  it("does not outlive a host that is killed with -9", async () => {
    const script = fileURLToPath(new URL("./fixtures/host.ts", import.meta.url))
    const host = spawn(process.execPath, [script, mark, join(work, "done"), home], {
      stdio: ["ignore", "pipe", "inherit"],
    })
    const [line]: unknown[] = await once(createInterface(host.stdout), "line")
    expect(withWord(home).length).toBeGreaterThan(5)
    host.kill("SIGKILL")
    await once(host, "exit")
    await expect.poll(() => withWord(home), soon).toEqual([])
    await expect.poll(() => markedPids(mark), soon).toEqual([])
    const { groups } = JSON.parse(String(line)) satisfies { groups: number[] }
    const left = async () => (await runningProcesses()).filter((one) => groups.includes(one.group))
    await expect.poll(left, soon).toEqual([])
    expect(existsSync(join(work, "done"))).toBe(false)
  })
})

describe("where bubblewrap does not work", () => {
  const plain = { command: "sh", args: ["-c", "true"] }

  function program(name: string, script: string): string {
    const path = join(root, name)
    writeFileSync(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 })
    return path
  }

  it("auto runs without it and warns once", async () => {
    const bwrap = program("bwrap", "echo 'bwrap: No permissions to create new namespace' >&2; exit 1")
    const { sandbox, warnings } = open({ mode: "auto", bwrap })
    const reason = `${bwrap} does not work here (bwrap: No permissions to create new namespace)`
    expect(await sandbox.wrap(plain, work)).toEqual(plain)
    expect(await sandbox.problem(work)).toBeUndefined()
    expect(await sandbox.state()).toEqual({ kind: "off", reason })
    expect(warnings).toEqual([
      `Tool commands run without a sandbox: ${reason}. A shell command could approve its own calls.`,
    ])
  })

  it("auto runs nothing if it worked before, and retries with the next command", async () => {
    const memory = join(root, "sandbox-works")
    const bwrap = program("bwrap", `[ -e ${join(root, "repaired")} ] || { echo 'no space left' >&2; exit 1; }`)
    writeFileSync(memory, "")
    const { sandbox, warnings } = open({ mode: "auto", bwrap, memory })
    expect(await sandbox.problem(work)).toBe(
      `The sandbox worked in this home before and does not work now: ${bwrap} does not work here (no space left). Fix it, or set "tools.sandbox" to "off".`,
    )
    writeFileSync(join(root, "repaired"), "")
    expect(await sandbox.problem(work)).toBeUndefined()
    expect(await sandbox.state()).toEqual({ kind: "on" })
    expect(warnings).toEqual([])
  })

  it("records that it has worked", async () => {
    const memory = join(root, "sandbox-works")
    const { sandbox } = open({ mode: "auto", bwrap: program("bwrap", "true"), memory })
    expect(await sandbox.state()).toEqual({ kind: "on" })
    expect(existsSync(memory)).toBe(true)
  })

  it("require runs nothing and names the reason", async () => {
    const { sandbox, warnings } = open({ bwrap: join(root, "missing") })
    expect(await sandbox.problem(work)).toMatch(
      /^The configuration requires a sandbox: .*missing does not work here \(.*ENOENT\)\.$/,
    )
    expect(warnings).toEqual([])
  })

  it("off does not test it", async () => {
    const bwrap = program("bwrap", `touch ${join(root, "tried")}`)
    const { sandbox, warnings } = open({ mode: "off", bwrap })
    expect(await sandbox.wrap(plain, work)).toEqual(plain)
    expect(await sandbox.state()).toMatchObject({ kind: "off" })
    expect({ warnings, tried: existsSync(join(root, "tried")) }).toEqual({ warnings: [], tried: false })
  })

  it("is tested once for any number of commands", async () => {
    const bwrap = program("bwrap", `echo tried >> ${join(root, "tried")}; exit 1`)
    const { sandbox } = open({ mode: "auto", bwrap })
    await Promise.all([sandbox.wrap(plain, work), sandbox.problem(work), sandbox.state()])
    await sandbox.wrap(plain, work)
    expect(readFileSync(join(root, "tried"), "utf8")).toBe("tried\n")
  })

  it("a program that hides nothing or does not respond is detected", async () => {
    const lazy = program("lazy", `while [ "$1" != -- ]; do shift; done; shift; exec "$@"`)
    expect(await bwrapProblem(lazy, [home])).toBe(`${lazy} does not work here (${home} can be seen)`)
    const mute = program("mute", "exec sleep 300")
    expect(await bwrapProblem(mute, [home], { timeoutMs: 100 })).toBe(`${mute} did not answer within 0.1 s`)
    expect(await bwrapProblem(undefined, [home])).toBe("bubblewrap (bwrap) is not installed")
  })

  it("the system's program has priority", () => {
    needPackage("bwrap", "bubblewrap")
    program("bwrap", "")
    expect(findBwrap(root)).not.toBe(join(root, "bwrap"))
  })
})
