// A model calls tools, and each conversation is stored as a trace.
//
//   npx data-designer preview tools.ts -n 3
//   npx data-designer create tools.ts -n 100 -d tools
//   npx data-designer export artifacts/tools -f chat-jsonl -o chats.jsonl     conversations for fine-tuning
import { DataDesignerConfigBuilder } from 'data-designer';

export default new DataDesignerConfigBuilder({
  // The simulator is built in, needs no key, and makes its answers up. For real answers, change model and provider:
  // openai, nvidia and openrouter read OPENAI_API_KEY, NVIDIA_API_KEY and OPENROUTER_API_KEY; vllm and ollama are servers on
  // this machine. `npx data-designer config providers` adds an endpoint of your own.
  modelConfigs: [{ alias: 'writer', model: 'sim-small', provider: 'simulator' }],
})
  // A tool config gives tools of MCP providers an alias. demo-tools is built in, with the tools get_fact, add_numbers and
  // list_topics. `npx data-designer config mcp` adds an MCP server of your own.
  .addToolConfig({
    toolAlias: 'facts',
    providers: ['demo-tools'],
    allowTools: ['get_fact', 'list_topics'],
    maxToolCallTurns: 3,
    timeoutSec: 20,
  })
  .addColumn({
    name: 'topic',
    columnType: 'sampler',
    samplerType: 'category',
    params: { values: ['octopuses', 'bees', 'moon', 'salt'] },
  })
  .addColumn({
    name: 'answer',
    columnType: 'llm-text',
    modelAlias: 'writer',
    toolAlias: 'facts',
    withTrace: 'all_messages', // stores the conversation, with its tool calls, in the column answer__trace
    systemPrompt: 'You answer in two plain sentences.',
    prompt: 'What is worth knowing about {{ topic }}? Look it up with the tool get_fact first.',
  });
