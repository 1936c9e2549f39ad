// Chats with new answers: the user turns of a table of chats stay, and another model writes the assistant's turns anew.
//
//   npx data-designer preview re-answered-chats.ts -n 3
//   npx data-designer create re-answered-chats.ts -n 500 -d re-answered-chats
//   npx data-designer export artifacts/re-answered-chats -f chat-jsonl --column second_answer -o chats.jsonl
//
// To adapt: name your own table of chats, such as a file of the Hugging Face Hub (seed_type: hf). These chats have two turns of
// the user; for a third one, add a column third_answer with the history second_answer__trace and the message at position 4.
import { DataDesignerConfigBuilder } from 'data-designer';

/** A row of the seed. */
interface SeedRow {
  readonly messages: readonly { readonly role: string; readonly content: string }[];
}

export default new DataDesignerConfigBuilder({
  // The simulator needs no key and makes its answers up. For real answers, change model and provider, for example to
  // gpt-4.1-mini and openai, which reads OPENAI_API_KEY; `npx data-designer config providers` adds an endpoint of your own.
  modelConfigs: [
    { alias: 'writer', model: 'sim-small', provider: 'simulator' },
    { alias: 'critic', model: 'sim-large', provider: 'simulator', inferenceParameters: { temperature: 0.1 } },
  ],
})
  .withSeedDataset<SeedRow>({ seedType: 'local', path: 're-answered-chats/chats.jsonl' })
  // messages is the column of the seed: user, assistant, user, assistant. Only the messages of the user are read.
  .addColumn({
    name: 'first_answer',
    columnType: 'llm-text',
    modelAlias: 'writer',
    systemPrompt: 'You are a careful assistant. You answer in at most three sentences.',
    prompt: '{{ messages[0].content }}',
    withTrace: true,
  })
  // The model sees the first message and its own answer to it, not that of the seed.
  .addColumn({
    name: 'second_answer',
    columnType: 'llm-text',
    modelAlias: 'writer',
    history: 'first_answer__trace',
    prompt: '{{ messages[2].content }}',
    withTrace: true,
  })
  // A message of the user may fit the old answer only: "And the other one?" Leave such chats out.
  .addColumn({
    name: 'fit',
    columnType: 'llm-judge',
    modelAlias: 'critic',
    prompt: `User: {{ messages[0].content }}
Assistant: {{ first_answer }}
User: {{ messages[2].content }}
Assistant: {{ second_answer }}`,
    scores: [
      {
        name: 'Coherence',
        description: 'Does the second message of the user make sense after the first answer?',
        options: { 1: 'no', 2: 'partly', 3: 'yes' },
      },
    ],
  });
