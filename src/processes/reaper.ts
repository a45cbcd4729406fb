// A small shell that outlives its host: it reads the host's process groups from a pipe, and when the pipe closes it kills
// every listed group and every process with the host's mark until none is left. Outside Linux: groups only.
import { spawn, type ChildProcess } from "node:child_process"
import { once } from "node:events"
import { Socket } from "node:net"
import type { Writable } from "node:stream"
import { markVariable } from "./mark.ts"

// Looks every tenth of a second, or less often on a busy machine; force is used after 1.5 s by the clock (outside Linux: 15
// looks). After 100 looks it leaves, for what is left then cannot be killed.
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

measure() {
  if read -r now _ </proc/uptime; then now=\${now%.*}\${now#*.}; else now=$((round * 10)); fi
}

exec 2>/dev/null
round=0
measure
force=$((now + 150))
strike TERM
look
[ "$pids" = '' ] || strike TERM
while [ "$groups$pids" != ' ' ]; do
  round=$((round + 1))
  [ $round -le 100 ] || exit 1
  measure
  [ $now -lt $force ] || strike KILL
  sleep 0.1 || sleep 1
  look
done
`

export class Reaper {
  readonly #child: ChildProcess
  readonly #list: Writable
  /** Resolves when the shell has exited; true if it had nothing to kill. */
  readonly ended: Promise<boolean>

  constructor(mark: string) {
    this.#child = spawn("/bin/sh", ["-c", script, "turnhouse-reaper", `${markVariable}=${mark}:`], {
      cwd: "/",
      env: { PATH: process.env["PATH"] ?? "/usr/bin:/bin" },
      detached: true,
      stdio: ["pipe", "ignore", "ignore"],
    })
    if (this.#child.stdin === null) throw new Error("the reaper has no pipe")
    this.#list = this.#child.stdin
    this.#list.on("error", () => {}) // `ended` and each write report it
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

  /** Resolves when the reaper has registered the group. */
  add(group: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#list.write(`add ${group}\n`, (fault) => (fault ? reject(fault) : resolve()))
    })
  }

  remove(group: number): void {
    if (this.#list.writable) this.#list.write(`remove ${group}\n`)
  }

  /** Lets it finish and exit. */
  async close(): Promise<boolean> {
    this.#child.ref()
    this.#list.end()
    return await this.ended
  }
}
