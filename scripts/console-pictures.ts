// Makes the pictures of docs/console.md from a real server and a real browser, with the offline demo: a call that waits for
// approval, on a desktop and on a phone. Run: node scripts/console-pictures.ts
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Browser } from "playwright-core"
import { openBrowser } from "../spec/browser/browser.ts"
import { needBuild } from "../spec/built.ts"
import { Place } from "../spec/e2e/place.ts"

const folder = fileURLToPath(new URL("../docs/pictures/", import.meta.url))
const views = [
  { name: "console", viewport: { width: 1200, height: 640 } },
  { name: "console-phone", viewport: { width: 360, height: 560 } },
] as const

needBuild()
/** The cards show it. Fails if there is one, or if it may not be made. */
const cwd = "/srv/shop-api"
mkdirSync(cwd)
const place = new Place().open()
const browser = await openBrowser()
try {
  writeFileSync(join(cwd, "refund.ts"), "export const rate = 0.19\n")
  const server = place.start(["serve", "--port", "0"])
  const url = await server.until("an address", () => /^listening on (\S+)$/m.exec(server.stdout)?.[1])
  const model = ["--model", "offline/demo", "--detach"]
  for (const prompt of ["read refund.ts", "write 0.2 to refund.ts"])
    await place.start(["run", ...model, prompt], { cwd }).ended
  for (const view of views)
    for (const scheme of ["light", "dark"] as const) await picture(browser, url, { ...view, scheme })
} finally {
  await browser.close()
  await place.close()
  rmSync(cwd, { recursive: true })
}

interface View {
  readonly name: string
  readonly viewport: { readonly width: number; readonly height: number }
  readonly scheme: "light" | "dark"
}

async function picture(opened: Browser, url: string, { name, viewport, scheme }: View): Promise<void> {
  const context = await opened.newContext({ viewport, colorScheme: scheme })
  const page = await context.newPage()
  const { stdout } = await place.run("link", "--url", url)
  await page.goto(stdout.trim())
  await page.locator(".approval").waitFor()
  await page.screenshot({ path: join(folder, `${name}-${scheme}.png`) })
  await context.close()
}
