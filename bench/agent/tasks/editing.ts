// Tasks that change files.
import { call, found, use, type Task } from "../task.ts"

const modules = ["invoice", "order", "report", "mail", "ledger", "audit"]

export const editingTasks: readonly Task[] = [
  {
    name: "fix-rounding",
    measures: "read, edit, run the tests",
    instruction: "Refund totals are off by one cent. Find out why and fix it; the tests must pass.",
    files: (word) => ({
      "src/refund.mjs": `export function refund_${word}(net, rate) {\n  return Math.floor(net * rate * 100) / 100\n}\n`,
      "refund.test.mjs": `import { refund_${word} as refund } from "./src/refund.mjs"\nimport assert from "node:assert/strict"\nassert.equal(refund(100.01, 0.18), 18)\nassert.equal(refund(19.99, 0.15), 3)\n`,
    }),
    check: (word) =>
      `const { refund_${word}: refund } = await import(process.cwd() + "/src/refund.mjs")\nassert.equal(refund(19.99, 0.15), 3)\nassert.equal(refund(0.1, 0.5), 0.05)`,
    *script() {
      yield [call("bash", { command: "node refund.test.mjs" }), call("bash", { command: "ls src" })]
      const source = yield* use("read", { path: "src/refund.mjs" })
      const line = found(source, /\d+\t(\s*return Math\.floor.*)/)
      yield* use("edit", { path: "src/refund.mjs", old_string: line, new_string: line.replace("floor", "round") })
      const test = yield* use("bash", { command: "node refund.test.mjs && echo passed" })
      return `The amount was rounded down. Test: ${found(test, /(passed)/)}`
    },
  },
  {
    name: "rename-function",
    measures: "one change in many places",
    instruction: "Rename the function that formats prices to formatMoney everywhere.",
    files: (word) => ({
      "src/price.mjs": `export function price_${word}(cents) {\n  return (cents / 100).toFixed(2)\n}\n`,
      ...Object.fromEntries(
        modules.map((name) => [
          `src/${name}.mjs`,
          `import { price_${word} } from "./price.mjs"\n\nexport const ${name} = (cents) => price_${word}(cents) + " EUR"\nexport const ${name}Total = (all) => price_${word}(all.reduce((a, b) => a + b, 0))\n`,
        ]),
      ),
    }),
    check: (word) =>
      modules
        .map((name) => `assert.equal((await import(process.cwd() + "/src/${name}.mjs")).${name}(150), "1.50 EUR")`)
        .concat(`assert.throws(() => execFileSync("grep", ["-r", "price_${word}", "src"]))`)
        .join("\n"),
    *script() {
      const places = yield* use("grep", { pattern: "function \\w+\\(cents\\)", path: "src" })
      const name = found(places, /function (\w+)\(/)
      const uses = yield* use("bash", { command: `grep -rl ${name} src` })
      const files = [...new Set(uses.text.match(/src\/\w+\.mjs/g))]
      yield files.map((path) => call("read", { path }))
      const edits = yield files.map((path) =>
        call("edit", { path, old_string: name, new_string: "formatMoney", replace_all: true }),
      )
      return `Renamed in ${edits.filter((edit) => !edit.isError).length} files.`
    },
  },
  {
    name: "several-edits",
    measures: "several edits in one call",
    instruction: "In settings.mjs set retries to 5, timeout to 30 and remove the debug flag.",
    files: (word) => ({
      "settings.mjs": `export const ${word} = {\n  retries: 2,\n  timeout: 10,\n  debug: true,\n  name: "${word}",\n}\n`,
    }),
    check: (word) =>
      `const { ${word} } = await import(process.cwd() + "/settings.mjs")\nassert.deepEqual(${word}, { retries: 5, timeout: 30, name: "${word}" })`,
    *script() {
      const file = yield* use("read", { path: "settings.mjs" })
      const retries = found(file, /(retries: \d+)/)
      yield* use("edit", {
        path: "settings.mjs",
        edits: [
          { old_string: retries, new_string: "retries: 5" },
          { old_string: found(file, /(timeout: \d+)/), new_string: "timeout: 30" },
          { old_string: `${found(file, /\t(\s*debug: true,)/)}\n`, new_string: "" },
        ],
      })
      return "Changed all three."
    },
  },
  {
    name: "patch",
    measures: "apply_patch: several files in one patch",
    instruction: "Move the constant LIMIT from app.mjs into a new file limit.mjs and import it.",
    files: (word) => ({
      "app.mjs": `export const LIMIT = "${word}"\n\nexport const shown = () => LIMIT.toUpperCase()\n`,
    }),
    check: (word) =>
      `assert.equal((await import(process.cwd() + "/limit.mjs")).LIMIT, "${word}")\nassert.equal((await import(process.cwd() + "/app.mjs")).shown(), "${word.toUpperCase()}")\nassert(!read("app.mjs").includes("${word}"))`,
    *script({ tools }) {
      const file = yield* use("read", { path: "app.mjs" })
      const line = found(file, /\t(export const LIMIT.*)/)
      const patch = [
        "*** Begin Patch",
        "*** Add File: limit.mjs",
        `+${line}`,
        "*** Update File: app.mjs",
        "@@",
        `-${line}`,
        `+import { LIMIT } from "./limit.mjs"`,
        " ",
        " export const shown = () => LIMIT.toUpperCase()",
        "*** End Patch",
      ].join("\n")
      if (tools.includes("apply_patch")) {
        yield* use("apply_patch", { patch })
        return "Moved."
      }
      yield [
        call("write", { path: "limit.mjs", content: `${line}\n` }),
        call("edit", { path: "app.mjs", old_string: line, new_string: `import { LIMIT } from "./limit.mjs"` }),
      ]
      return "Moved, without a patch."
    },
  },
  {
    name: "new-module",
    measures: "write new files in a new folder",
    instruction: "Write src/text/slug.mjs with a function slug as README.md describes it, and a test for it.",
    files: (word) => ({ "README.md": `# Slugs\n\nA slug has lower-case letters and digits, joined by "${word}".\n` }),
    check: (word) =>
      `assert.equal((await import(process.cwd() + "/src/text/slug.mjs")).slug("Hello, big World 2"), ["hello", "big", "world", "2"].join("${word}"))\nassert(existsSync("src/text/slug.test.mjs"))`,
    *script() {
      const readme = yield* use("read", { path: "README.md" })
      const joint = found(readme, /joined by "(\w+)"/)
      yield [
        call("write", {
          path: "src/text/slug.mjs",
          content: `export const slug = (text) => (text.toLowerCase().match(/[a-z0-9]+/g) ?? []).join("${joint}")\n`,
        }),
        call("write", {
          path: "src/text/slug.test.mjs",
          content: `import assert from "node:assert/strict"\nimport { slug } from "./slug.mjs"\nassert.equal(slug("A b"), "a${joint}b")\n`,
        }),
      ]
      yield* use("bash", { command: "node src/text/slug.test.mjs" })
      return "Written and tested."
    },
  },
  {
    name: "merge-conflict",
    measures: "resolve a conflict and commit",
    instruction:
      "The merge of the branch feature stopped with a conflict. Keep both entries, the feature's last, and commit.",
    files: (word) => ({ "list.txt": "first\n", "word.txt": `${word}\n` }),
    setup: [
      "git config user.name bench && git config user.email bench@localhost",
      "git checkout -qb feature && cat word.txt >> list.txt && git commit -qam feature",
      "git checkout -q main && echo ours >> list.txt && git commit -qam ours",
      "git merge feature >/dev/null 2>&1 || true",
    ],
    check: (word) =>
      `assert.equal(read("list.txt"), "first\\nours\\n${word}\\n")\nassert.equal(execFileSync("git", ["status", "--porcelain", "list.txt"]).toString(), "")\nassert.equal(execFileSync("git", ["log", "-1", "--format=%P"]).toString().trim().split(" ").length, 2)`,
    *script() {
      const status = yield* use("bash", { command: "git status --short" })
      const path = found(status, /UU (\S+)/)
      const conflict = yield* use("read", { path })
      const text = [...conflict.text.matchAll(/\t(.*)/g)].map(([, line]) => line ?? "")
      const kept = text.filter((line) => !/^(<<<<<<<|=======|>>>>>>>)/.test(line) && line !== "")
      yield* use("write", { path, content: `${kept.join("\n")}\n` })
      yield* use("bash", { command: `git add ${path} && git commit -qm "Merge feature"` })
      return "Merged."
    },
  },
  {
    name: "move-file",
    measures: "move a file and repair what imports it",
    instruction: "Move util.mjs into lib/ and correct the imports.",
    files: (word) => ({
      "util.mjs": `export const id = "${word}"\n`,
      "main.mjs": `import { id } from "./util.mjs"\nexport const shown = id\n`,
      [`${word}.mjs`]: `import { id } from "./util.mjs"\nexport const other = id\n`,
    }),
    check: (word) =>
      `assert.equal((await import(process.cwd() + "/main.mjs")).shown, "${word}")\nassert.equal((await import(process.cwd() + "/${word}.mjs")).other, "${word}")\nassert(existsSync("lib/util.mjs") && !existsSync("util.mjs"))`,
    *script() {
      const users = yield* use("grep", { pattern: 'from "./util.mjs"' })
      const files = [...new Set(users.text.match(/\w+\.mjs(?=:)/g))]
      yield* use("bash", { command: "mkdir -p lib && git mv util.mjs lib/util.mjs" })
      yield files.map((path) => call("read", { path }))
      yield files.map((path) => call("edit", { path, old_string: "./util.mjs", new_string: "./lib/util.mjs" }))
      return "Moved."
    },
  },
]
