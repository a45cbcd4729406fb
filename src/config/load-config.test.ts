import { execFile } from "node:child_process"
import { symlinkSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { describe, expect, it } from "vitest"
import { cwd, folder, home, load, problemsOf, root, write, useConfigPlace } from "../testing/config-place.ts"

useConfigPlace()

describe("the layers", () => {
  it("are nothing at all when there is no file", async () => {
    expect(await load()).toEqual({ config: {}, sources: [], warnings: [], ownPlaces: [], serverFiles: new Map() })
  })

  it("win key by key, later over earlier; lists are replaced", async () => {
    const files = [
      write("home/config.json", {
        model: "user",
        system: "user",
        server: { host: "::1", port: 1 },
        tools: { confirm: ["a"] },
      }),
      write("home/profiles/office/config.json", { model: "profile", server: { port: 2 }, tools: { deny: ["x", "y"] } }),
      write("project/turnhouse.json", { model: "project", system: "project" }),
      write("named.json", { model: "named", tools: { deny: ["z"] } }),
    ]
    const loaded = await load({ profile: "office", configFile: "../named.json", trust: folder("trusted") })
    expect(loaded).toEqual({
      config: {
        model: "named",
        system: "project",
        server: { host: "::1", port: 2 },
        tools: { confirm: ["a"], deny: ["z"] },
      },
      sources: files.map((path) => ({ path, trusted: true })),
      warnings: [],
      serverFiles: new Map(),
      ownPlaces: files.slice(3),
    })
  })

  it("return the folders that the user's own files name, without those of the project", async () => {
    write("home/config.json", { extensions: { paths: ["/mine", "/both"] }, skills: { paths: ["/skills"] } })
    write("project/turnhouse.json", { extensions: { paths: ["./plugins", "/both"] } })
    const named = write("named.json", { extensions: { paths: ["/other"] } })
    const { ownPlaces } = await load({ configFile: "../named.json", trust: folder("trusted") })
    expect(ownPlaces.toSorted()).toEqual(["/both", "/mine", "/other", "/skills", named].toSorted())
  })

  it("complete each other: a key may be in any of them", async () => {
    write("home/config.json", { providers: { mine: { type: "openai" } } })
    const configFile = write("named.json", { providers: { mine: { apiKey: "key" } } })
    expect((await load({ configFile })).config.providers).toEqual({ mine: { type: "openai", apiKey: "key" } })
  })

  it("replace a tool or a mail transport whole", async () => {
    const tool = (name: string, more: object = {}) => ({
      description: name,
      input: {},
      class: "read",
      run: [name],
      ...more,
    })
    write("home/config.json", {
      tools: { define: { a: tool("a", { class: "unsafe" }), b: tool("b") } },
      otp: { transport: { type: "smtp", url: "smtp://127.0.0.1:2525" } },
    })
    const configFile = write("named.json", { tools: { define: { a: tool("c") } }, otp: { transport: { type: "log" } } })
    expect((await load({ configFile })).config).toEqual({
      tools: { define: { a: tool("c"), b: tool("b") } },
      otp: { transport: { type: "log" } },
    })
  })

  it("take comments, trailing commas and a byte order mark", async () => {
    write(
      "home/config.json",
      '\ufeff{\n  // the model\n  "model": "a/b", /* and\n more */ "system": "// not one",\n}\n',
    )
    expect((await load()).config).toEqual({ model: "a/b", system: "// not one" })
  })

  it("load neither parser nor checker when there is no file, and no second parser for plain JSON", async () => {
    expect(await modulesLoaded()).toEqual([])
    write("home/config.json", { model: "x", tools: { deny: ["a:b", '"c":'] } })
    expect(await modulesLoaded()).toEqual(["combine-files", "config.js"])
    write("home/config.json", "{} // nothing")
    expect(await modulesLoaded()).toEqual(["combine-files", "jsonc-parser", "config.js"])
  })
})

/** Which of the heavy modules a process imports to load the configuration in `home`. */
async function modulesLoaded(): Promise<unknown> {
  const program = `
    import { registerHooks } from "node:module"
    const heavy = []
    registerHooks({ resolve(name, context, next) {
      const found = /jsonc-parser$|combine-files|config\\.js$|^zod/.exec(name)
      if (found) heavy.push(found[0])
      return next(name, context)
    } })
    const { loadConfig } = await import(${JSON.stringify(new URL("./load-config.ts", import.meta.url).href)})
    const [home] = process.argv.slice(1)
    await loadConfig({ env: {}, home, cwd: home, trust: { state: "nothing", folder: home, files: [], warnings: [] } })
    console.log(JSON.stringify([...new Set(heavy)]))
  `
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", program, home])
  return JSON.parse(stdout)
}

describe("a file that is named on the command line", () => {
  it("must exist", async () => {
    expect(await problemsOf(load({ configFile: "none.json" }))).toBe(
      "/project/none.json: file not found; check --config.",
    )
  })

  it("is refused when it is a profile that does not exist; those that do are named", async () => {
    expect(await problemsOf(load({ profile: "office" }))).toMatch(/profile not found; there are no profiles\.$/)
    write("home/profiles/play/config.json", {})
    expect(await problemsOf(load({ profile: "office" }))).toMatch(/profile not found; profiles: play\.$/)
    expect(await problemsOf(load({ profile: "../up" }))).toMatch(/Invalid profile name/)
  })

  it("may be the project's own: it then has the rights of a named file", async () => {
    const file = write("project/turnhouse.json", { server: { port: 1 } })
    symlinkSync(file, join(root, "link.json"))
    for (const state of ["trusted", "untrusted"] as const) {
      const loaded = await load({ configFile: "../link.json", trust: folder(state) })
      expect(loaded.config).toEqual({ server: { port: 1 } })
      expect(loaded.warnings).toEqual([])
    }
  })
})

describe("relative paths", () => {
  it("resolve against the file that holds them", async () => {
    write("home/config.json", {
      extensions: { paths: ["./plugins", "/abs", "~/mine"] },
      skills: { paths: ["skills"] },
      ipc: { dir: "../ipc" },
      locks: { file: "locks.db" },
      server: {
        tls: { cert: "tls/cert.pem", key: "/tls/key.pem" },
        auth: { mode: "jwt", publicKey: "keys/jwt.pem", jwks: "https://login.example.com/keys.json" },
      },
      tools: { define: { a: { description: "a", input: {}, class: "read", run: ["bin/a", "x/y"] } } },
    })
    const { config } = await load({ env: { HOME: "/u" } })
    expect(config.extensions?.paths).toEqual([join(home, "plugins"), "/abs", "/u/mine"])
    expect(config.skills?.paths).toEqual([join(home, "skills")])
    expect(config.ipc?.dir).toBe(join(root, "ipc"))
    expect(config.locks?.file).toBe(join(home, "locks.db"))
    expect(config.server?.tls).toEqual({ cert: join(home, "tls/cert.pem"), key: "/tls/key.pem" })
    expect(config.server?.auth?.publicKey).toBe(join(home, "keys/jwt.pem"))
    expect(config.server?.auth?.jwks).toBe("https://login.example.com/keys.json")
    expect(config.tools?.define?.["a"]?.run).toEqual([join(home, "bin/a"), "x/y"])
  })

  it("are not resolved in an inline public key", async () => {
    const pem = "-----BEGIN PUBLIC KEY-----\nabc/def\n-----END PUBLIC KEY-----"
    write("home/config.json", { server: { auth: { mode: "jwt", publicKey: pem } } })
    expect((await load()).config.server?.auth?.publicKey).toBe(pem)
  })
})

describe("a project's file", () => {
  it("is not read until the folder is trusted, with a warning", async () => {
    const path = write("project/turnhouse.json", "not even { JSON")
    for (const state of ["untrusted", "changed"] as const) {
      const loaded = await load({ trust: folder(state) })
      expect(loaded.config).toEqual({})
      expect(loaded.sources).toEqual([{ path, trusted: false }])
      expect(loaded.warnings).toEqual([expect.stringContaining(`turnhouse trust ${cwd}`)])
    }
  })

  it("adds to denied tools and tools that need approval, and removes none", async () => {
    write("home/config.json", {
      tools: { deny: ["a"], confirm: ["b"], approve: ["c"], allow: ["d"] },
      extensions: { paths: ["/own"] },
    })
    write("project/turnhouse.json", {
      tools: { deny: ["a", "x"], confirm: [], approve: ["z"] },
      extensions: { paths: ["plugins"] },
    })
    const { config } = await load({ trust: folder("trusted") })
    expect(config.tools).toEqual({ deny: ["a", "x"], confirm: ["b"], approve: ["c", "z"], allow: ["d"] })
    expect(config.extensions).toEqual({ paths: ["/own", join(cwd, "plugins")] })
  })

  it("lowers budgets and limits, also the built-in ones, and raises none", async () => {
    write("home/config.json", { budget: { usdPerTree: 5 }, limits: { depth: 2 } })
    const path = write("project/turnhouse.json", {
      budget: { usdPerTree: 9, tokensPerTree: 1000 },
      limits: { depth: 1, children: 100, stepsPerTurn: 10 },
    })
    const { config, warnings } = await load({ trust: folder("trusted") })
    expect(config.budget).toEqual({ usdPerTree: 5, tokensPerTree: 1000 })
    expect(config.limits).toEqual({ depth: 1, children: 8, stepsPerTurn: 10 })
    expect(warnings).toEqual([
      `${path}: budget.usdPerTree stays 5: a project's file can lower it, not raise it to 9.`,
      `${path}: limits.children stays 8: a project's file can lower it, not raise it to 100.`,
    ])
  })

  it("takes hosts of commands away, and adds none", async () => {
    write("home/config.json", { tools: { network: { allow: ["a.com", "b.com"] } } })
    const path = write("project/turnhouse.json", { tools: { network: { allow: ["a.com", "evil.com"] } } })
    const { config, warnings } = await load({ trust: folder("trusted") })
    expect(config.tools).toEqual({ network: { allow: ["a.com"] } })
    expect(warnings).toEqual([
      `${path}: tools.network.allow is without evil.com: a project's file can remove hosts, not add them.`,
    ])
  })

  it("brings its own model, prompt, tools, formatters and language servers", async () => {
    const define = { t: { description: "t", input: {}, class: "read", run: ["t"] } }
    const format = { "*.go": ["gofmt", "-w"], "*.ts": ["./format", "x/y"] }
    const own = { command: ["mine"], files: ["*"], timeout: 5 }
    write("home/config.json", {
      tools: { format: { "*.ts": ["mine", "--fix"], "*.md": ["mine"] }, languageServers: { ts: own, md: own } },
    })
    const languageServers = { ts: { command: ["./lsp", "a/b"], files: ["*.ts"] } }
    write("project/turnhouse.json", { model: "m", system: "s", tools: { define, format, languageServers } })
    const { config } = await load({ trust: folder("trusted") })
    const merged = { "*.ts": [join(root, "project/format"), "x/y"], "*.md": ["mine"], "*.go": ["gofmt", "-w"] }
    const servers = { ts: { command: [join(root, "project/lsp"), "a/b"], files: ["*.ts"] }, md: own }
    expect(config).toEqual({ model: "m", system: "s", tools: { define, format: merged, languageServers: servers } })
    expect(Object.keys(config.tools?.format ?? {})).toEqual(["*.ts", "*.md", "*.go"])
  })

  it.each([
    [{ providers: {} }, "providers"],
    [{ server: { port: 1 } }, "server"],
    [{ store: { type: "sqlite" } }, "store"],
    [{ bus: { type: "local" } }, "bus"],
    [{ otp: { transport: { type: "log" } } }, "otp"],
    [{ extensions: { failClosed: [] } }, "extensions.failClosed"],
    [{ extensions: { disabled: ["guard"] } }, "extensions.disabled"],
    [{ tools: { allow: ["*"] } }, "tools.allow"],
    [{ tools: { env: ["HOME"] } }, "tools.env"],
    [{ tools: { envOnly: false } }, "tools.envOnly"],
    [{ tools: { sandbox: "off" } }, "tools.sandbox"],
    [{ policy: { taint: false } }, "policy"],
    [{ web: { allowPrivate: ["localhost"] } }, "web"],
  ])("may not set %j", async (content, key) => {
    write("project/turnhouse.json", content)
    const problems = await problemsOf(load({ trust: folder("trusted") }))
    expect(problems).toMatch(/^\/project\/turnhouse\.json:1:\d+: /)
    expect(problems).toContain(`: ${key} cannot be set in a project's file;`)
    expect(problems.split("\n")).toHaveLength(1)
  })
})
