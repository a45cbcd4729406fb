// The process that outlives its host: a small shell in its own session that reads the host's groups from a pipe. When
// the pipe ends, however the host died, it kills every group still on its list and every process that carries the
// host's mark, until none is left. It has no mark itself and belongs to no terminal. Outside Linux: groups only.
import { spawn, type ChildProcess } from "node:child_process"
import { once } from "node:events"
import { Socket } from "node:net"
import type { Writable } from "node:stream"
import { markVariable } from "./mark.ts"

// 15 looks a tenth of a second apart before force is used; after 100 it leaves, for what is left then cannot be killed.
// In /proc/PID/stat the state and the group are the first and third field after the name. A zombie counts as gone.
const script = `
trap '' HUP INT QUIT TERM TSTP
wanted=$1
groups=' '
pids=
while read -r verb group; do
  case $verb in
    add) groups="$groups$group " ;;
    remove) case $groups in *" $group "*) groups="\${groups%%" $group "*} \${groups#*" $group "}" ;; esac ;;
  esac
done

strike() {
  for group in $groups; do kill -s "$1" -- "-$group"; done
  for pid in $pids; do kill -s "$1" "$pid"; done
}
look() {
  alive=' '
  pids=
  if [ -r /proc/self/stat ]; then look_in_proc; else look_by_signal; fi
  groups=$alive
}
look_by_signal() {
  for group in $groups; do kill -s 0 -- "-$group" && alive="$alive$group "; done
}
look_in_proc() {
  for stat in /proc/[0-9]*/stat; do
    read -r line <"$stat" || continue
    set -- \${line##*") "}
    case $1 in Z | X) continue ;; esac
    case $alive in *" $3 "*) continue ;; esac
    case $groups in *" $3 "*) alive="$alive$3 " ;; esac
  done
  for file in $(grep -lsF -- "$wanted" /proc/[0-9]*/environ); do
    file=\${file#/proc/}
    pids="$pids \${file%/environ}"
  done
}

exec 2>/dev/null
strike TERM
look
[ "$pids" = '' ] || strike TERM
round=0
while [ "$groups$pids" != ' ' ]; do
  round=$((round + 1))
  [ $round -le 100 ] || exit 1
  [ $round -lt 15 ] || strike KILL
  sleep 0.1 || sleep 1
  look
done
`

export class Reaper {
  readonly #child: ChildProcess
  readonly #list: Writable
  /** Resolves when the shell is gone, with whether it had nothing left to kill. */
  readonly ended: Promise<boolean>

  constructor(mark: string) {
    this.#child = spawn("/bin/sh", ["-c", script, "turnhouse-reaper", `${markVariable}=${mark}:`], {
      cwd: "/",
      env: { PATH: process.env["PATH"] ?? "/usr/bin:/bin" },
      detached: true,
      stdio: ["pipe", "ignore", "ignore"],
    })
    if (this.#child.stdin === null) throw new Error("the reaper came without its pipe")
    this.#list = this.#child.stdin
    this.#list.on("error", () => {}) // `ended` tells, and each write has its own answer
    this.ended = once(this.#child, "exit").then(
      ([code]) => code === 0,
      () => false,
    )
    this.#child.unref()
    if (this.#list instanceof Socket) this.#list.unref()
  }

  get pid(): number | undefined {
    return this.#child.pid
  }

  /** Resolves when the reaper has the group in its hands. */
  add(group: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#list.write(`add ${group}\n`, (fault) => (fault ? reject(fault) : resolve()))
    })
  }

  remove(group: number): void {
    if (this.#list.writable) this.#list.write(`remove ${group}\n`)
  }

  /** Lets it do its last round and leave. */
  async close(): Promise<boolean> {
    this.#child.ref()
    this.#list.end()
    return await this.ended
  }
}
