// A real server with sessions of the scripted model, and pages of the console at it.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll } from "vitest"
import { HouseClient, type RemoteHandle } from "../../src/clients/house/house-client.ts"
import type { Step } from "../../src/models/offline/index.ts"
import { needBuild } from "../built.ts"
import type { Place } from "../e2e/place.ts"
import type { Running } from "../e2e/running.ts"
import { sharedPlace } from "../e2e/turnhouse.ts"
import { collectProblems, openBrowser, openPage } from "./browser.ts"

type ScriptSettings = NonNullable<Parameters<Place["script"]>[1]>

export interface ConsolePage {
  readonly page: Page
  readonly problems: readonly string[]
}

export class ConsoleWorld {
  readonly place: Place
  readonly #browser: Browser
  #running: Running
  #sessions = 0
  url: string

  static async open(place: Place): Promise<ConsoleWorld> {
    needBuild()
    place.config({ model: place.script([[{ text: "Hello." }]]) })
    const [browser, [running, url]] = await Promise.all([openBrowser(), serve(place, "0")])
    return new ConsoleWorld(place, browser, running, url)
  }

  private constructor(place: Place, browser: Browser, running: Running, url: string) {
    this.place = place
    this.#browser = browser
    this.#running = running
    this.url = url
  }

  get key(): string {
    return readFileSync(join(this.place.home, "console.key"), "utf8").trim()
  }

  async killAndRestart(): Promise<void> {
    await this.kill()
    await this.restart()
  }

  async kill(): Promise<void> {
    this.#running.signal("SIGKILL")
    await this.#running.ended
  }

  /** At the same port, as after a crash. */
  async restart(): Promise<void> {
    const [running] = await serve(this.place, new URL(this.url).port)
    this.#running = running
  }

  connect(): Promise<HouseClient> {
    return connectToHouse(this.url, this.key)
  }

  /** In the folder of the place or one below it, with its own script. */
  async session(
    steps: readonly Step[],
    prompt?: string,
    settings: ScriptSettings = {},
    folder?: string,
  ): Promise<RemoteHandle> {
    const client = await this.connect()
    const model = this.place.script(steps, settings, `script-${(this.#sessions += 1)}.json`)
    const cwd = folder === undefined ? this.place.folder : this.#folderOfItsOwn(folder)
    const opened = await client.create({ cwd, origin: "test", model })
    if (opened.kind === "refused") throw new Error(JSON.stringify(opened.refusal))
    if (prompt !== undefined) {
      const promptId = `prm_${this.#sessions}` as const
      await opened.handle.send({ type: "prompt", promptId, text: prompt, ifBusy: "wait" })
    }
    client.close()
    return opened.handle
  }

  /** With a file of the same name. */
  #folderOfItsOwn(name: string): string {
    mkdirSync(this.place.path(name))
    writeFileSync(join(this.place.path(name), name), "text")
    return this.place.path(name)
  }

  /** The key of a share link. */
  async link(...args: readonly string[]): Promise<string> {
    const { stdout, stderr } = await this.place.run("link", ...args)
    const key = /#key=(\S+)/.exec(stdout)?.[1]
    if (key === undefined) throw new Error(`${stdout}${stderr}`)
    return key
  }

  /** A window of its own, with the owner's key unless another one is given. */
  async visit(path = "#/", { key = this.key, width = 1280, skewMs = 0 } = {}): Promise<ConsolePage> {
    const page = await openPage(this.#browser, { viewport: { width, height: 800 } })
    if (skewMs !== 0) await page.addInitScript(`{ const now = Date.now; Date.now = () => now() + ${skewMs} }`)
    const problems = collectProblems(page, this.url)
    await page.goto(`${this.url}/${key === "" ? "" : `#key=${key}`}`)
    if (path !== "#/") await page.evaluate(`location.hash = ${JSON.stringify(path)}`)
    return { page, problems }
  }

  /** A text without style and script, to compare with. */
  async visitPlain(): Promise<Page> {
    const page = await openPage(this.#browser, { viewport: { width: 1280, height: 800 } })
    await page.goto(`${this.url}/health`)
    return page
  }

  async close(): Promise<void> {
    await this.#browser.close()
  }
}

/** Tries again: on a busy machine the first connection after a start can take longer than a client waits. */
export async function connectToHouse(url: string, key: string, attempts = 6): Promise<HouseClient> {
  try {
    return await HouseClient.connect(`${url}/#key=${key}`, { door: "test" })
  } catch (fault) {
    if (attempts === 1) throw fault
    return await connectToHouse(url, key, attempts - 1)
  }
}

async function serve(place: Place, port: string): Promise<readonly [Running, string]> {
  const running = place.start(["serve", "--port", port])
  const url = await running.until("an address", () => /^listening on (\S+)$/m.exec(running.stdout)?.[1])
  return [running, url]
}

/** One for all tests of a file. */
export function consoleWorld(): () => ConsoleWorld {
  const place = sharedPlace()
  let made: ConsoleWorld | undefined
  beforeAll(async () => {
    made = await ConsoleWorld.open(place)
  })
  afterAll(() => made?.close())
  return () => {
    if (made === undefined) throw new Error("the server has not started")
    return made
  }
}
