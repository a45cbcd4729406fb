// Tasks that need the right search, or what the project says about itself.
import { call, found, use, type Task } from "../task.ts"

const answerIs = (word: string) => `assert.equal(read("answer.txt").trim(), "${word}")`

export const contextTasks: readonly Task[] = [
  {
    name: "agents-md",
    measures: "obeys AGENTS.md",
    instruction: "Add a file greet.mjs that exports the greeting of texts.txt as a constant.",
    isTrusted: true,
    files: (word) => ({
      "AGENTS.md": `# Rules\n\nThe first line of every module is the comment \`// house style ${word}\`.\n`,
      "texts.txt": `greeting: hello-${word}\n`,
    }),
    check: (word) =>
      `assert(read("greet.mjs").startsWith("// house style ${word}\\n"), "the rule of AGENTS.md was not followed")\nassert(read("greet.mjs").includes("hello-${word}"))`,
    *script({ system, prompt }) {
      const rule = /house style (\w+)/.exec(`${system}\n${prompt}`)?.[1] ?? "unknown"
      const texts = yield* use("read", { path: "texts.txt" })
      const greeting = found(texts, /greeting: (\S+)/)
      yield* use("write", {
        path: "greet.mjs",
        content: `// house style ${rule}\nexport const greeting = "${greeting}"\n`,
      })
      return "Done."
    },
  },
  {
    name: "grep-context",
    measures: "sees the lines around a match",
    instruction: "Which default does the option --depth have? Write it into answer.txt.",
    files: (word) => ({
      "options.txt": `--width\n  how wide\n  default: 1\n--depth\n  how deep\n  default: ${word}\n--height\n  default: 2\n`,
    }),
    check: answerIs,
    *script() {
      const matches = yield* use("grep", { pattern: "^--depth", context: 2 })
      yield* use("write", { path: "answer.txt", content: found(matches, /--depth[\s\S]*?default: (\w+)/) })
      return "Done."
    },
  },
  {
    name: "ignored-files",
    measures: "a search leaves out what git ignores",
    instruction: "Write the name of the only source file that mentions TOKEN, without its folder, into answer.txt.",
    files: (word) => ({
      ".gitignore": "build/\n",
      "build/copy.mjs": "TOKEN\n",
      [`src/${word}.mjs`]: "export const TOKEN = 1\n",
      "src/other.mjs": "export const x = 1\n",
    }),
    check: (word) => answerIs(`${word}.mjs`),
    *script() {
      const matches = yield* use("grep", { pattern: "TOKEN" })
      const names = [...new Set(matches.text.match(/\w+\.mjs/g))]
      yield* use("write", { path: "answer.txt", content: names.join(" ") })
      return "Done."
    },
  },
  {
    name: "count-files",
    measures: "finds files by name",
    instruction:
      "How many test files (*.test.mjs) are there, and what is the name of the deepest? Write 'COUNT NAME' into answer.txt.",
    files: (word) => ({
      "a.test.mjs": "",
      "lib/b.test.mjs": "",
      [`lib/deep/er/${word}.test.mjs`]: "",
      "lib/none.mjs": "",
    }),
    check: (word) => answerIs(`3 ${word}.test.mjs`),
    *script() {
      const paths = yield* use("find", { pattern: "**/*.test.mjs" })
      const all = paths.text.match(/\S+\.test\.mjs/g) ?? []
      const deepest = all.toSorted((a, b) => b.split("/").length - a.split("/").length)[0] ?? ""
      yield* use("write", { path: "answer.txt", content: `${all.length} ${deepest.split("/").at(-1)}` })
      return "Done."
    },
  },
  {
    name: "link",
    measures: "edits through a symbolic link",
    instruction: "Set level in current.conf to the value of the file level.",
    files: (word) => ({ "versions/v2.conf": "level = none\n", level: word }),
    setup: ["ln -s versions/v2.conf current.conf"],
    check: (word) =>
      `assert.equal(read("versions/v2.conf"), "level = ${word}\\n")\nassert.equal(execFileSync("readlink", ["current.conf"]).toString().trim(), "versions/v2.conf")`,
    *script() {
      const [level] = yield [call("read", { path: "level" }), call("read", { path: "current.conf" })]
      yield* use("edit", {
        path: "current.conf",
        old_string: "level = none",
        new_string: `level = ${found(level, /\t(\w+)/)}`,
      })
      return "Done."
    },
  },
  {
    name: "todo-list",
    measures: "keeps a list of what is left",
    instruction: "Do what tasks.md lists, in this order, and tick each off in the file.",
    files: (word) => ({ "tasks.md": `- [ ] create ${word}.txt\n- [ ] create ${word}.md\n` }),
    check: (word) =>
      `assert(existsSync("${word}.txt") && existsSync("${word}.md"))\nassert.equal(read("tasks.md"), "- [x] create ${word}.txt\\n- [x] create ${word}.md\\n")`,
    *script({ tools }) {
      const list = yield* use("read", { path: "tasks.md" })
      const files = [...list.text.matchAll(/create (\S+)/g)].map(([, file]) => file ?? "")
      const todo = (done: number) =>
        files.map((file, n) => ({ content: `create ${file}`, status: n < done ? "completed" : "pending" }))
      for (const [n, file] of files.entries()) {
        if (tools.includes("todo")) yield* use("todo", { todos: todo(n) })
        yield* use("write", { path: file, content: "" })
        yield* use("edit", { path: "tasks.md", old_string: `[ ] create ${file}`, new_string: `[x] create ${file}` })
      }
      return "Done."
    },
  },
]
