import { expect, it } from "vitest"
import { Keyring } from "../../identity/keyring.ts"
import { FileLinkStore } from "../../identity/links/file-link-store.ts"
import { anonymous } from "../../identity/principal.ts"
import { StubSession, stubPort } from "../../testing/doors/stub-port.ts"
import { nativeAccess } from "./native-access.ts"

it("access ends when the token expires", async () => {
  let now = 1000
  const keys = new Keyring("key", new FileLinkStore("/nowhere"), "owner")
  const principalWith = async () => ({ ...anonymous, orgRole: "admin" as const, expiresAt: 2000 })
  const pass = await nativeAccess({ port: stubPort(new StubSession()), keys, principalWith, now: () => now }, "token")
  expect(pass?.isValid()).toBe(true)
  now = 2000
  expect(pass?.isValid()).toBe(false)
})
