// Conversations in which both sides have tools: a customer looks at a telephone, and the support looks at the contract.
//
//   npx data-designer preview dual-control.ts -n 3 --providers dual-control/providers.yaml
//   npx data-designer create dual-control.ts -n 500 -d dual-control --providers dual-control/providers.yaml
//   npx data-designer export artifacts/dual-control -f chat-jsonl -o chats.jsonl     as the support saw the conversations
//
// The MCP server is dual-control/server.mjs; it needs data-designer installed in this folder. To adapt: write tools of your own.
// The server keeps what a customer has changed by the number, in memory: give each row a number of its own, and do not count on
// it after a run was stopped. What the customer's tools return is in chat__user_trace only.
import { DataDesignerConfigBuilder } from 'data-designer';

export default new DataDesignerConfigBuilder({
  // The simulator needs no key and makes its answers up. For real answers, change model and provider, for example to
  // gpt-4.1-mini and openai, which reads OPENAI_API_KEY; `npx data-designer config providers` adds an endpoint of your own.
  modelConfigs: [
    { alias: 'customer', model: 'sim-large', provider: 'simulator', inferenceParameters: { temperature: 1 } },
    { alias: 'support', model: 'sim-small', provider: 'simulator' },
  ],
})
  // One server, and two lists of tools: neither side can call those of the other.
  .addToolConfig({
    toolAlias: 'phone',
    providers: ['telephony'],
    allowTools: ['read_setting', 'change_setting'],
    maxToolCallTurns: 3,
  })
  .addToolConfig({
    toolAlias: 'desk',
    providers: ['telephony'],
    allowTools: ['look_up_contract'],
    maxToolCallTurns: 3,
  })
  .addColumn({
    name: 'number',
    columnType: 'sampler',
    samplerType: 'uuid',
    params: { prefix: 'T-', shortForm: true, uppercase: true },
  })
  .addColumn({
    name: 'trouble',
    columnType: 'sampler',
    samplerType: 'category',
    params: { values: ['has no mobile data', 'cannot make calls abroad', 'does not ring'] },
  })
  .addColumn({
    name: 'patience',
    columnType: 'sampler',
    samplerType: 'category',
    params: {
      values: ['does one step at a time and reports it', 'gives up after two failed steps', 'knows telephones well'],
    },
  })
  .addColumn({
    name: 'chat',
    columnType: 'conversation',
    turns: { min: 2, max: 6 },
    opening: 'Hello, my telephone {{ trouble }}. The number is {{ number }}.',
    user: {
      modelAlias: 'customer',
      toolAlias: 'phone',
      systemPrompt: `You are a customer whose telephone, number {{ number }}, {{ trouble }}. You are someone who {{ patience }}.
Your telephone is a tool: look at a setting with read_setting, and change one with change_setting only if the support
asks you to. Report what you see in your own words.
Write only your next message, in one or two sentences. Write [DONE] once the trouble is over, or if you give up.`,
      stop: '[DONE]',
    },
    assistant: {
      modelAlias: 'support',
      toolAlias: 'desk',
      systemPrompt: `You are the support of a telephone company. You cannot see the telephone of the customer: ask for its settings, and
have one changed at a time. Look the contract up with look_up_contract before you blame it.`,
    },
    withTrace: true, // the customer's tool calls, in the column chat__user_trace
  });
