import { createServer } from "node:tls"
import { connect } from "node:tls"
import { X509Certificate } from "node:crypto"
import { once } from "node:events"
import { expect, it } from "vitest"
import { selfSignedCertificate } from "./self-signed.ts"

const now = Date.now()
const day = 86_400_000

it("makes a certificate that is valid for its address, for two years, and signed by itself", () => {
  const certificate = new X509Certificate(selfSignedCertificate("192.168.1.20", now))
  expect(certificate.checkIP("192.168.1.20")).toBe("192.168.1.20")
  expect(certificate.checkIP("192.168.1.21")).toBeUndefined()
  expect(certificate.verify(certificate.publicKey)).toBe(true)
  expect(certificate.ca).toBe(false)
  expect(certificate.keyUsage).toEqual(["1.3.6.1.5.5.7.3.1"])
  expect(Date.parse(certificate.validFrom)).toBeLessThan(now)
  const validDays = (Date.parse(certificate.validTo) - now) / day
  expect(validDays).toBeGreaterThan(729)
  expect(validDays).toBeLessThan(731)
})

it("makes another key and number each time", () => {
  const [one, other] = [1, 2].map(() => new X509Certificate(selfSignedCertificate("10.0.0.1", now)))
  expect(one?.serialNumber).not.toBe(other?.serialNumber)
  expect(one?.fingerprint256).not.toBe(other?.fingerprint256)
})

it("is accepted by a client that trusts it, under its address only", async (test) => {
  const pem = selfSignedCertificate("127.0.0.1", now)
  const server = createServer({ key: pem, cert: pem }, (socket) => socket.end("hello"))
  test.onTestFinished(() => void server.close())
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  const socket = connect({ host: "127.0.0.1", port, ca: pem })
  await once(socket, "secureConnect")
  expect(socket.authorized).toBe(true)
  socket.destroy()
  const stranger = connect({
    host: "127.0.0.1",
    port,
    ca: pem,
    servername: "",
    checkServerIdentity: () => new Error("no"),
  })
  const [fault] = await once(stranger, "error")
  expect(fault).toMatchObject({ message: "no" })
})

it("refuses what is not an address of IPv4", () => {
  for (const address of ["::1", "example.org", "1.2.3", "256.1.1.1"])
    expect(() => selfSignedCertificate(address, now)).toThrow("not an address")
})
