// Tasks in which the model makes a typical mistake and must get a result that puts it right.
import { fileURLToPath } from "node:url"
import { call, found, use, type Task } from "../task.ts"

const answerIs = (word: string) => `assert.equal(read("answer.txt").trim(), "${word}")`

/** The language server of the TypeScript of this repository. */
const tsc = fileURLToPath(new URL("../../../node_modules/typescript/bin/tsc", import.meta.url))
const typescript = { command: [process.execPath, tsc, "--lsp", "--stdio"], files: ["*.ts"], timeout: 60 }

export const mistakeTasks: readonly Task[] = [
  {
    name: "stale-read",
    measures: "mistake: edits what has changed since it was read",
    instruction: "Run ./upgrade.sh, then set port to 8080 in conf.txt. Keep what the upgrade wrote.",
    files: (word) => ({
      "conf.txt": "port = 80\nname = old\n",
      "upgrade.sh": `#!/bin/sh\nprintf 'port = 81\\nname = ${word}\\n' > conf.txt\n`,
    }),
    setup: ["chmod +x upgrade.sh"],
    check: (word) => `assert.equal(read("conf.txt"), "port = 8080\\nname = ${word}\\n")`,
    *script() {
      yield* use("read", { path: "conf.txt" })
      yield* use("bash", { command: "./upgrade.sh" })
      const refused = yield* use("write", { path: "conf.txt", content: "port = 8080\nname = old\n" })
      if (!refused.isError) return "The upgrade was overwritten."
      const now = yield* use("read", { path: "conf.txt" })
      yield* use("edit", { path: "conf.txt", old_string: found(now, /\t(port = \d+)/), new_string: "port = 8080" })
      return "Done."
    },
  },
  {
    name: "wrong-whitespace",
    measures: "mistake: spaces where the file has tabs",
    instruction: "Make the function in indent.mjs return the word that its comment names.",
    files: (word) => ({
      "indent.mjs": `export function word() {\n\tif (true) {\n\t\t// ${word}\n\t\treturn "none"\n\t}\n}\n`,
    }),
    check: (word) =>
      `assert.equal((await import(process.cwd() + "/indent.mjs")).word(), "${word}")\nassert(read("indent.mjs").includes("\\t\\treturn"), "the indentation was changed")`,
    *script() {
      const file = yield* use("read", { path: "indent.mjs" })
      const name = found(file, /\/\/ (\w+)/)
      yield* use("edit", {
        path: "indent.mjs",
        old_string: `    // ${name}\n    return "none"`,
        new_string: `    // ${name}\n    return "${name}"`,
      })
      return "Done."
    },
  },
  {
    name: "typographic-quotes",
    measures: "mistake: straight quotes where the file has curly ones",
    instruction: "In the motto replace 'nothing' by the word in the first line.",
    files: (word) => ({ "motto.md": `${word}\n\nOur motto is “nothing’s lost” – always.\n` }),
    check: (word) => `assert.equal(read("motto.md").split("\\n")[2], "Our motto is “${word}’s lost” – always.")`,
    *script() {
      const file = yield* use("read", { path: "motto.md" })
      const name = found(file, /1\t(\w+)/)
      const tried = yield* use("edit", {
        path: "motto.md",
        old_string: `motto is "nothing's lost"`,
        new_string: `motto is “${name}’s lost”`,
      })
      if (tried.isError) yield* use("edit", { path: "motto.md", old_string: "nothing", new_string: name })
      return "Done."
    },
  },
  {
    name: "unknown-field",
    measures: "mistake: a field that the tool does not have",
    instruction: "Write the word in word.txt into answer.txt.",
    files: (word) => ({ "word.txt": word }),
    check: answerIs,
    *script() {
      const refused = yield* use("read", { path: "word.txt", ofset: 1 })
      const nearest = found(refused, /'?(offset)'?/)
      if (!refused.isError || nearest === "") return "The field was dropped."
      const word = yield* use("read", { path: "word.txt", [nearest]: 1 })
      yield* use("write", { path: "answer.txt", content: found(word, /\t(\w+)/) })
      return "Done."
    },
  },
  {
    name: "other-spellings",
    measures: "accepts the spellings of other agents",
    instruction: "Replace 'none' in state.txt by the word in word.txt.",
    files: (word) => ({ "word.txt": word, "state.txt": "state: none\n" }),
    check: (word) => `assert.equal(read("state.txt"), "state: ${word}\\n")`,
    *script() {
      const [word] = yield [
        call("Read", { file_path: "word.txt" }),
        call("Read", { file_path: "state.txt" }),
        call("Bash", { command: "true", description: "Does nothing" }),
      ]
      yield* use("Edit", { file_path: "state.txt", old_string: "none", new_string: found(word, /\t(\w+)/) })
      return "Done."
    },
  },
  {
    name: "not-unique",
    measures: "mistake: the text to replace occurs twice",
    instruction: "Set the timeout of the second service in services.ini to 9.",
    files: (word) => ({ "services.ini": `[one]\ntimeout = 1\n[${word}]\ntimeout = 1\n` }),
    check: (word) => `assert.equal(read("services.ini"), "[one]\\ntimeout = 1\\n[${word}]\\ntimeout = 9\\n")`,
    *script() {
      const file = yield* use("read", { path: "services.ini" })
      yield* use("edit", { path: "services.ini", old_string: "timeout = 1", new_string: "timeout = 9" })
      const service = found(file, /3\t(\[\w+\])/)
      yield* use("edit", {
        path: "services.ini",
        old_string: `${service}\ntimeout = 1`,
        new_string: `${service}\ntimeout = 9`,
      })
      return "Done."
    },
  },
  {
    name: "write-unread",
    measures: "mistake: replaces a file that was not read",
    instruction: "Add a line 'end' to the end of poem.txt.",
    files: (word) => ({ "poem.txt": `roses\n${word}\n` }),
    check: (word) => `assert.equal(read("poem.txt"), "roses\\n${word}\\nend\\n")`,
    *script() {
      const refused = yield* use("write", { path: "poem.txt", content: "end\n" })
      if (!refused.isError) return "The poem was overwritten."
      const poem = yield* use("read", { path: "poem.txt" })
      const lines = [...poem.text.matchAll(/\t(.+)/g)].map(([, line]) => line ?? "")
      yield* use("write", { path: "poem.txt", content: [...lines, "end", ""].join("\n") })
      return "Done."
    },
  },
  {
    name: "unknown-tool",
    measures: "mistake: a tool that does not exist",
    instruction: "Copy the content of source.txt to answer.txt.",
    files: (word) => ({ "source.txt": word }),
    check: answerIs,
    *script() {
      const refused = yield* use("raed", { path: "source.txt" })
      const tool = found(refused, /\b(read)\b/)
      if (tool === "") return "No tool was suggested."
      const source = yield* use(tool, { path: "source.txt" })
      yield* use("write", { path: "answer.txt", content: found(source, /\t(\w+)/) })
      return "Done."
    },
  },
  {
    name: "invalid-json",
    measures: "mistake: input that is not JSON",
    instruction: "Copy the word in note.txt to answer.txt.",
    files: (word) => ({ "note.txt": word }),
    check: answerIs,
    *script() {
      const [refused] = yield [{ tool: "read", raw: '{"path": note.txt}' }]
      if (refused?.isError !== true) return "The input was guessed."
      const note = yield* use("read", { path: "note.txt" })
      yield* use("write", { path: "answer.txt", content: found(note, /\t(\w+)/) })
      return "Done."
    },
  },
  {
    name: "cut-call",
    measures: "mistake: the output limit cuts a call off",
    instruction: "Write the word in start.txt three times, one below the other, into answer.txt.",
    files: (word) => ({ "start.txt": word }),
    check: (word) => answerIs([word, word, word].join("\\n")),
    *script() {
      const start = yield* use("read", { path: "start.txt" })
      const word = found(start, /\t(\w+)/)
      const [refused] = yield {
        blocks: [{ tool: "write", raw: `{"path":"answer.txt","content":"${word}` }],
        finish: "length",
      }
      if (refused?.isError !== true) return "Half a call was run."
      yield* use("write", { path: "answer.txt", content: `${word}\n${word}\n${word}\n` })
      return "Done."
    },
  },
  {
    name: "repeated-call",
    measures: "mistake: the same call again and again",
    instruction: "Find the word that is hidden in the folder and write it into answer.txt.",
    files: (word) => ({ ".hidden/word.txt": word, "readme.txt": "nothing here\n" }),
    check: answerIs,
    *script() {
      let note = ""
      for (let tries = 0; tries < 5 && note === ""; tries++) {
        const result = yield* use("read", { path: "readme.txt" })
        note = found(result, /(same (?:call|input|result)|repeated|identical)/i)
      }
      if (note === "") return "No note about the repeated call."
      const names = yield* use("find", { pattern: "**/word.txt" })
      const word = yield* use("read", { path: found(names, /(\S*word\.txt)/) })
      yield* use("write", { path: "answer.txt", content: found(word, /\t(\w+)/) })
      return "Done."
    },
  },
  {
    name: "type-error",
    measures: "mistake: a type error, reported after the edit",
    instruction: "Add use.ts, which exports a constant of the type in type.ts.",
    isTrusted: true,
    files: (word) => ({
      "turnhouse.json": JSON.stringify({ tools: { languageServers: { typescript } } }),
      "tsconfig.json": JSON.stringify({ compilerOptions: { strict: true, noEmit: true, types: [] } }),
      "type.ts": `export type Name = "${word}"\n`,
    }),
    check: (word) => `assert(read("use.ts").includes('"${word}"'), "the type error is still there")`,
    *script() {
      const content = `import type { Name } from "./type"\nexport const name: Name = "unknown"\n`
      const written = yield* use("write", { path: "use.ts", content })
      const expected = found(written, /error: Type '"unknown"' is not assignable to type '"(\w+)"'/)
      const fixed = yield* use("edit", { path: "use.ts", old_string: '"unknown"', new_string: `"${expected}"` })
      return fixed.text.includes("error:") ? "The error is still reported." : "Done."
    },
  },
  {
    name: "line-endings",
    measures: "keeps CRLF although the model writes LF",
    instruction: "In hosts.txt put the name of the last line also into the first.",
    files: (word) => ({ "hosts.txt": `1 none\r\n2 other\r\n3 ${word}\r\n` }),
    check: (word) => `assert.equal(read("hosts.txt"), "1 ${word}\\r\\n2 other\\r\\n3 ${word}\\r\\n")`,
    *script() {
      const hosts = yield* use("read", { path: "hosts.txt" })
      const name = found(hosts, /\t3 (\w+)/)
      yield* use("edit", { path: "hosts.txt", old_string: "1 none\n2 other", new_string: `1 ${name}\n2 other` })
      return "Done."
    },
  },
]
