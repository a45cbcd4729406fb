// Makes the single file: launcher.sh with its values filled in, then the archive.
import { readFileSync } from "node:fs"
import { createHash } from "node:crypto"
import { join } from "node:path"

export interface ExecutableOptions {
  readonly release: string
  /** As npm names it: `linux-x64`. */
  readonly platform: string
  /** As `uname -s` and `uname -m` name it: `Linux-x86_64`. */
  readonly machine: string
  /** A gzipped tar file with bin/turnhouse and node_modules/.bin/node. */
  readonly archive: Buffer
  /** Disk space that the unpacked files need. */
  readonly unpackedBytes: number
}

export function makeExecutable({ release, platform, machine, archive, unpackedBytes }: ExecutableOptions): Buffer {
  const hash = createHash("sha256").update(archive).digest("hex").slice(0, 12)
  const template = readFileSync(join(import.meta.dirname, "launcher.sh"), "utf8")
  const values: Readonly<Record<string, string>> = {
    RELEASE: release,
    PLATFORM: platform,
    MACHINE: machine,
    ID: `${release}-${platform}-${hash}`,
    MEGABYTES: String(Math.ceil(unpackedBytes / 1e6)),
  }
  // The numbers are part of the text whose length they state; their digits settle after a few rounds.
  const headerFor = (length: number) => fill(template, { ...values, ...placeOf(length, archive) })
  let header = headerFor(template.length)
  while (header !== headerFor(Buffer.byteLength(header))) header = headerFor(Buffer.byteLength(header))
  return Buffer.concat([Buffer.from(header), archive])
}

function placeOf(length: number, archive: Buffer) {
  return { BYTES: String(length + archive.length), OFFSET: String(length + 1) } // tail counts from 1
}

function fill(template: string, values: Readonly<Record<string, string>>): string {
  return template.replaceAll(/@([A-Z]+)@/g, (_match, name: string) => valueOf(name, values))
}

function valueOf(name: string, values: Readonly<Record<string, string>>): string {
  const value = values[name]
  if (value === undefined) throw new Error(`launcher.sh has an unknown value @${name}@`)
  return value
}
