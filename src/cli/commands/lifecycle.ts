// Commands of the group "Lifecycle".
import { flag, text, type Command } from "../command.ts"
import { jsonOption, yesOption } from "./shared-options.ts"

export const lifecycle: readonly Command[] = [
  {
    name: "stop",
    acts: true,
    summary: "Stop a session, its sub-agents and their processes",
    positionals: "ID",
    options: jsonOption,
    load: () => import("./lifecycle/stop.ts"),
  },
  {
    name: "hibernate",
    acts: true,
    summary: "Suspend sessions, even in the middle of a turn",
    positionals: "[ID]",
    options: jsonOption,
    details:
      "Suspends the whole agent tree of ID; without ID all open sessions. They continue with 'turnhouse resume'.",
    load: () => import("./lifecycle/hibernate.ts"),
  },
  {
    name: "resume",
    acts: true,
    summary: "Resume suspended sessions",
    positionals: "[ID]",
    options: jsonOption,
    details: "Resumes the whole agent tree of ID; without ID all suspended sessions. Open turns continue.",
    load: () => import("./lifecycle/resume.ts"),
  },
  {
    name: "move",
    acts: true,
    summary: "Move a session to another node of the cluster",
    positionals: "ID NODE",
    options: jsonOption,
    details: [
      "Its agents move with it. A running turn is paused where it can be interrupted, which may take up to 30 seconds, and",
      "goes on on the node; clients that watch follow. A closed session is opened there. 'turnhouse nodes' lists the nodes.",
      "Exit code 2: no such session or node; 4: the node cannot run it, because it lacks the label of its folder.",
    ].join("\n"),
    load: () => import("./lifecycle/move.ts"),
  },
  {
    name: "rm",
    acts: true,
    summary: "Delete sessions permanently",
    positionals: "ID...",
    options: { ...yesOption, ...jsonOption },
    details: "Sub-agents of a session are deleted with it. An open session is not deleted.",
    load: () => import("./lifecycle/rm.ts"),
  },
  {
    name: "prune",
    acts: true,
    summary: "Delete sessions that have been idle for a given time",
    options: {
      older: text("D", "Idle for at least this time, such as 90d or 12h."),
      ...yesOption,
      "dry-run": flag("Only show what would be deleted.", { short: "n" }),
      ...jsonOption,
    },
    load: () => import("./lifecycle/prune.ts"),
  },
]
