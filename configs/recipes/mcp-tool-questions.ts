// Questions that need one to three tools of real MCP servers, rated, and answered with these tools over MCP.
//
//   npm install @modelcontextprotocol/server-filesystem@2026.8.31 @modelcontextprotocol/server-memory@2026.8.31 @modelcontextprotocol/server-everything@2026.8.31
//   npx data-designer preview mcp-tool-questions.ts -n 3 --providers mcp-tool-questions/providers.yaml
//   npx data-designer create mcp-tool-questions.ts -n 500 -d mcp-tool-questions --providers mcp-tool-questions/providers.yaml
//
// The servers are three npm packages, which mcp-tool-questions/providers.yaml names. To adapt: name your servers in
// providers.yaml and in tool_configs, list their tools, and say in the prompt of question what they hold. A skip rule on answer,
// such as quality.Realism.score < 3, saves the answers of poor questions.
//
//   npx data-designer mcp list-tools mcp-tool-questions.yaml --providers mcp-tool-questions/providers.yaml -o mcp-tool-questions/tools.json
import { DataDesignerConfigBuilder } from 'data-designer';

export default new DataDesignerConfigBuilder({
  // The simulator needs no key and makes its answers up. For real answers, change model and provider, for example to
  // gpt-4.1-mini and openai, which reads OPENAI_API_KEY; `npx data-designer config providers` adds an endpoint of your own.
  modelConfigs: [
    { alias: 'writer', model: 'sim-large', provider: 'simulator', inferenceParameters: { temperature: 1 } },
    { alias: 'judge', model: 'sim-large', provider: 'simulator', inferenceParameters: { temperature: 0 } },
    { alias: 'agent', model: 'sim-small', provider: 'simulator', inferenceParameters: { temperature: 0.7 } },
  ],
  toolConfigs: [
    {
      toolAlias: 'servers',
      providers: ['folder_of_row', 'graph_of_row', 'everything'],
      maxToolCallTurns: 6,
      timeoutSec: 20,
    },
  ],
})
  // A row is a server with all its tools, as mcp-tool-questions/tools.json lists them.
  .withSeedDataset(
    { seedType: 'mcp-tools', path: 'mcp-tool-questions/tools.json', rowOf: 'provider' },
    { samplingStrategy: 'shuffle' },
  )
  // Both servers change what they hold, so each row has its own. They start with their first call.
  .addEnvironment({
    name: 'folder_of_row',
    kind: 'mcp',
    provider: 'filesystem',
    maxRows: 8,
    files: {
      'todo.txt': 'buy paint\ncall the landlord\nbook a van\n',
      'trip/plan.md': '# Trip to Bergen\n\nMonday: ferry at 8:30. Tuesday: walk to the lake. Wednesday: museum.\n',
      'trip/costs.csv': 'item,euros\nferry,84\nhut,120\nmuseum,18\n',
    },
  })
  .addEnvironment({
    name: 'graph_of_row',
    kind: 'mcp',
    provider: 'memory',
    maxRows: 8,
    files: {
      'graph.jsonl': `{"type":"entity","name":"Mia","entityType":"person","observations":["plays the cello","lives in Kiel"]}
{"type":"entity","name":"Leo","entityType":"person","observations":["repairs bicycles"]}
{"type":"entity","name":"Nordlicht","entityType":"shop","observations":["sells bicycles","closed on Mondays"]}
{"type":"relation","from":"Leo","to":"Nordlicht","relationType":"works at"}
`,
    },
  })
  .addColumn({
    name: 'wanted',
    columnType: 'sampler',
    samplerType: 'category',
    params: { values: [1, 2, 3], weights: [2, 2, 1] },
  })
  // A tool that is drawn twice counts once.
  .addColumn({
    name: 'names',
    columnType: 'expression',
    expr: '[{% for _ in range(wanted) %}{{ ", " if loop.index0 }}"{{ (tools | random).name }}"{% endfor %}]',
  })
  .addColumn({
    name: 'question',
    columnType: 'llm-text',
    modelAlias: 'writer',
    prompt: `An assistant has the tools of the server {{ provider }}. Write one request of a person that takes all of these tools and no others:
{% for tool in tools %}{% if tool.name in names %}- {{ tool.name }}: {{ tool.description }} Arguments: {{ tool.parameters }}
{% endif %}{% endfor %}
What the servers hold: filesystem has the files todo.txt, trip/plan.md and trip/costs.csv. memory knows Mia, Leo and the shop
Nordlicht. everything adds numbers, echoes texts, and knows the weather in New York, Chicago and Los Angeles.
The request sounds like a person with a task, names no tool, and says all that is needed. Write the request only.`,
  })
  .addColumn({
    name: 'quality',
    columnType: 'llm-judge',
    modelAlias: 'judge',
    prompt: `The request: {{ question }}
It is meant to take these tools of the server {{ provider }}: {{ names }}
All tools of the server: {% for tool in tools %}{{ tool.name }}{{ ", " if not loop.last }}{% endfor %}`,
    scores: [
      {
        name: 'Realism',
        description: 'Whether a person would ask this.',
        options: { 1: 'no', 2: 'it is far-fetched', 3: 'it is plausible', 4: 'it is an everyday task' },
      },
      {
        name: 'ToolSelection',
        description: 'How hard it is to find the right tools.',
        options: {
          1: 'the request names them',
          2: 'it hints at them',
          3: 'they follow from the task',
          4: 'they follow with some thought',
        },
      },
      {
        name: 'Solvable',
        description: 'Whether these tools are enough and all of them are needed.',
        options: { 1: 'the task cannot be done', 2: 'a tool is missing or not needed', 3: 'yes' },
      },
    ],
  })
  // The model sees the chosen tools alone.
  .addColumn({
    name: 'answer',
    columnType: 'llm-text',
    modelAlias: 'agent',
    toolAlias: 'servers',
    allowTools: '{{ names }}',
    withTrace: 'all_messages',
    systemPrompt: 'Use your tools, with paths such as trip/plan.md. Then answer in plain words from what they gave.',
    prompt: '{{ question }}',
  })
  // No model is asked: this reads the calls and results of the trajectory.
  .addColumn({
    name: 'check',
    columnType: 'validation',
    targetColumns: ['answer__trace'],
    validatorType: 'trajectory',
    validatorParams: { toolsColumn: 'names', maxEqualCalls: 1 },
  })
  .addColumn({
    name: 'calls',
    columnType: 'expression',
    expr: '{{ {"trace": answer__trace} | jsonpath("$.trace[*].tool_calls[*].function.name") }}',
  })
  // The part of the chosen tools that the model called: one mark for each.
  .addColumn({
    name: 'used',
    columnType: 'expression',
    dtype: 'float',
    expr: '{% set hits %}{% for name in names | unique %}{% if name in calls %}x{% endif %}{% endfor %}{% endset %} {{ (hits | length) / (names | unique | list | length) }}',
  })
  .addColumn({
    name: 'rating',
    columnType: 'llm-judge',
    modelAlias: 'judge',
    prompt: `The request: {{ question }}
The tools that were called, of {{ names }}: {{ calls }}
The answer: {{ answer }}`,
    scores: [
      {
        name: 'Completeness',
        description: 'Whether the answer does all that the request asks for.',
        options: { 1: 'nothing of it', 2: 'a part', 3: 'everything' },
      },
      {
        name: 'Conciseness',
        description: 'Whether the answer says no more than that.',
        options: { 1: 'it rambles', 2: 'some of it is not needed', 3: 'it is to the point' },
      },
    ],
  })
  .addProcessor({ name: 'without-tools', processorType: 'drop_columns', columnNames: ['tools'] });
