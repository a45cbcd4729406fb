// How the types of the package are cut down to what its libraries export.
import { describe, expect, it } from "vitest"
import { writeOut } from "../../scripts/build/expand-schemas.ts"
import { shakeDeclarations } from "../../scripts/build/shake-declarations.ts"

function shake(modules: Readonly<Record<string, string>>) {
  return shakeDeclarations(["entry.ts"], {
    resolve: (_path, specifier) => (specifier.startsWith("./") ? specifier.slice(2) : undefined),
    read: (path) => modules[path] ?? "",
    specifier: (_path, target) => `./${target.replace(/\.ts$/, ".js")}`,
  })
}

describe("declarations", () => {
  it("keep the type and leave out the schema of the same name", () => {
    const { files, foreign } = shake({
      "entry.ts": 'export type { By } from "./values.ts";',
      "values.ts":
        'import { z } from "zod";\nexport declare const By: z.ZodString;\n/** Who did it. */\nexport type By = string;\n',
    })
    expect(files.get("entry.ts")).toBe('export type { By } from "./values.js";\nexport {};\n')
    expect(files.get("values.ts")).toBe("/** Who did it. */\nexport type By = string;\nexport {};\n")
    expect([...foreign]).toEqual([])
  })

  it("keep what a kept statement uses, through imports, stars and import types", () => {
    const { files } = shake({
      "entry.ts": 'export * from "./a.ts";',
      "a.ts":
        'import type { B } from "./b.ts";\nexport interface A { readonly b: B; c(): import("./c.ts").C }\ntype Unused = B;\n',
      "b.ts": "interface Hidden { x: 1 }\nexport interface B extends Hidden {}\nexport interface Other {}\n",
      "c.ts": "export type C = 1;\nexport type D = 2;\n",
    })
    expect(files.get("a.ts")).toBe(
      'import type { B } from "./b.js";\nexport interface A { readonly b: B; c(): import("./c.js").C }\nexport {};\n',
    )
    expect(files.get("b.ts")).toBe("interface Hidden { x: 1 }\nexport interface B extends Hidden {}\nexport {};\n")
    expect(files.get("c.ts")).toBe("export type C = 1;\nexport {};\n")
  })

  it("report the package that a kept statement needs", () => {
    const { foreign } = shake({ "entry.ts": 'import { z } from "zod";\nexport declare const By: z.ZodString;\n' })
    expect([...foreign]).toEqual(["zod (entry.ts)"])
  })

  it("have inferred types written out, and import the one that is recursive", () => {
    const text = "export type By = z.infer<typeof By>;\nexport type Other = 1;\n"
    expect(writeOut("src/contract/queries.ts", text, new Map([["By", "{ value: JsonValue; }"]]))).toBe(
      'import { JsonValue } from "./values.ts";\nexport type By = { value: JsonValue; };\nexport type Other = 1;\n',
    )
  })
})
