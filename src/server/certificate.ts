// The certificate of a server that speaks TLS by itself, and its private key.
import { readFileSync } from "node:fs"
import { createSecureContext } from "node:tls"
import type { Config } from "../contract/config.ts"
import { usageFault } from "../app/app-fault.ts"

type CertificateFiles = NonNullable<NonNullable<Config["server"]>["tls"]>

export interface Certificate {
  readonly cert: Buffer
  readonly key: Buffer
}

/** Files that cannot be used are found before anything listens. */
export function certificateOf({ cert, key }: CertificateFiles): Certificate {
  const certificate = { cert: contentOf("cert", cert), key: contentOf("key", key) }
  try {
    createSecureContext(certificate)
  } catch {
    throw usageFault(`server.tls: ${cert} and ${key} are not a certificate and its private key in PEM form`)
  }
  return certificate
}

function contentOf(name: "cert" | "key", path: string): Buffer {
  try {
    return readFileSync(path)
  } catch (fault) {
    throw usageFault(`server.tls.${name}: ${path} cannot be read (${String(fault)})`)
  }
}
