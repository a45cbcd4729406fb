import { expect, it } from "vitest"
import { parseRoute, routeHash } from "./route-hash.ts"

it.each([
  ["#/", { sessionId: undefined, panel: undefined }],
  ["#/usage", { sessionId: undefined, panel: "usage" }],
  ["#/session/01a1", { sessionId: "01a1", panel: undefined, place: undefined }],
  ["#/session/01a1/cost", { sessionId: "01a1", panel: "cost", place: undefined }],
  ["#/session/01a1?at=12", { sessionId: "01a1", panel: undefined, place: { seq: 12, isPrompt: false } }],
  ["#/session/01a1/cost?at=p7", { sessionId: "01a1", panel: "cost", place: { seq: 7, isPrompt: true } }],
])("%s is a place of the console, there and back", (hash, route) => {
  expect(parseRoute(hash)).toEqual(route)
  expect(routeHash(route)).toBe(hash)
})

it.each(["#/session/01a1?at=", "#/session/01a1?at=x", "#/session/01a1?at=99999999999999999999", "#/session/01a1?b=1"])(
  "%s has no place in the transcript",
  (hash) => expect(parseRoute(hash)).toEqual({ sessionId: "01a1", panel: undefined, place: undefined }),
)
