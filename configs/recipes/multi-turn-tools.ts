// Conversations in which an assistant reads files over MCP for a user with a hidden goal, checked for faulty tool calls.
//
//   npx data-designer preview multi-turn-tools.ts -n 3 --providers multi-turn-tools/providers.yaml
//   npx data-designer create multi-turn-tools.ts -n 500 -d multi-turn-tools --providers multi-turn-tools/providers.yaml
//   npx data-designer export artifacts/multi-turn-tools -f chat-jsonl -o chats.jsonl     with the tools and their results
//
// The MCP server is multi-turn-tools/server.mjs; it needs data-designer installed in this folder. To adapt: put your files into
// multi-turn-tools/files, or name the official file server in providers.yaml, which has the same two tools and more.
import { DataDesignerConfigBuilder } from 'data-designer';

export default new DataDesignerConfigBuilder({
  // The simulator needs no key and makes its answers up. For real answers, change model and provider, for example to
  // gpt-4.1-mini and openai, which reads OPENAI_API_KEY; `npx data-designer config providers` adds an endpoint of your own.
  modelConfigs: [
    { alias: 'user-sim', model: 'sim-large', provider: 'simulator', inferenceParameters: { temperature: 1 } },
    { alias: 'agent', model: 'sim-small', provider: 'simulator' },
  ],
})
  .addToolConfig({
    toolAlias: 'files',
    providers: ['files'],
    allowTools: ['list_directory', 'read_text_file'],
    maxToolCallTurns: 6, // for each answer, not for the whole conversation
    timeoutSec: 20,
  })
  .addColumn({
    name: 'subject',
    columnType: 'sampler',
    samplerType: 'category',
    params: { values: ['the budget', 'the guests', 'the programme'] },
  })
  // The user does not say the goal at once: the assistant has to find out.
  .addColumn({
    name: 'goal',
    columnType: 'llm-text',
    modelAlias: 'user-sim',
    prompt: `A club plans a summer party, and its files are about the budget, the guests and the programme.
Write in one sentence what a member wants to find out about {{ subject }}. It should take two files to answer.`,
  })
  .addColumn({
    name: 'chat',
    columnType: 'conversation',
    turns: { min: 2, max: 5 },
    user: {
      modelAlias: 'user-sim',
      systemPrompt: `You are a member of a club that plans a summer party, and talk to an assistant who can read the files of the club.
What you want to find out about {{ subject }}: {{ goal }}
Do not say it all at once: begin vaguely, and answer the questions of the assistant.
Write only your next message, in one or two sentences. Write [DONE] once you have found it out.`,
      stop: '[DONE]',
    },
    assistant: {
      modelAlias: 'agent',
      toolAlias: 'files',
      systemPrompt: `You answer from the files of the club only. List them with list_directory, and read a file with read_text_file
before you rely on it. Ask if you do not know what the user means. Name the files that you used.`,
    },
  })
  // No model is asked: this reads the tool calls and results of the conversation.
  .addColumn({
    name: 'check',
    columnType: 'validation',
    targetColumns: ['chat'],
    validatorType: 'trajectory',
    validatorParams: { toolAlias: 'files' },
  });
