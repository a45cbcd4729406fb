// Reads the certificate and private key of a server that terminates TLS itself.
import { readFileSync } from "node:fs"
import { createSecureContext } from "node:tls"
import type { Config } from "../contract/config.ts"
import { ServerFault } from "./server-fault.ts"

type CertificateFiles = NonNullable<NonNullable<Config["server"]>["tls"]>

export interface Certificate {
  readonly cert: Buffer
  readonly key: Buffer
}

/** Checked before the server listens. */
export function certificateOf({ cert, key }: CertificateFiles): Certificate {
  const certificate = { cert: contentOf("cert", cert), key: contentOf("key", key) }
  try {
    createSecureContext(certificate)
  } catch {
    throw new ServerFault(
      `server.tls: ${cert} and ${key} are not a certificate and its private key. Both must be in PEM format.`,
    )
  }
  return certificate
}

function contentOf(name: "cert" | "key", path: string): Buffer {
  try {
    return readFileSync(path)
  } catch (fault) {
    throw new ServerFault(
      `server.tls.${name}: ${path} cannot be read (${String(fault)}). Fix the path or its permissions.`,
    )
  }
}
