// Questions that a model answers by searching and reading documents over MCP, with the whole conversation.
//
//   npx data-designer preview search-agent.ts -n 3 --providers search-agent/providers.yaml
//   npx data-designer create search-agent.ts -n 500 -d search-agent --providers search-agent/providers.yaml
//   npx data-designer export artifacts/search-agent -f chat-jsonl -o searches.jsonl
//
// The MCP server is search-agent/server.mjs; it needs data-designer installed in this folder. To adapt: put your documents
// into search-agent/documents, or name an MCP server of your own in providers.yaml.
import { DataDesignerConfigBuilder } from 'data-designer';

export default new DataDesignerConfigBuilder({
  // The simulator needs no key and makes its answers up. For real answers, change model and provider, for example to
  // gpt-4.1-mini and openai, which reads OPENAI_API_KEY; `npx data-designer config providers` adds an endpoint of your own.
  modelConfigs: [
    {
      alias: 'writer',
      model: 'sim-small',
      provider: 'simulator',
      inferenceParameters: { temperature: 0.5, maxTokens: 2000 },
    },
    { alias: 'critic', model: 'sim-large', provider: 'simulator', inferenceParameters: { temperature: 0.1 } },
  ],
})
  .addToolConfig({
    toolAlias: 'search',
    providers: ['library'],
    allowTools: ['search_documents', 'read_document'],
    maxToolCallTurns: 6,
    timeoutSec: 20,
  })
  .addColumn({
    name: 'subject',
    columnType: 'sampler',
    samplerType: 'category',
    params: { values: ['ferries', 'lighthouses', 'tides'] },
  })
  .addColumn({
    name: 'difficulty',
    columnType: 'sampler',
    samplerType: 'category',
    params: { values: ['is answered by one document', 'needs facts of two documents', 'no document answers'] },
  })
  .addColumn({
    name: 'question',
    columnType: 'llm-text',
    modelAlias: 'writer',
    toolAlias: 'search',
    prompt: `Find out with the tool search_documents what the library has on {{ subject }}. Then write one question about it that
{{ difficulty }}.`,
  })
  .addColumn({
    name: 'answer',
    columnType: 'llm-text',
    modelAlias: 'writer',
    toolAlias: 'search',
    withTrace: 'all_messages', // stores the conversation, with its tool calls, in the column answer__trace
    systemPrompt: `You answer from the library only. Search with the tool search_documents, read with read_document before you rely on a
document, and name the documents that you used. If the library has no answer, say so.`,
    prompt: '{{ question }}',
  })
  .addColumn({
    name: 'calls',
    columnType: 'expression',
    expr: '{% for turn in answer__trace if turn.tool_calls %}{{ turn.tool_calls | length }}{% if not loop.last %} + {% endif %}{% else %}0{% endfor %}',
  })
  .addColumn({
    name: 'rating',
    columnType: 'llm-judge',
    modelAlias: 'critic',
    prompt: `Rate the answer by the tool results of the conversation.
Question: {{ question }}
Answer: {{ answer }}
Conversation: {{ answer__trace }}`,
    scores: [
      {
        name: 'Grounding',
        description: 'Is every claim in a document that was read?',
        options: { 1: 'none is', 2: 'some are', 3: 'all are' },
      },
      {
        name: 'Economy',
        description: 'Did the assistant make useful calls only?',
        options: { 1: 'many useless calls', 2: 'some', 3: 'useful ones only' },
      },
    ],
  });
