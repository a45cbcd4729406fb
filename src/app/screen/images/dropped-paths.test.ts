import { expect, it } from "vitest"
import { droppedPaths } from "./dropped-paths.ts"

it.each([
  ["/a/b.png", ["/a/b.png"]],
  ["'/a/my shot.png' ", ["/a/my shot.png"]],
  ['"/a/my shot.png"', ["/a/my shot.png"]],
  ["/a/my\\ shot\\(1\\).png\n", ["/a/my shot(1).png"]],
  ["'/a/it'\\''s.png'", ["/a/it's.png"]],
  ["file:///a/my%20shot.png", ["/a/my shot.png"]],
  ["/a/b.png '/c d/e.jpg'", ["/a/b.png", "/c d/e.jpg"]],
  ["~/b.png", ["~/b.png"]],
])("reads %j as %j", (text, paths) => {
  expect(droppedPaths(text)[0]).toEqual(paths)
})

it("also takes the whole text as one path, with its blanks", () => {
  expect(droppedPaths("/a/my shot.png").at(-1)).toEqual(["/a/my shot.png"])
})

it.each(["see /a/b.png", "a/b.png", "file://other/a.png", ""])("finds no path in %j", (text) => {
  expect(droppedPaths(text).flat()).toEqual([])
})
