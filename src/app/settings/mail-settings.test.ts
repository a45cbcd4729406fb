import { expect, it } from "vitest"
import { mailSettings } from "./mail-settings.ts"

const from = "noreply@shop.example"
const smtp = (url: string) => ({ type: "smtp", url }) as const

it("requires encryption for mails that leave this machine, with any address", () => {
  const encrypted = (url: string) => mailSettings({ transport: smtp(url), from })?.mustEncrypt
  expect(["smtp://mail.example", "smtp://127.0.0.1:2525", "smtps://mail.example"].map(encrypted)).toEqual([
    true,
    false,
    false, // it is encrypted from the first byte
  ])
})

it("needs no settings if codes are printed", () => {
  expect(mailSettings({ transport: { type: "log" } })).toBeUndefined()
})

it.each([
  [{ transport: smtp("smtp://mail.example") }, '"otp.from" is missing'],
  [{ transport: smtp("mail.example"), from }, '"otp.transport.url" is not an SMTP address'],
  [{ transport: smtp("https://mail.example"), from }, '"otp.transport.url" is not an SMTP address'],
])("rejects %j", (otp, sentence) => {
  expect(() => mailSettings(otp)).toThrow(sentence)
})
