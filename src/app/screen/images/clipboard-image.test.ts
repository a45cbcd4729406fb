import { expect, it } from "vitest"
import { clipboardImage } from "./clipboard-image.ts"

/** Tools by their command line; others are not installed. */
function tools(outputs: Readonly<Record<string, string>>) {
  return async (program: string, args: readonly string[]) => {
    const output = outputs[[program, ...args].join(" ")]
    const isInstalled = Object.keys(outputs).some((line) => line.startsWith(program))
    return output === undefined ? (isInstalled ? Buffer.alloc(0) : undefined) : Buffer.from(output)
  }
}

const wayland = { WAYLAND_DISPLAY: "wayland-0", DISPLAY: ":0" }

it("reads the best type that Wayland has", async () => {
  const run = tools({
    "wl-paste --list-types": "text/html\nimage/jpeg\nimage/png\n",
    "wl-paste --type image/png": "PNG",
  })
  expect(await clipboardImage(wayland, "linux", run)).toEqual({ kind: "image", bytes: Buffer.from("PNG") })
})

it("uses xclip where wl-paste is not installed", async () => {
  const list = "xclip -selection clipboard -o -t TARGETS"
  const run = tools({ [list]: "TARGETS\nimage/gif\n", "xclip -selection clipboard -o -t image/gif": "GIF" })
  expect(await clipboardImage(wayland, "linux", run)).toEqual({ kind: "image", bytes: Buffer.from("GIF") })
})

it("tells a clipboard without an image from a machine that has none", async () => {
  const run = tools({ "wl-paste --list-types": "text/plain\n" })
  expect(await clipboardImage(wayland, "linux", run)).toEqual({ kind: "none" })
  expect(await clipboardImage({}, "linux", run)).toEqual({ kind: "no-tool" })
  expect(await clipboardImage(wayland, "linux", tools({}))).toEqual({ kind: "no-tool" })
})

it("reads what AppleScript prints", async () => {
  const run = tools({ "osascript -e get the clipboard as «class PNGf»": "«data PNGf89504E47»\n" })
  expect(await clipboardImage({}, "darwin", run)).toEqual({ kind: "image", bytes: Buffer.from("89504e47", "hex") })
})
