// Makes the pictures of docs/stories.md from a real server and a real browser: the first story as it is followed in the page,
// with the server killed in the middle, as one animated picture, and the second window. Run: node scripts/story-pictures.ts
import { rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { ConsoleWorld } from "../spec/browser/console-world.ts"
import { endHosts } from "../spec/e2e/hosts.ts"
import { Place } from "../spec/e2e/place.ts"
import { animatedPng, type Frame } from "./pictures/animated-png.ts"

const folder = fileURLToPath(new URL("../docs/pictures/", import.meta.url))
const FRAME_MS = 3500

/** The pictures show the folder of the story. */
class PicturePlace extends Place {
  override get env(): Record<string, string> {
    return { ...super.env, TMPDIR: "/srv" }
  }
}

const place = new PicturePlace().open()
const world = await ConsoleWorld.open(place)
try {
  const { page } = await world.visit()
  await page.setViewportSize({ width: 1000, height: 680 })
  const frames: Frame[] = []
  const take = async (text: string) => {
    await page.getByText(text).first().waitFor()
    frames.push({ png: await page.screenshot(), ms: FRAME_MS })
  }
  await take("Start the story")
  await page.getByRole("button", { name: "Start the story" }).click()
  await page.locator(".story pre").waitFor()
  await take("You kill the server while it waits for you")
  await world.kill()
  await take("The server is dead")
  await world.restart()
  await take("This is another process, and the same request")
  const opened = page.waitForEvent("popup")
  await page.getByRole("button", { name: "Open a second window" }).click()
  const second = await opened
  await second.setViewportSize({ width: 390, height: 480 })
  await second.locator(".approval").waitFor()
  writeFileSync(join(folder, "story-second-window.png"), await second.screenshot())
  await second.getByRole("button", { name: "Approve", exact: true }).click()
  await take("The log of the remote has two commits")
  writeFileSync(join(folder, "story.png"), animatedPng(frames))
  writeFileSync(join(folder, "story-end.png"), frames.at(-1)?.png ?? "")
  rmSync(dirname((await page.locator(".story code").last().textContent()) ?? ""), { recursive: true })
} finally {
  await world.close()
  await endHosts(place.home)
  await place.close()
}
