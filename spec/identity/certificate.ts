// A certificate that only the test trusts.
import { spawnSync } from "node:child_process"
import { join } from "node:path"

export function selfSigned(folder: string): { readonly cert: string; readonly key: string } {
  const [cert, key] = [join(folder, "cert.pem"), join(folder, "key.pem")]
  const how = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 -subj /CN=localhost"
  const made = spawnSync("openssl", [...how.split(" "), "-keyout", key, "-out", cert])
  if (made.status !== 0) throw new Error(`openssl could not make a certificate: ${made.stderr?.toString() ?? ""}`)
  return { cert, key }
}
