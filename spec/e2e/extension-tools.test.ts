// Tools of extensions are listed as soon as a parent can query them, and plugins can be disabled.
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { objects } from "./printed.ts"
import { newPlace, openInput, type Place } from "./turnhouse.ts"

const sdk = fileURLToPath(new URL("../../src/clients/extension/index.ts", import.meta.url))
const program = `
import { defineExtension } from ${JSON.stringify(sdk)}
await defineExtension({
  tools: { look_up: { description: "Looks up.", inputSchema: { type: "object" }, call: () => "found" } },
  commands: { hello: () => "Hello from the extension." },
}).run()
`

/** Brings a tool and a command, with names in its manifest that no host knows. */
function install(place: Place, id = "shelf"): void {
  const folder = join(place.home, "plugins", id)
  mkdirSync(join(folder, ".synaps-plugin"), { recursive: true })
  const permissions = ["tools.register", "shelf.dust"]
  const extension = { protocol_version: 2, runtime: "process", command: "node", args: ["main.ts"], permissions }
  const hooks = [{ hook: "checkpoint.reached" }]
  writeFileSync(join(folder, ".synaps-plugin", "plugin.json"), JSON.stringify({ extension: { ...extension, hooks } }))
  writeFileSync(join(folder, "main.ts"), program)
}

/** What the stdio child answers to a list of tools that is asked for before it has said that it is ready. */
async function listedByRpc(place: Place, ...more: readonly string[]): Promise<string> {
  const running = place.start(["rpc", "--model", "offline/demo", ...more], { input: openInput })
  running.write('{"op":"tools_list","type":"tools_list"}\n')
  const isAnswer = ({ text }: { readonly text: string }) => text.includes('"command":"tools_list"')
  const line = await running.until("the list of tools", () => running.lines.find(isAnswer))
  return line.text
}

async function names(place: Place, ...more: readonly string[]): Promise<readonly unknown[]> {
  const { code, stdout, stderr } = await place.run("tools_list", "--json", "--wait", "100", ...more)
  if (code !== 0) throw new Error(stderr)
  return objects(stdout).map(({ name }) => name)
}

describe.concurrent("the tools of extensions", () => {
  it("are in the lists of the command and of the stdio child, also with unknown names in the manifest", async (test) => {
    const place = newPlace(test)
    install(place)
    expect(await names(place)).toContain("shelf_look_up")
    expect(await listedByRpc(place)).toContain('"name":"shelf_look_up"')
    const { code, stderr } = await place.run("ext", "ls")
    expect(code).toBe(0)
    expect(stderr).toContain("plugin shelf: there is no permission 'shelf.dust'")
    expect(stderr).toContain("plugin shelf: there is no hook 'checkpoint.reached'")
  })

  it("are left out with --no-extensions, and where synaps' disabled_plugins names the plugin", async (test) => {
    const place = newPlace(test)
    install(place)
    expect(await names(place, "--no-extensions")).not.toContain("shelf_look_up")
    expect(await listedByRpc(place, "--no-extensions")).not.toContain("shelf_look_up")
    const synaps = join(place.root, "user", ".synaps-cli")
    mkdirSync(synaps)
    writeFileSync(join(synaps, "config"), "disabled_plugins = other, shelf\n")
    expect(await names(place)).not.toContain("shelf_look_up")
  })
})

describe.concurrent("--no-extensions", () => {
  it("is refused where the configuration has a guard", async (test) => {
    const place = newPlace(test)
    place.config({ extensions: { failClosed: ["policy"] } })
    const { code, stderr } = await place.run("run", "go", "--no-extensions", "--model", "offline/demo")
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("policy is listed in extensions.failClosed"),
    })
  })
})

describe.concurrent("an extension with commands only", () => {
  it("is loaded, and answers them", async (test) => {
    const place = newPlace(test)
    const folder = join(place.home, "plugins", "greeter")
    mkdirSync(join(folder, ".synaps-plugin"), { recursive: true })
    const manifest = {
      commands: [{ name: "hello", interactive: true }],
      extension: { runtime: "process", command: "node", args: ["main.ts"] },
    }
    writeFileSync(join(folder, ".synaps-plugin", "plugin.json"), JSON.stringify(manifest))
    writeFileSync(join(folder, "main.ts"), program.replace(/^ {2}tools:.*$/m, ""))
    const { stdout: id } = await place.run("new", "--model", place.script([]))
    const { stdout } = await place.start(["attach", id.trim()], { input: "/greeter:hello\n" }).ended
    expect(stdout).toContain("Hello from the extension.")
  })
})
