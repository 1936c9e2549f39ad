// Questions with evidence about documents (rag-evaluation/*.md), for the evaluation of retrieval and answers.
//
//   npx data-designer preview rag-evaluation.ts -n 3
//   npx data-designer create rag-evaluation.ts -n 500 -d rag-evaluation
//
// To adapt: put documents of a few pages each into the folder. Split long ones first, so that a file fits into a prompt.
import { DataDesignerConfigBuilder } from 'data-designer';
import { z } from 'zod';

/** A row of the seed. */
interface SeedRow {
  readonly file_name: string;
  readonly content: string;
}

export default new DataDesignerConfigBuilder({
  // The simulator needs no key and makes its answers up. For real answers, change model and provider, for example to
  // gpt-4.1-mini and openai, which reads OPENAI_API_KEY; `npx data-designer config providers` adds an endpoint of your own.
  modelConfigs: [
    { alias: 'writer', model: 'sim-small', provider: 'simulator' },
    { alias: 'critic', model: 'sim-large', provider: 'simulator', inferenceParameters: { temperature: 0.1 } },
  ],
})
  .withSeedDataset<SeedRow>({ seedType: 'file_contents', path: 'rag-evaluation', filePattern: '*.md' })
  .addColumn({
    name: 'kind',
    columnType: 'sampler',
    samplerType: 'category',
    params: {
      values: [
        'about one fact',
        'about the reason for a rule',
        'that combines two passages',
        'that the document does not answer',
      ],
      weights: [3, 2, 2, 1],
    },
  })
  .addColumn({
    name: 'item',
    columnType: 'llm-structured',
    modelAlias: 'writer',
    prompt: `Write a question {{ kind }}. A person asks it who has not seen the document, so it must not mention "the document".
Document {{ file_name }}:
{{ content }}`,
    outputFormat: z.object({
      question: z.string(),
      answerable: z.boolean().describe('Whether the document answers the question.'),
      answer: z.string().describe('One or two sentences, or "not in the document".'),
      evidence: z
        .array(z.string())
        .max(3)
        .describe('The sentences of the document that support the answer, word by word.'),
    }),
  })
  // Whether every piece of evidence is a quotation. An expression checks it, without a request.
  .addColumn({
    name: 'quotation',
    columnType: 'expression',
    expr: '{% for quote in item.evidence if quote not in content %}{% if loop.first %}changed{% endif %}{% else %}exact{% endfor %}',
  })
  .addColumn({
    name: 'rating',
    columnType: 'llm-judge',
    modelAlias: 'critic',
    prompt: `Rate this item of a test set.
Question: {{ item.question }}
Answer: {{ item.answer }}
Document: {{ content }}`,
    scores: [
      {
        name: 'Grounding',
        description: 'Does the document support the answer?',
        options: { 1: 'it contradicts it', 2: 'in part', 3: 'completely' },
      },
      {
        name: 'Independence',
        description: 'Can the question be understood without the document?',
        options: { 0: 'no', 1: 'yes' },
      },
    ],
  });
