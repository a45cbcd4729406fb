import { execFileSync } from "node:child_process"
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { discover } from "./discover.ts"
import { extensionRoots, synapsFolder } from "./extension-roots.ts"
import { discoveryIn, manifestOf, temporaryFolder, writePlugin } from "../fixtures/plugins.ts"

describe("the folders of extensions", () => {
  const place = { env: { HOME: "/home/you" }, home: "/home/you/.turnhouse", cwd: "/project", paths: ["/own"] }
  const own = ["/home/you/.synaps-cli/plugins", "/home/you/.turnhouse/plugins", "/own"]
  const project = ["/project/.synaps/plugins", "/project/.turnhouse/plugins"]

  it("of a project are last, and only used when it is trusted", () => {
    expect(extensionRoots({ ...place, trusted: true })).toEqual([...own, ...project])
    expect(extensionRoots({ ...place, trusted: false })).toEqual(own)
  })

  it.for([
    ["1", own],
    [" YES ", own],
    ["0", [...own, ...project]],
  ] as const)("of a project are skipped when SYNAPS_DISABLE_PROJECT_PLUGINS is '%s' (case 57)", ([value, roots]) => {
    const env = { ...place.env, SYNAPS_DISABLE_PROJECT_PLUGINS: value }
    expect(extensionRoots({ ...place, env, trusted: true })).toEqual(roots)
  })

  it("start with the plugins of synaps", () => {
    expect(synapsFolder({ SYNAPS_BASE_DIR: "/base", HOME: "/home/you" })).toBe("/base")
    expect(synapsFolder({ USERPROFILE: "/users/you" })).toBe("/users/you/.synaps-cli")
  })
})

describe("discovery", () => {
  it.for([
    ["a pipe", (file: string): void => void execFileSync("mkfifo", [file]), "is not a file"],
    ["something without an end", (file: string): void => symlinkSync("/dev/zero", file), "is not a file"],
    ["huge", (file: string): void => writeFileSync(file, " ".repeat(5_000_000)), "more than"],
  ] as const)("does not block on a manifest that is %s", ([, make, reason]) => {
    const root = temporaryFolder()
    mkdirSync(join(root, "a", ".synaps-plugin"), { recursive: true })
    make(join(root, "a", ".synaps-plugin", "plugin.json"))
    writePlugin(root, "b", manifestOf())
    const { extensions, failures } = discover(discoveryIn([root]))
    expect(extensions.map(({ id }) => id)).toEqual(["b"])
    expect(failures).toMatchObject([{ id: "a", reason: expect.stringContaining(reason) }])
  })

  it("finds extensions in byte order of their names, and skips other plugins and files", () => {
    const root = temporaryFolder()
    for (const id of ["b", "a", "00-policy", "B", "ä"]) writePlugin(root, id, manifestOf())
    mkdirSync(join(root, "empty"))
    writeFileSync(join(root, "file"), "")
    const { extensions, failures } = discover(discoveryIn([root, join(root, "not-there")]))
    expect(extensions.map(({ id }) => id)).toEqual(["00-policy", "B", "a", "b", "ä"])
    expect(failures).toEqual([])
  })

  it("lets a later folder replace an extension of the same name (case 57)", () => {
    const [user, project] = [temporaryFolder(), temporaryFolder()]
    writePlugin(user, "same", manifestOf())
    const folder = writePlugin(project, "same", manifestOf())
    expect(discover(discoveryIn([user, project])).extensions).toMatchObject([{ id: "same", folder }])
    expect(discover(discoveryIn([user])).extensions).toMatchObject([{ id: "same", folder: join(user, "same") }])
  })

  it("does not let a project replace a user's guard", () => {
    const [user, project] = [temporaryFolder(), temporaryFolder()]
    const folder = writePlugin(user, "policy", manifestOf())
    writePlugin(project, "policy", manifestOf())
    const { extensions } = discover(discoveryIn([user, project], { guards: ["policy"] }))
    expect(extensions).toMatchObject([{ id: "policy", folder }])
  })

  it("skips disabled extensions", () => {
    const root = temporaryFolder()
    writePlugin(root, "a", manifestOf())
    expect(discover(discoveryIn([root], { disabled: ["a"] }))).toMatchObject({ extensions: [], failures: [] })
  })

  it("accepts a root that is itself a plugin, and follows links", () => {
    const root = temporaryFolder()
    const folder = writePlugin(temporaryFolder(), "one", manifestOf())
    symlinkSync(folder, join(root, "linked"))
    expect(discover(discoveryIn([folder, root])).extensions.map(({ id }) => id)).toEqual(["linked", "one"])
  })

  it("reports an invalid extension and loads the others", () => {
    const root = temporaryFolder()
    const folder = writePlugin(root, "bad", { ...manifestOf(), runtime: "wasm" })
    writePlugin(root, "good", manifestOf())
    writePlugin(root, "needy", { ...manifestOf(), protocol_version: 9, config: [{ key: "k", required: true }] })
    const { extensions, failures } = discover(discoveryIn([root]))
    expect(extensions.map(({ id }) => id)).toEqual(["good"])
    const manifest = join(folder, ".synaps-plugin", "plugin.json")
    expect(failures).toMatchObject([
      { id: "bad", manifest, reason: expect.stringContaining("runtime"), hint: "correct the manifest" },
      { id: "needy", reason: expect.stringContaining("'k' is missing") }, // settings are looked at first
    ])
  })

  it("reports a root that cannot be listed", () => {
    const root = join(temporaryFolder(), "root")
    writeFileSync(root, "")
    expect(discover(discoveryIn([root])).failures).toMatchObject([{ id: "plugins", manifest: undefined }])
  })

  it("reads an extension's settings from its own file and the common one", () => {
    const root = temporaryFolder()
    const config = [{ key: "a" }, { key: "b" }]
    const folder = writePlugin(root, "ext", { ...manifestOf(), config })
    writeFileSync(join(folder, "config"), "a = own\n")
    writeFileSync(join(root, "common"), "extension.ext.a = common\nextension.ext.b = common\n")
    const request = discoveryIn([root], { configFolders: [root], commonConfig: join(root, "common") })
    expect(discover(request).extensions).toMatchObject([{ config: { a: "own", b: "common" } }])
  })
})

describe("the command line of an extension", () => {
  function commandLineOf(more: Record<string, string | string[]>, files: readonly string[] = []) {
    const folder = writePlugin(temporaryFolder(), "ext", { ...manifestOf(), ...more })
    for (const file of files) writeFileSync(join(folder, file), "")
    const env = { PATH: "/bin", HOME: "/home/you", OPENAI_API_KEY: "k", TURNHOUSE_HOME: "/h", MINE: "m" }
    const [spec] = discover(discoveryIn([folder], { env, cwd: "/project", passedVariables: ["MINE"] })).extensions
    return { folder, ...spec?.commandLine }
  }

  it("is a program in its folder, on the PATH, or at an absolute path", () => {
    const { folder, command } = commandLineOf({ command: "./bin/ext" })
    expect(command).toBe(join(folder, "bin/ext"))
    expect(commandLineOf({ command: "python3" }).command).toBe("python3")
    expect(commandLineOf({ command: "/bin/ext" }).command).toBe("/bin/ext")
  })

  it("has real paths for arguments inside its folder, and other arguments unchanged", () => {
    const { folder, args } = commandLineOf({ args: ["-u", "main.py", "../../x", "/bin/sh", ""] }, ["main.py"])
    const real = realpathSync(folder)
    expect(args).toEqual(["-u", join(real, "main.py"), "../../x", "/bin/sh", real])
  })

  it("has a minimal environment plus the variables that the user names", () => {
    const { folder, env } = commandLineOf({})
    expect(env).toEqual({
      PATH: "/bin",
      HOME: "/home/you",
      MINE: "m",
      PLUGIN_DIR: folder,
      REPO_ROOT: "/project",
      PLUGIN_DATA_DIR: expect.stringMatching(/\/ext$/),
      PYTHONDONTWRITEBYTECODE: "1",
    })
  })
})
