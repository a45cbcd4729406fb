// The native API of another machine through ssh: the bridge of Turnhouse runs there, and its standard input and output are
// the connection. No port is opened. Before the first hello ssh may ask on the terminal; later it must not.
import { spawn, type ChildProcessByStdio } from "node:child_process"
import type { Readable, Writable } from "node:stream"
import { HouseClient, HouseRefused } from "../../clients/house/house-client.ts"
import { printable } from "../../contract/text/text.ts"
import { houseLimits } from "../../protocols/house/limits.ts"
import { attachStreams } from "../../transports/stream-lines.ts"
import { AppFault, exitCodes, messageOf } from "../app-fault.ts"
import type { SshAddress } from "./remote-address.ts"

/** `first`: a person is at the terminal, and answers what ssh asks. */
export type Attempt = "first" | "again"

type SshProcess = ChildProcessByStdio<Writable, Readable, Readable>

/** Milliseconds until the hello: a person types a password, or only machines are involved. */
const HELLO_MS = { first: 10 * 60_000, again: 30_000 } as const
const MAX_ERRORS = 4000
const NOT_FOUND = 127

/** The PATH of ssh commands often lacks what a login shell has, so both are tried. */
const BRIDGE = "turnhouse bridge"
const remoteCommand = `sh -c 'command -v turnhouse >/dev/null 2>&1 && exec ${BRIDGE}; exec sh -lc "exec ${BRIDGE}"'`

export async function connectSsh(address: SshAddress, door: string, attempt: Attempt): Promise<HouseClient> {
  const program = process.env["TURNHOUSE_SSH"] || "ssh"
  const child = spawn(program, sshArguments(address, attempt), { stdio: ["pipe", "pipe", "pipe"] })
  const errors = new SshErrors(child, attempt)
  const ended = endOf(child)
  try {
    const client = await HouseClient.over(
      async (onConnection) => attachStreams(child.stdout, child.stdin, houseLimits.lineBytes, onConnection),
      { door, patienceMs: HELLO_MS[attempt] },
    )
    errors.hide()
    void client.closed.then(() => child.kill())
    return client
  } catch (fault) {
    child.stdin.destroy()
    if (isOtherRelease(fault)) child.kill()
    throw problemOf(address, program, fault, await ended, errors.last)
  }
}

function sshArguments({ target, port }: SshAddress, attempt: Attempt): readonly string[] {
  const quiet = attempt === "first" ? [] : ["-o", "BatchMode=yes", "-o", "ConnectTimeout=15"]
  return ["-T", ...quiet, ...(port === undefined ? [] : ["-p", String(port)]), "--", target, remoteCommand]
}

type SshEnd = { readonly code: number | undefined } | { readonly fault: Error }

function endOf(child: SshProcess): Promise<SshEnd> {
  return new Promise((resolve) => {
    child.once("error", (fault) => resolve({ fault }))
    child.once("close", (code) => resolve({ code: code ?? undefined }))
  })
}

/** What ssh and the remote side write to stderr: shown while there is no screen, else only the end is kept. */
class SshErrors {
  #text = ""
  #isShown: boolean

  constructor(child: SshProcess, attempt: Attempt) {
    this.#isShown = attempt === "first"
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#text = (this.#text + text).slice(-MAX_ERRORS)
      if (this.#isShown) process.stderr.write(printable(text.replaceAll("\r\n", "\n")))
    })
  }

  hide(): void {
    this.#isShown = false
  }

  get last(): string {
    return printable(this.#text).trim().split("\n").at(-1) ?? ""
  }
}

function isOtherRelease(fault: unknown): fault is HouseRefused {
  return fault instanceof HouseRefused && fault.refusal.code !== "host.gone"
}

function problemOf({ target }: SshAddress, program: string, fault: unknown, end: SshEnd, last: string): AppFault {
  if ("fault" in end)
    return unreachable(`${program} cannot be started (${messageOf(end.fault)}). Install OpenSSH, or set TURNHOUSE_SSH.`)
  if (isOtherRelease(fault)) return unreachable(`${target}: ${fault.message}`)
  if (end.code === NOT_FOUND)
    return unreachable(
      `turnhouse was not found on ${target}. Install it there; 'ssh ${target} turnhouse --version' must work.`,
    )
  const needsAnswer = /permission denied|host key verification failed/i.test(last)
  if (needsAnswer) return new SshNeedsAnswer(`${target}: ${last}`, exitCodes.unreachable)
  return unreachable(`${target} is not reachable: ${last === "" ? `ssh ended (code ${end.code ?? "none"})` : last}`)
}

function unreachable(text: string): AppFault {
  return new AppFault(text, exitCodes.unreachable)
}

/** A password or a host key: ssh cannot ask while the screen is open. */
export class SshNeedsAnswer extends AppFault {}
