// What the models of the widget's tests say.
import type { Step } from "../../src/models/offline/index.ts"

const markdown = `Of course. **Orders** leave our store on the day after they were paid:

1. within the country: *2 to 4* days
2. elsewhere: up to 10 days

| order | costs |
|---|---:|
| below €50 | €4.90 |
| from €50 | free |

See [shipping](https://shop.example/shipping) or write to \`help@shop.example\`.`

const hostile = `<script>window.ran = 1</script><img src=x onerror="window.ran = 2">

[click](javascript:window.ran=3) ![picture](https://tracker.example/p.png) [data](data:text/html,<script>window.ran=4</script>)

<iframe src="https://evil.example"></iframe><style>*{display:none}</style>

- [ ] \`<b onclick="window.ran = 5">\` &lt;i&gt; [x](https://a.example/"onmouseover="window.ran=6)`

const sizes = {
  header: "Size",
  question: "Which size do you wear?",
  options: ["41", "42", { label: "43", description: "runs large" }],
}
const colours = {
  header: "Colours",
  question: "Which colours do you like?",
  multiSelect: true,
  options: ["Blue", "Green"],
}

export const scripts = {
  shop: [[{ text: markdown }], [{ text: "Good bye." }], [{ text: "And again." }]],
  hostile: [[{ text: hostile }]],
  confirm: [
    [{ text: "I can refund it." }, { call: { tool: "refund_order", input: { order: "1002" } } }],
    [{ text: "€18.00 are on their way to your card." }],
  ],
  choices: [
    [
      {
        call: {
          tool: "request_choices",
          input: { reason: "So that I can suggest shoes.", questions: [sizes, colours] },
        },
      },
    ],
    [{ text: "Size 42 in blue it is." }],
  ],
  form: [
    [
      {
        call: {
          tool: "request_identity_intake",
          input: {
            reason: "So that we can reach you about your order.",
            fields: ["name", "email", { key: "phone", required: false, label: "Mobile" }],
          },
        },
      },
    ],
    [{ text: "Thank you, Ada." }],
  ],
  code: [[{ call: { tool: "pay_invoice", input: {} } }], [{ text: "Your invoice is paid." }]],
  staff: [
    [{ call: { tool: "escalate", input: { reason: "wants a person" } } }],
    [{ text: "I have asked a colleague." }],
  ],
  sources: [
    [{ call: { tool: "knowledge_search", input: { query: "return goods" } } }],
    [{ text: "You can return anything within 30 days." }],
  ],
  signed: [[{ text: "Hello again." }]],
  elsewhere: [[{ text: "Hello." }]],
  slow: [
    [{ text: "The beginning of a long answer, " }, { delayMs: 1500 }, { text: "and its end." }],
    [{ text: "A second answer." }],
  ],
} satisfies Readonly<Record<string, readonly Step[]>>
