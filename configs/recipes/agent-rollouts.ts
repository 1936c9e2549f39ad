// New tasks and judged answers from recorded sessions of an agent (agent-rollouts/*.json), for distillation.
//
//   npx data-designer preview agent-rollouts.ts -n 3
//   npx data-designer create agent-rollouts.ts -n 500 -d agent-rollouts
//
// To adapt: name the format of your agent (claude_code, codex, hermes_agent, pi_coding_agent or atif), and leave out path to
// read its own folder.
import { DataDesignerConfigBuilder } from 'data-designer';
import { z } from 'zod';

export default new DataDesignerConfigBuilder({
  // The simulator needs no key and makes its answers up. For real answers, change model and provider, for example to
  // gpt-4.1-mini and openai, which reads OPENAI_API_KEY; `npx data-designer config providers` adds an endpoint of your own.
  modelConfigs: [
    { alias: 'writer', model: 'sim-small', provider: 'simulator' },
    { alias: 'critic', model: 'sim-large', provider: 'simulator', inferenceParameters: { temperature: 0.1 } },
  ],
})
  .withSeedDataset({ seedType: 'agent_rollout', format: 'atif', path: 'agent-rollouts' })
  // messages holds the conversation; the columns of the seed need no declaration.
  .addColumn({
    name: 'question',
    columnType: 'expression',
    expr: "{% for message in messages if message.role == 'user' %}{{ message.content }} {% endfor %}",
  })
  .addColumn({
    name: 'task',
    columnType: 'llm-text',
    modelAlias: 'writer',
    prompt: `An agent was asked: {{ question }}
It called tools {{ tool_call_count }} times and answered: {{ final_assistant_message }}
Write another question that the same tools can answer, about another object and with another result.`,
  })
  .addColumn({
    name: 'lesson',
    columnType: 'llm-structured',
    modelAlias: 'writer',
    prompt: `Sum up how an agent solved a task, so that another agent can do the same without seeing the session.
Task: {{ question }}
Session: {{ messages }}`,
    outputFormat: z.object({
      skill: z.string().describe('A name for the skill in at most five words.'),
      steps: z.array(z.string()).min(1).max(6),
      pitfall: z.string().nullable().describe('A mistake to avoid; null if there is none.'),
    }),
  })
  .addColumn({
    name: 'verdict',
    columnType: 'llm-judge',
    modelAlias: 'critic',
    prompt: `Asked "{{ question }}", an agent answered: {{ final_assistant_message }}
Compare the answer with the results of its tools: {{ messages }}`,
    scores: [
      {
        name: 'Truth',
        description: 'Do the tool results support the answer?',
        options: { 1: 'they contradict it', 2: 'in part', 3: 'completely' },
      },
      { name: 'Effort', description: 'Was every tool call necessary?', options: { 1: 'no', 2: 'yes' } },
    ],
  });
