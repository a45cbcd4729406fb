// Redacts all output of this process on stderr: warnings, the request log, crash reports. The stderr of the background
// host and of the server is written to files.
import { randomBytes } from "node:crypto"
import { existsSync } from "node:fs"
import { join } from "node:path"
import type { Config } from "../../contract/config.ts"
import { secretsOf } from "../../secrets/find-secrets.ts"
import { createRedactor, type Redactor } from "../../secrets/redactor.ts"
import { openRedactor, storedSecrets } from "./home-secrets.ts"

type Scrub = Pick<Redactor, "text">
type Done = (fault?: Error | null) => void

const scrubbers = new Set<Scrub>()
/** Created with the first output: most commands print nothing. */
let makeScrubber: (() => Scrub) | undefined = () => environmentRedactor({})

export function redactStderr(): void {
  const { stderr } = process
  const write = stderr.write.bind(stderr)
  stderr.write = (chunk: string | Uint8Array, encoding?: BufferEncoding | Done, done?: Done) => {
    const text = scrubbed(typeof chunk === "string" ? chunk : Buffer.from(chunk).toString("utf8"))
    return typeof encoding === "function" ? write(text, encoding) : write(text, encoding, done)
  }
}

/** Adds the secrets of this configuration. */
export function redactConfigured(home: string, config: Config): void {
  makeScrubber = () => configuredRedactor(home, config)
}

/** Adds a redactor: a host has sessions of several configurations. */
export function redactWith(scrubber: Scrub): void {
  scrubbers.add(scrubber)
}

function scrubbed(text: string): string {
  if (makeScrubber !== undefined) scrubbers.add(makeScrubber())
  makeScrubber = undefined
  return [...scrubbers].reduce((left, scrubber) => scrubber.text(left), text)
}

/** Works without the keys of the home, so that their problem can be reported. */
function configuredRedactor(home: string, config: Config): Scrub {
  if (!existsSync(join(home, "secret.key"))) return environmentRedactor(config, home)
  try {
    return openRedactor(home, config)
  } catch {
    return environmentRedactor(config, home)
  }
}

export function environmentRedactor(config: Config, home?: string): Scrub {
  const stored = home === undefined ? [] : storedSecrets(home)
  return createRedactor({ secrets: [...secretsOf({ env: process.env, config }), ...stored], key: randomBytes(32) })
}
