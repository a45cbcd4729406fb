// Which process is at the other end of a Unix socket, and whether a tool started it. Every Unix socket that Turnhouse
// serves refuses such peers: an agent must not answer its own approvals. What is checked, for the peer and each of its
// ancestors: the mark of a host in the environment, the resource limit of `tool-limit.ts`, and the process groups and
// sessions that this host has started. docs/tools.md says what escapes.
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import type { Socket } from "node:net"
import type Koffi from "koffi"
import { markIn } from "./mark.ts"
import { readStat, type ProcessStat } from "./process-table.ts"
import { toolLimitOf } from "./tool-limit.ts"

/** Why a connection must be closed, for the host's log; undefined if it is acceptable. */
export type PeerCheck = (socket: Socket) => string | undefined

/** Ids of the process groups that this host has started; a group's first process also starts a session of that id. */
export type ToolGroups = () => ReadonlySet<number>

/** Refused, but usually a client that only tested the socket. */
export const endedPeer = "it has already ended"
/** More ancestors than a process has in practice; bounds the work for one connection. */
const maxAncestors = 64
const none: ReadonlySet<number> = new Set()

export function peerCheck(toolGroups: ToolGroups = () => none): PeerCheck {
  return (socket) => {
    const readPid = loadPeerPid()
    if (typeof readPid === "string") return undefined // `peerCheckProblem` says so in doctor
    const pid = readPid(socket)
    if (pid === process.pid) return undefined
    const reason = pid === undefined || pid <= 0 ? "it cannot be identified" : toolDescent(pid, toolGroups())
    return reason === undefined ? undefined : `refused a connection of process ${pid ?? "?"}: ${reason}`
  }
}

/** Why peers cannot be checked on this machine; undefined if they can. */
export function peerCheckProblem(): string | undefined {
  const loaded = loadPeerPid()
  return typeof loaded === "string" ? loaded : undefined
}

/** Why a process counts as a tool's; undefined if it does not. */
export function toolDescent(pid: number, toolGroups: ReadonlySet<number> = none): string | undefined {
  const ancestry = ancestorsOf(pid)
  if (ancestry.length === 0) return endedPeer
  const ownLevel = toolLimitOf(process.pid)?.level ?? 0
  const ownMarks = marksOfSelf()
  for (const { pid: ancestor, group, session } of ancestry) {
    if ((toolLimitOf(ancestor)?.level ?? 0) > ownLevel) return "a tool started it"
    if (toolGroups.has(group) || toolGroups.has(session)) return "it belongs to a process group of a tool"
    const mark = markOf(ancestor)
    if (mark !== undefined && !ownMarks.has(mark)) return "it carries the mark of a tool's process"
  }
  return undefined
}

/** The marks in the environments of this process and its ancestors. */
export function marksOfSelf(): ReadonlySet<string> {
  return new Set(ancestorsOf(process.pid).flatMap(({ pid }) => markOf(pid) ?? []))
}

/** The process itself comes first. Empty when it does not exist. */
function ancestorsOf(pid: number): readonly ProcessStat[] {
  const found: ProcessStat[] = []
  for (let next = pid; next > 0 && found.length < maxAncestors;) {
    const stat = readStat(next)
    if (stat === undefined) break
    found.push(stat)
    next = stat.parent
  }
  return found
}

function markOf(pid: number): string | undefined {
  try {
    return markIn(readFileSync(`/proc/${pid}/environ`, "utf8"))
  } catch {
    return undefined // of another user; limit and group can still be read
  }
}

type ReadPid = (socket: Socket) => number | undefined

let loaded: ReadPid | string | undefined

/** Loaded with the first connection: about 12 ms once, then 0.002 ms per connection. */
function loadPeerPid(): ReadPid | string {
  loaded ??= tryLoadPeerPid()
  return loaded
}

function tryLoadPeerPid(): ReadPid | string {
  if (process.platform !== "linux") return "the process behind a connection is known on Linux only"
  if (readStat(process.pid) === undefined) return "/proc cannot be read"
  try {
    return peerPidReader()
  } catch (fault) {
    return `koffi does not load (${fault instanceof Error ? fault.message.split("\n")[0] : String(fault)})`
  }
}

const SOL_SOCKET = 1
const SO_PEERCRED = 17
/** struct ucred: pid, uid and gid, 32 bits each. */
const ucredBytes = 12

function peerPidReader(): ReadPid {
  const koffi: typeof Koffi = createRequire(import.meta.url)("koffi")
  const getsockopt = koffi.load(null).func("int getsockopt(int, int, int, void *, void *)")
  return (socket) => {
    const fd = descriptorOf(socket)
    if (fd === undefined) return undefined
    const credentials = Buffer.alloc(ucredBytes)
    const length = Buffer.alloc(4)
    length.writeInt32LE(ucredBytes)
    const failed: unknown = getsockopt(fd, SOL_SOCKET, SO_PEERCRED, credentials, length)
    return failed === 0 ? credentials.readInt32LE(0) : undefined
  }
}

/** Node has no public API for a socket's descriptor; the handle has had this field since version 0.12. */
function descriptorOf(socket: Socket): number | undefined {
  const handle: unknown = Reflect.get(socket, "_handle")
  const isObject = typeof handle === "object" && handle !== null
  return isObject && "fd" in handle && typeof handle.fd === "number" && handle.fd >= 0 ? handle.fd : undefined
}
