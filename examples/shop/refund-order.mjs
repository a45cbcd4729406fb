#!/usr/bin/env node
// Reads {"order": "1002"} from stdin and refunds it once: a call that is repeated after a crash has the same idempotency
// key and prints the first result again.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const { order } = JSON.parse(readFileSync(0, "utf8"))
const orders = JSON.parse(readFileSync(new URL("orders.json", import.meta.url), "utf8"))
if (!Object.hasOwn(orders, order)) {
  console.error(`No order ${order}.`)
  process.exit(1)
}
const folder = join(tmpdir(), "turnhouse-shop-refunds")
mkdirSync(folder, { recursive: true })
const receipt = join(folder, `${process.env.TURNHOUSE_IDEMPOTENCY_KEY ?? "by-hand"}.txt`)
try {
  writeFileSync(receipt, `${orders[order].price.toFixed(2)} EUR for order ${order}\n`, { flag: "wx" })
} catch (fault) {
  if (fault.code !== "EEXIST") throw fault
}
console.log(`Paid back: ${readFileSync(receipt, "utf8").trim()}.`)
