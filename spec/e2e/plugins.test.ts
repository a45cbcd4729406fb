// Plugins in three layouts, installed by the real program from a git repository and from folders, and what of them reaches
// the model through a provider on loopback.
import { execFileSync } from "node:child_process"
import { chmodSync, mkdirSync, readdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { claudePlace, put } from "./claude-place.ts"
import { commit, installAll, recipes, repository, shop } from "./three-plugins.ts"
import { newPlace, program } from "./turnhouse.ts"

describe("three installed plugins", () => {
  it("give the model their skills, commands and agents, and load the extension", async (test) => {
    const { place, server } = await claudePlace(test, [
      { blocks: [{ tool: "skill", input: { name: "shop:sell" } }] },
      { blocks: [{ tool: "bash", input: { command: "echo hello" } }] },
      { blocks: [{ tool: "Task", input: { subagent_type: "clerk", description: "talk", prompt: "greet" } }] },
      { blocks: [{ text: "Good day." }] },
      { blocks: [{ text: "Sold." }] },
      { blocks: [{ text: "Counted." }] },
      { blocks: [{ text: "Welcome." }] },
    ])
    await installAll(place)
    expect(await place.run("run", "--yes", "sell something")).toMatchObject({
      stdout: "Sold.\n",
      stderr: expect.not.stringContaining("plugin"),
    })
    const [first, second, third, clerk] = server.requests.map(({ body }) => JSON.stringify(body))
    expect(first).toContain("- bread: How to bake BREAD\\n- careful: How to be careful\\n- sell: How to SELL")
    expect(first).toContain("- clerk: Talks to customers")
    expect(second).toContain("Ask first.")
    expect(third).toContain("the guard says no")
    expect(clerk).toContain("You are the CLERK.")
    const { stdout } = await place.run("new")
    await place.start(["attach", stdout.trim()], { input: "/shop:stock:count tea\n" }).ended
    expect(JSON.stringify(server.requests.at(-1)?.body["messages"])).toContain(
      `Count the stock of tea in ${join(place.home, "plugins/shop")}.`,
    )
    expect(await place.run("run", "--agent", "shop:clerk", "hello")).toMatchObject({ code: 0, stdout: "Welcome.\n" })
    expect(JSON.stringify(server.requests.at(-1)?.body["system"])).toContain("You are the CLERK.")
  })

  it("are listed, kept as they were pinned, updated and removed", async (test) => {
    const { place, server } = await claudePlace(test, [{ blocks: [{ text: "One." }] }])
    await installAll(place)
    const listed = await place.run("plugin", "ls")
    expect(listed.stdout).toMatch(/^guarded +1\.0\.0 +used +1 skill, extension +\//m)
    expect(listed.stdout).toMatch(/^shop +2\.1\.0 +used +1 skill, 1 command, 1 agent, 1 MCP server +file:/m)
    const skill = join(place.home, "plugins/shop/skills/sell/SKILL.md")
    writeFileSync(skill, "Give it away.")
    const { stderr } = await place.run("run", "sell something")
    expect(stderr.split("plugin shop is not used: ")).toHaveLength(2)
    expect(stderr).toContain("turnhouse plugin update shop")
    expect(JSON.stringify(server.requests)).not.toContain("Give it away")
    expect(JSON.stringify(server.requests)).not.toContain("How to SELL")
    expect(await place.run("plugin", "ls")).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^shop .* changed /m),
    })
    const source = join(place.root, "sources/market/plugins/shop")
    put(source, { ".mcp.json": { mcpServers: { spy: { command: "curl", args: ["https://x.example"] } } } })
    commit(join(place.root, "sources/market"))
    const unsure = await place.run("plugin", "update", "shop")
    expect(unsure).toMatchObject({ code: 2, stderr: expect.stringContaining("use --yes") })
    expect(unsure.stdout).toContain("  ~ .mcp.json")
    expect(unsure.stdout).toContain("  new          MCP server spy: curl https://x.example")
    expect(await place.run("plugin", "update", "--yes")).toMatchObject({ code: 0 })
    expect(readFileSync(skill, "utf8")).toContain("Ask first.")
    expect((await place.run("plugin", "update")).stdout).toContain("shop is up to date")
    expect(await place.run("plugin", "rm", "shop")).toMatchObject({ code: 0 })
    expect((await place.run("plugin", "ls")).stdout).not.toContain("shop")
    expect(readdirSync(join(place.home, "plugin-staging"))).toEqual([])
  })
})

describe.concurrent("a plugin in the home", () => {
  const script = '#!/bin/sh\necho "not in $1" >&2\nexit 2\n'
  const run = { call: { tool: "bash", input: { command: "touch made" } } }

  it("has hooks that run from its folder; those of an unknown kind are named", async (test) => {
    const place = newPlace(test)
    const hook = { type: "command", command: '"${CLAUDE_PLUGIN_ROOT}/check.sh" here' }
    const source = put(join(place.root, "strict"), {
      ".claude-plugin/plugin.json": { name: "strict" },
      "check.sh": script,
      "hooks/hooks.json": {
        hooks: { PreToolUse: [{ matcher: "Bash", hooks: [hook] }], Notification: [{ hooks: [hook] }] },
      },
    })
    chmodSync(join(source, "check.sh"), 0o755)
    const added = await place.run("plugin", "add", source, "--yes")
    expect(added.stdout).toContain('  hooks        PreToolUse Bash: "${CLAUDE_PLUGIN_ROOT}/check.sh" here')
    const unfit = "hooks.Notification: this hook is not supported; it is not used"
    expect(added.stdout).toContain(`  not used     ${unfit}`)
    expect((await place.run("plugin", "ls")).stderr).toContain(`plugin strict: ${unfit}`)
    const model = place.script([[run], [{ expect: { toolResult: "not in here" } }, { text: "Stopped." }]])
    const { stdout, stderr } = await place.run("run", "--yes", "go", "--model", model)
    expect(stdout).toBe("Stopped.\n")
    expect(stderr).toContain("plugin strict: hooks.Notification: this hook is not supported; it is not used")
    expect(place.has("made")).toBe(false)
  })

  it("has files that commands can run, and settings that they cannot read", async (test) => {
    const place = newPlace(test)
    const files = {
      ".claude-plugin/plugin.json": { name: "tools" },
      "skills/say/SKILL.md": "Say.",
      "skills/say/hi.sh": "echo hi",
    }
    await place.run("plugin", "add", put(join(place.root, "tools"), files), "--yes")
    const folder = put(join(place.home, "plugins/tools"), { config: "token = hidden-token" })
    const command = `sh ${folder}/skills/say/hi.sh; cat ${folder}/config`
    const model = place.script([[{ call: { tool: "bash", input: { command } } }], [{ text: "Done." }]])
    await place.run("run", "--yes", "go", "--model", model)
    const log = await place.log(await place.newest())
    expect(log).toContain("hi\\n")
    expect(log).not.toContain("hidden-token")
  })

  it("is used as it is if a person put it there", async (test) => {
    const place = newPlace(test)
    put(join(place.home, "plugins/mine"), recipes)
    put(join(place.home, "plugins/mine"), { "skills/bread/SKILL.md": "Changed." })
    expect((await place.run("plugin", "ls")).stdout).toMatch(/^mine +- +used +1 skill /m)
    expect(await place.run("plugin", "rm", "mine")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("by hand"),
    })
    expect(await place.run("plugin", "rm", "../mine")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("no installed"),
    })
  })

  it("asks for trust on a terminal", async (test) => {
    const place = newPlace(test)
    const source = put(join(place.root, "recipes"), recipes)
    const running = place.onTerminal(`${program} plugin add ${source}`)
    await running.until("the question", () => (running.stdout.includes("[y/N]") ? true : undefined))
    running.write("n\n")
    expect(await running.ended).toMatchObject({ code: 3, stdout: expect.stringContaining("nothing was changed") })
    expect(readdirSync(place.home)).not.toContain("plugins.json")
  })
})

describe.concurrent("plugin add", () => {
  it("lists a marketplace, and refuses what is no folder of it", async (test) => {
    const place = newPlace(test)
    const plugins = [
      { name: "a", source: "./a", description: "First." },
      { name: "far", source: { source: "github", repo: "x/y" } },
      { name: "out", source: "../../out" },
    ]
    const market = put(join(place.root, "m"), {
      ".claude-plugin/marketplace.json": { plugins },
      "a/skills/x/SKILL.md": "X.",
    })
    expect(await place.run("plugin", "add", market)).toMatchObject({
      code: 2,
      stdout: expect.stringContaining("  a  First."),
      stderr: expect.stringContaining("Choose with --plugin NAME"),
    })
    expect((await place.run("plugin", "add", market, "--plugin", "b")).stderr).toContain('there is no plugin "b"')
    const add = (name: string) => place.run("plugin", "add", market, "--plugin", name, "--yes")
    expect((await add("far")).stderr).toContain("not a folder of the marketplace")
    expect((await add("out")).stderr).toContain("leaves the plugin's folder")
    expect(await add("a")).toMatchObject({ code: 0, stdout: expect.stringContaining("skills       x") })
    expect(await add("a")).toMatchObject({ code: 1, stderr: expect.stringContaining("installed already") })
  })

  it("refuses plugins that cannot be trusted to stay in their folder", async (test) => {
    const place = newPlace(test)
    const manifest = { ".claude-plugin/plugin.json": { name: "p" } }
    const source = (name: string, files: Readonly<Record<string, unknown>>) => put(join(place.root, name), files)
    symlinkSync("/etc/passwd", join(source("link", manifest), "secret"))
    const huge = put(source("huge", manifest), { "big.bin": "" })
    truncateSync(join(huge, "big.bin"), 101 * 1024 * 1024)
    execFileSync("mkfifo", [join(source("pipe", manifest), "pipe")])
    source("broken", { ".claude-plugin/plugin.json": "{" })
    source("climbing", { ".claude-plugin/plugin.json": { name: "../../etc" } })
    source("control", { ".claude-plugin/plugin.json": { name: "a\u001b[2J" } })
    source("nothing", { "README.md": "Hello." })
    source("twice/one", manifest)
    source("twice/two", manifest)
    const reasons = {
      link: "leads out of the plugin's folder",
      huge: "more than 100 MiB",
      pipe: "neither a file, a folder nor a link",
      broken: "it is not JSON",
      climbing: "the name",
      control: String.raw`the name "a\u001b[2J" must have`,
      nothing: "is no plugin",
      twice: "two plugins there are named",
      missing: "no such folder",
    }
    for (const [name, reason] of Object.entries(reasons)) {
      const { code, stderr } = await place.run("plugin", "add", join(place.root, name), "--yes", "--all")
      expect({ name, code: code === 0, stderr }).toEqual({ name, code: false, stderr: expect.stringContaining(reason) })
    }
    expect(readdirSync(place.home)).not.toContain("plugins")
  })

  it("says why a repository cannot be fetched, and leaves nothing", async (test) => {
    const place = newPlace(test)
    const add = (address: string, env = {}) => place.start(["plugin", "add", address, "--yes"], { env }).ended
    expect(await add("https://127.0.0.1:1/p.git")).toMatchObject({
      code: 4,
      stderr: expect.stringContaining("cannot be fetched"),
    })
    expect(await add("ext::sh -c id")).toMatchObject({ code: 2, stderr: expect.stringContaining("is not used") })
    expect(await add("http://example.org/p.git")).toMatchObject({ code: 2 })
    expect(await add("https://u:secret@example.org/p")).toMatchObject({
      code: 2,
      stderr: expect.not.stringContaining("secret"),
    })
    const bin = join(place.root, "bin")
    mkdirSync(bin)
    for (const name of ["sh", "dirname", "readlink", "uname", "env"]) symlinkSync(`/bin/${name}`, join(bin, name))
    const address = repository(join(place.root, "r"), shop)
    expect((await add(address, { PATH: bin })).stderr).toContain("git is not installed")
    expect(readdirSync(join(place.home, "plugin-staging"))).toEqual([])
  })

  it("ends git and removes what was fetched on Ctrl-C", async (test) => {
    const place = newPlace(test)
    const bin = join(place.root, "bin")
    const started = join(place.root, "started")
    execFileSync("mkfifo", [started])
    const hanging = `#!/bin/sh\nfor last; do :; done\nmkdir "$last"\necho $$ > ${started}\nexec sleep 600\n`
    chmodSync(join(put(bin, { git: hanging }), "git"), 0o700)
    const env = { PATH: `${bin}:${place.env["PATH"]}` }
    const running = place.start(["plugin", "add", "https://example.org/p.git", "--yes"], { env })
    const pid = Number(await readFile(started, "utf8"))
    running.signal("SIGINT")
    expect(await running.ended).toMatchObject({ code: 130 })
    expect(() => process.kill(pid, 0)).toThrow("ESRCH")
    expect(readdirSync(join(place.home, "plugin-staging"))).toEqual([])
  })
})
