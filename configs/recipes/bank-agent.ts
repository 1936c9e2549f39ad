// Trajectories of a bank's agent with a verified end: a planner writes a task with its calls, and a chat is kept if it ends in their state.
//
//   npx data-designer preview bank-agent.ts -n 3
//   npx data-designer create bank-agent.ts -n 10 -d bank-agent
//   npx data-designer export artifacts/bank-agent -f trl-sft -o chats.jsonl
//
// Every row is verified: on_exhausted: drop_row drops a row whose plan or conversation fails eight times, and select makes
// another row in its place. A preview does not, so that it may show fewer rows. To adapt: change the tables, the tools and the
// prompts. `npx data-designer docs environments` describes the run with a model of your own.
import { DataDesignerConfigBuilder } from 'data-designer';
import { z } from 'zod';

// Two worlds of the same kind, fresh for each row: the agent works in one, and the planned calls run in the other.
const world = {
  kind: 'sqlite',
  schema: `CREATE TABLE account (id TEXT PRIMARY KEY, owner TEXT, balance INTEGER CHECK (balance >= 0));
CREATE TABLE transfer (sender TEXT REFERENCES account, receiver TEXT REFERENCES account, amount INTEGER CHECK (amount > 0), CHECK (sender <> receiver));`,
  rows: { account: '{{ accounts }}' },
  tools: [
    {
      name: 'find_account',
      description: 'Finds the account of a customer by the name of its owner.',
      parameters: { type: 'object', properties: { owner: { type: 'string' } }, required: ['owner'] },
      sql: 'SELECT id, balance FROM account WHERE owner = :owner',
    },
    {
      name: 'transfer',
      description: 'Moves money from one account to another, by their ids.',
      parameters: {
        type: 'object',
        properties: { from: { type: 'string' }, to: { type: 'string' }, amount: { type: 'integer', minimum: 1 } },
        required: ['from', 'to', 'amount'],
      },
      sql: [
        // An account that does not exist fails the call, and nothing has changed.
        'INSERT INTO transfer VALUES (:from, :to, :amount)',
        'UPDATE account SET balance = balance + :amount WHERE id = :to',
        'UPDATE account SET balance = balance - :amount WHERE id = :from RETURNING id, balance',
      ],
    },
  ],
} as const;

export default new DataDesignerConfigBuilder({
  // The simulator needs no key and makes its answers up. For real answers, change model and provider, for example to
  // gpt-4.1-mini and openai, which reads OPENAI_API_KEY; `npx data-designer config providers` adds an endpoint of your own.
  modelConfigs: [
    { alias: 'planner', model: 'sim-large', provider: 'simulator', inferenceParameters: { temperature: 1 } },
    { alias: 'customer', model: 'sim-large', provider: 'simulator', inferenceParameters: { temperature: 1 } },
    { alias: 'agent', model: 'sim-small', provider: 'simulator', inferenceParameters: { temperature: 1 } },
  ],
  toolConfigs: [
    { toolAlias: 'bank-tools', providers: ['bank'] },
    { toolAlias: 'plan-tools', providers: ['plan'] },
  ],
})
  .addEnvironment({ name: 'bank', ...world })
  .addEnvironment({ name: 'plan', ...world })
  .addColumn({
    name: 'first',
    columnType: 'sampler',
    samplerType: 'uniform',
    params: { low: 50, high: 900 },
    convertTo: 'int',
  })
  .addColumn({
    name: 'second',
    columnType: 'sampler',
    samplerType: 'uniform',
    params: { low: 0, high: 200 },
    convertTo: 'int',
  })
  .addColumn({
    name: 'accounts',
    columnType: 'expression',
    expr: '[{"id": "A1", "owner": "Mia Berg", "balance": {{ first }}}, {"id": "B2", "owner": "Leo Lind", "balance": {{ second }}}]',
  })
  .addColumn({
    name: 'blueprint',
    columnType: 'llm-structured',
    modelAlias: 'planner',
    prompt: `A bank has these accounts: {{ accounts }}
Its agent can call find_account(owner) and transfer(from, to, amount).
No transfer goes to the account that it comes from, and no balance falls below 0.
Invent a request of one of the owners that needs one or two transfers, and write the calls that fulfil it exactly.`,
    outputFormat: z.object({
      request: z.string(),
      calls: z
        .array(
          z.object({
            name: z.enum(['transfer']),
            arguments: z.object({
              from: z.enum(['A1', 'B2']),
              to: z.enum(['A1', 'B2']),
              amount: z.int().min(1).max(200),
            }),
          }),
        )
        .min(1)
        .max(2),
    }),
  })
  // The planned calls run without a model: truth__state is the state that a conversation must end in.
  .addColumn({
    name: 'truth',
    columnType: 'tool-calls',
    toolAlias: 'plan-tools',
    calls: '{{ blueprint.calls }}',
  })
  .addColumn({
    name: 'chat',
    columnType: 'conversation',
    turns: { min: 1, max: 6 },
    opening: '{{ blueprint.request }}',
    user: {
      modelAlias: 'customer',
      systemPrompt: `You are a customer of a bank. This is what you want: {{ blueprint.request }}
Answer the agent's questions in one sentence, and say nothing that you do not know. Write [DONE] once it is done.`,
      stop: '[DONE]',
    },
    assistant: {
      modelAlias: 'agent',
      toolAlias: 'bank-tools',
      systemPrompt: 'You are the agent of a bank. Do what the customer asks with your tools, and nothing else.',
    },
  })
  .addColumn({
    name: 'verdict',
    columnType: 'validation',
    targetColumns: ['chat__state'],
    validatorType: 'state',
    // The transfers may come in any order.
    validatorParams: { sameAs: '{{ truth__state }}', ignore: ['transfer'] },
  })
  // A plan whose calls fail is written again, and a conversation begins again, until its world is right: at most eight times.
  .addAttempts({
    name: 'planning',
    columns: ['blueprint', 'truth'],
    until: 'truth | length > 0',
    max: 8,
    onExhausted: 'drop_row',
  })
  .addAttempts({
    name: 'serving',
    columns: ['chat', 'verdict'],
    until: 'verdict.is_valid',
    max: 8,
    onExhausted: 'drop_row',
  })
  // No rules: the run makes another row for each one that was dropped, at most 30 candidates for 10 rows.
  .select({});
