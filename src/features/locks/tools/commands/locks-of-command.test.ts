import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { locksOfCommand } from "./locks-of-command.ts"
import { shellTokens } from "./shell-tokens.ts"

/** As `kind@folder`, in the order in which they were found. */
function found(commandLine: string): string {
  return locksOfCommand(commandLine, "/p", "/home/me")
    .map(({ kind, folder }) => `${kind}@${folder}`)
    .join(" ")
}

describe("a git command", () => {
  it.each([
    ["git add .", "git_index@/p"],
    ["git commit -m 'x; git push'", "git_index@/p git_commit@/p"],
    ["git commit --dry-run", ""],
    ["git push origin main", "git_remote_write@/p"],
    ["git pull --rebase", "git_index@/p git_remote_merge@/p"],
    ["git merge topic", "git_index@/p git_commit@/p git_remote_merge@/p"],
    ["git branch topic", "git_branch@/p"],
    ["git branch -a", ""],
    ["git branch", ""],
    ["git switch -c topic", "git_branch@/p"],
    ["git checkout main", "git_branch@/p"],
    ["git checkout -b topic", "git_branch@/p"],
    ["git checkout -- a.txt", "git_index@/p git_destructive@/p"],
    ["git checkout HEAD a.txt", "git_index@/p git_destructive@/p"],
    ["git checkout .", "git_index@/p git_destructive@/p"],
    ["git restore --staged a.txt", "git_index@/p"],
    ["git restore a.txt", "git_index@/p git_destructive@/p"],
    ["git reset --hard HEAD~1", "git_index@/p git_destructive@/p"],
    ["git reset HEAD a.txt", "git_index@/p git_commit@/p"],
    ["git stash list", ""],
    ["git stash", "git_index@/p git_destructive@/p"],
    ["git clean -fd", "git_index@/p git_destructive@/p"],
    ["git tag", ""],
    ["git tag v1", "git_commit@/p"],
    ["git -C sub -c user.name=x commit", "git_index@/p/sub git_commit@/p/sub"],
    ["git --git-dir=/r/.git --work-tree /r commit", "git_index@/r git_commit@/r"],
    ["/usr/bin/git --no-pager add x", "git_index@/p"],
    ["git", ""],
    ["git constructor", ""],
    ["git -C ~/shop commit", "git_index@/home/me/shop git_commit@/home/me/shop"],
    ["git sparse-checkout set src", "git_index@/p git_destructive@/p"],
    ["git subtree push --prefix x origin y", "git_remote_write@/p"],
    ["git remote -v", ""],
    ["git remote remove origin", "git_commit@/p"],
    ...["status", "diff", "log -3", "show", "fetch", "grep x", "rev-parse HEAD", "ls-files"].map((look) => [
      `git ${look}`,
      "",
    ]),
  ])("%s takes %j", (commandLine, locks) => {
    expect(found(commandLine)).toBe(locks)
  })

  it("does not commit or push while others build and test", () => {
    const wanted = locksOfCommand("git commit && git push", "/p").filter(({ notDuring }) => notDuring !== undefined)
    expect(wanted.map(({ kind }) => kind)).toEqual(["git_commit", "git_remote_write"])
  })
})

describe("a build or a test", () => {
  it.each([
    ["make", "build@/p"],
    ["make -j4 -C lib", "build@/p/lib"],
    ["make test", "test@/p"],
    ["make all check", "build_test@/p"],
    ["npm test", "test@/p"],
    ["npm run test:unit -- --watch", "test@/p"],
    ["npm run build:prod", "build@/p"],
    ["npm ci", "build@/p"],
    ["npm --prefix web run build", "build@/p/web"],
    ["npm run lint", ""],
    ["npm --version", ""],
    ["pnpm --dir web run test", "test@/p/web"],
    ["yarn", "build@/p"],
    ["cargo build --release", "build@/p"],
    ["cargo +nightly test", "test@/p"],
    ["cargo fmt", ""],
    ["go test ./...", "test@/p"],
    ["pytest -q", "test@/p"],
    ["python3 -m pytest", "test@/p"],
    ["python3 script.py", ""],
    ["npx vitest run", "test@/p"],
    ["./gradlew build", "build_test@/p"],
    ["mvn -q compile", "build@/p"],
    ["cmake -S . -B out", ""],
    ["cmake --build out", "build@/p/out"],
    ["ctest -V", "test@/p"],
    ["mvn -V verify", "build_test@/p"],
    ["npm -w web test", "test@/p"],
    ["pnpm --filter web build", "build@/p"],
    ["yarn workspace web build", "build@/p"],
    ["cargo --manifest-path x/Cargo.toml test", "test@/p"],
    ["python3 -u -W error -m pytest", "test@/p"],
    ["python3 script.py -m pytest", ""],
    ["deno task test", "test@/p"],
    ["ls", ""],
    ["toString", ""],
  ])("%s takes %j", (commandLine, locks) => {
    expect(found(commandLine)).toBe(locks)
  })
})

describe("a command line", () => {
  it.each([
    [
      "is looked through along lists and pipelines",
      "git status && npm test | tee out || make; git add x &",
      "test@/p build@/p git_index@/p",
    ],
    ["behind assignments and redirections", "A=1 B='x y' 2>/dev/null git add x > out 2>&1", "git_index@/p"],
    ["behind programs that start others", "sudo -u me env A=b nice -n 5 timeout -k 1 60 make", "build@/p"],
    ["inside shells", `bash -lc "cd x && sh -c 'git commit -m a'"`, "git_index@/p/x git_commit@/p/x"],
    [
      "inside substitutions",
      'echo "$(git commit -m `make`)" <(npm test)',
      "build@/p git_index@/p git_commit@/p test@/p",
    ],
    ["inside loops and conditions", "if make; then for f in a b; do git add $f; done; fi", "build@/p git_index@/p"],
    ["and follows cd", "cd a && (cd b; make); npm test; cd /q; git add x", "build@/p/a/b test@/p/a git_index@/q"],
    ["home too", 'cd ~/a && make; cd "$HOME/b" && make; cd; cd ${HOME}c', "build@/home/me/a build@/home/me/b"],
    ["but not to a place that only the shell knows", "cd $SHOP && make", "build@/p"],
    ["what a shell reads on the spot is run", "bash -e <<'EOF'\ncd a\ngit add x\nEOF\nmake", "git_index@/p/a build@/p"],
    ["from a string as well", "sudo sh <<< 'git add x'", "git_index@/p"],
    ["but not what its script reads", "sh script.sh <<EOF\ngit add x\nEOF", ""],
    ["options of a shell may stand in one word", "bash -ce 'git add x'; bash -c -- make", "git_index@/p build@/p"],
    ["what is run for files that are found", "find . -name '*.ts' -exec git add {} \\; -print", "git_index@/p"],
    ["functions are looked into", "function f { git add x; }; f", "git_index@/p"],
    [
      "and what is timed or guarded",
      "time -p make; flock l git add x; timeout --signal KILL 9 npm test",
      "build@/p git_index@/p test@/p",
    ],
    ["words in quotes are words", "echo 'git commit' \"make test\" git commit", ""],
    ["comments and documents are not run", "ls # git commit\ncat <<'EOF'\nmake\nEOF\ntrue", ""],
    ["what comes after a document is", "cat <<EOF > f\nmake\nEOF\ngit add f", "git_index@/p"],
    ["a line goes on behind a backslash", "git \\\n add x", "git_index@/p"],
    ["names in quotes are names all the same", `"git" 'add' x; g\\it add y`, "git_index@/p"],
    ["what eval runs is run", "eval 'git add x'", "git_index@/p"],
    ["arithmetic is not run", "echo $((1 + (2)))", ""],
  ])("%s: %s", (_, commandLine, locks) => {
    expect(found(commandLine)).toBe(locks)
  })

  it("of any text is analysed without a fault in bounded time", () => {
    const signs = fc.constantFrom(...Array.from("abg \t\n;&|()<>\"'`$\\#{}=-"), "git ", "$(", "${", "<<E\n", "bash -c ")
    fc.assert(
      fc.property(fc.array(signs, { maxLength: 200 }), (pieces) => {
        expect(shellTokens(pieces.join(""))).toBeInstanceOf(Array)
        expect(locksOfCommand(pieces.join(""), "/p")).toBeInstanceOf(Array)
      }),
    )
    for (const hostile of [
      "$(".repeat(20_000),
      "(".repeat(50_000),
      "`".repeat(50_001),
      '"$('.repeat(10_000),
      "<<a ".repeat(9000),
      "cd x;".repeat(25_000),
      "find -exec ".repeat(10_000),
      "cd x;".repeat(10_000_000),
    ])
      expect(locksOfCommand(hostile, "/p")).toEqual([])
  })
})
