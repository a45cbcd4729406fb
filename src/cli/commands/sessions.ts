// Commands of the group "Sessions".
import { flag, text, type Command } from "../command.ts"
import { configOptions, jsonIdOption, jsonOption, modelOption, thinkingOption, yesOption } from "./shared-options.ts"

export const sessions: readonly Command[] = [
  {
    name: "new",
    acts: true,
    summary: "Create a session on the background host and print its id",
    options: {
      ...modelOption,
      ...thinkingOption,
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
    name: "undo",
    acts: true,
    summary: "Undo the newest turns of a session and revert their files",
    positionals: "[ID]",
    options: {
      turns: text("N", "Number of turns. Default: 1.", { short: "n" }),
      "dry-run": flag("Only show what would be done."),
      "keep-files": flag("Take back the conversation only."),
      ...jsonOption,
    },
    details: [
      "Without ID: the newest session of this folder. Files that commands changed are reverted too, as far as they are in",
      "the folder and not ignored by git. A file that changed after the turn is a conflict: it is left as it is, the others",
      "are reverted, and the exit code is 1. What cannot be reverted is listed.",
    ].join("\n"),
    load: () => import("./sessions/undo.ts"),
  },
  {
    name: "worktree",
    acts: true,
    summary: "List, merge or throw away the worktrees of 'run --worktree'",
    positionals: "[ls|merge|discard] [NAME]",
    completes: ["ls", "merge", "discard"],
    options: { ...yesOption, ...jsonOption },
    details: [
      "merge commits what is not committed, merges the branch into the one that it started from, and removes the worktree.",
      "If that would conflict with the branch or with uncommitted changes, nothing is changed and the worktree stays.",
      "discard asks if there are changes; in a script it needs --yes.",
    ].join("\n"),
    load: () => import("./sessions/worktree.ts"),
  },
  {
    name: "search",
    summary: "Find sessions by what was said and done in them",
    positionals: "TEXT...",
    completes: [],
    options: {
      limit: text("N", "Number of sessions. Default: 10.", { short: "n" }),
      folder: text("DIR", "Only sessions in this folder or below it; '.' is this one."),
      ...jsonOption,
    },
    details: [
      "Finds prompts, answers, tool calls and their output that contain all words; the last word may be incomplete. Exit",
      "code 1 if nothing is found. The index is brought up to date first; the first search of a large home takes a while.",
    ].join("\n"),
    load: () => import("./sessions/search.ts"),
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
    name: "context",
    summary: "Show what fills the context window of a session",
    positionals: "[ID]",
    options: jsonOption,
    details: "Without ID: the newest session of this folder. Sizes are estimates in tokens.",
    load: () => import("./sessions/context.ts"),
  },
  {
    name: "compact",
    acts: true,
    summary: "Replace the conversation of a session by a summary",
    positionals: "ID [TEXT...]",
    options: jsonOption,
    details: "TEXT says what the summary must keep above all. The log keeps everything. Prints the summary.",
    load: () => import("./sessions/compact.ts"),
  },
  {
    name: "tree",
    summary: "Show running agents and their sub-agents, or one tree",
    positionals: "[ID]",
    options: jsonOption,
    load: () => import("./sessions/tree.ts"),
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
