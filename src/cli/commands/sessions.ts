// Commands of the group "Sessions".
import { flag, text, type Command } from "../command.ts"
import { configOptions, jsonIdOption, jsonOption, modelOption, yesOption } from "./shared-options.ts"

export const sessions: readonly Command[] = [
  {
    name: "new",
    acts: true,
    summary: "Create a session on the background host and print its id",
    options: {
      ...modelOption,
      cwd: text("D", "Working folder. Default: the current folder."),
      name: text("N", "Name of the session."),
      alias: text("A", "Second name, such as the id that another program uses for it."),
      ...jsonIdOption,
      ...configOptions,
    },
    load: () => import("./sessions/new.ts"),
  },
  {
    name: "fork",
    acts: true,
    summary: "Create a session with the history of another one",
    positionals: "ID",
    options: {
      at: text("SEQ", "Copy events up to this one; no turn may be open there. Default: all."),
      ...jsonIdOption,
    },
    details: "The other session is not changed. Its standing permissions are not copied.",
    load: () => import("./sessions/fork.ts"),
  },
  {
    name: "log",
    summary: "Show all events of a session",
    positionals: "ID",
    options: {
      follow: flag("Print new events as they come, until Ctrl-C.", { short: "f" }),
      after: text("SEQ", "Only events after this one."),
      head: flag("Only the number and hash of the newest event."),
      json: flag("Print the stored lines, byte for byte."),
    },
    load: () => import("./sessions/log.ts"),
  },
  {
    name: "tree",
    summary: "Show running agents and their sub-agents, or one tree",
    positionals: "[ID]",
    options: jsonOption,
    load: () => import("./sessions/tree.ts"),
  },
  {
    name: "export",
    summary: "Write a session to a signed file that others can verify",
    positionals: "ID [FILE]",
    details: "The file contains the events, their hash chain and a signature. Without FILE it is written to stdout.",
    load: () => import("./sessions/export.ts"),
  },
  {
    name: "replay",
    summary: "Show an exported session as a conversation",
    positionals: "FILE",
    options: jsonOption,
    details: "'-' reads standard input. A file that does not match its seal is shown with a warning, exit code 1.",
    load: () => import("./sessions/replay.ts"),
  },
  {
    name: "stop",
    acts: true,
    summary: "Stop a session, its sub-agents and their processes",
    positionals: "ID",
    options: jsonOption,
    load: () => import("./sessions/stop.ts"),
  },
  {
    name: "hibernate",
    acts: true,
    summary: "Suspend sessions, even in the middle of a turn",
    positionals: "[ID]",
    options: jsonOption,
    details:
      "Suspends the whole agent tree of ID; without ID all open sessions. They continue with 'turnhouse resume'.",
    load: () => import("./sessions/hibernate.ts"),
  },
  {
    name: "resume",
    acts: true,
    summary: "Resume suspended sessions",
    positionals: "[ID]",
    options: jsonOption,
    details: "Resumes the whole agent tree of ID; without ID all suspended sessions. Open turns continue.",
    load: () => import("./sessions/resume.ts"),
  },
  {
    name: "rm",
    acts: true,
    summary: "Delete sessions permanently",
    positionals: "ID...",
    options: { ...yesOption, ...jsonOption },
    details: "Sub-agents of a session are deleted with it. An open session is not deleted.",
    load: () => import("./sessions/rm.ts"),
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
    load: () => import("./sessions/prune.ts"),
  },
  {
    name: "locks",
    summary: "List held locks and who waits for them",
    options: jsonOption,
    details: [
      "Locks keep agents from building, testing or committing in the same folder at the same time. Locks of dead holders",
      "are released first. The number is the fencing token of the lock; rows of other programs have none.",
    ].join("\n"),
    load: () => import("./sessions/locks.ts"),
  },
]
