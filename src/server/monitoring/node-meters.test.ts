import { expect, it } from "vitest"
import { NodeMeters } from "./node-meters.ts"

function meters() {
  return new NodeMeters({ name: 'a"1\\', release: "1.2.3" })
}

it("writes what the node is and whether it is fenced, with escaped labels", () => {
  const lines = meters().text(true).split("\n")
  expect(lines).toContain('turnhouse_node_info{node="a\\"1\\\\",version="1.2.3"} 1')
  expect(lines).toContain("turnhouse_node_fenced 1")
  expect(meters().text(false).split("\n")).toContain("turnhouse_node_fenced 0")
})

it("counts appends and renewals in cumulative buckets of seconds", () => {
  const node = meters()
  for (const ms of [1, 3, 3, 60_000]) node.appended(ms)
  node.renewed(20)
  const lines = node.text(false).split("\n")
  expect(lines).toContain('turnhouse_store_append_seconds_bucket{le="0.001"} 1')
  expect(lines).toContain('turnhouse_store_append_seconds_bucket{le="0.005"} 3')
  expect(lines).toContain('turnhouse_store_append_seconds_bucket{le="5"} 3')
  expect(lines).toContain('turnhouse_store_append_seconds_bucket{le="+Inf"} 4')
  expect(lines).toContain("turnhouse_store_append_seconds_count 4")
  expect(lines).toContain('turnhouse_lease_renewal_seconds_bucket{le="0.025"} 1')
})

it("counts store errors by kind, and sessions that were adopted and moved", () => {
  const node = meters()
  node.failed("unreachable")
  node.failed("unreachable")
  node.failed("conflict")
  node.adopted()
  node.moved()
  const lines = node.text(false).split("\n")
  expect(lines).toContain('turnhouse_store_errors_total{kind="unreachable"} 2')
  expect(lines).toContain('turnhouse_store_errors_total{kind="conflict"} 1')
  expect(lines).toContain("turnhouse_sessions_adopted_total 1")
  expect(lines).toContain("turnhouse_sessions_moved_total 1")
})

it("adds the metrics of other parts", () => {
  const node = meters()
  node.add(() => [{ name: "turnhouse_x", help: "X.", type: "gauge", samples: [{ labels: { of: "y" }, value: 2 }] }])
  expect(node.text(false).endsWith('# HELP turnhouse_x X.\n# TYPE turnhouse_x gauge\nturnhouse_x{of="y"} 2')).toBe(true)
})
