// Questions about a long report that a model reads page by page over MCP, as tools for PDF files offer it.
//
//   npx data-designer preview report-questions.ts -n 3 --providers report-questions/providers.yaml
//   npx data-designer create report-questions.ts -n 500 -d report-questions --providers report-questions/providers.yaml
//
// The pages are in report-questions/harbour-report.txt, separated by form feeds, as `pdftotext report.pdf` writes them. The
// MCP server report-questions/server.mjs needs data-designer installed in this folder. To adapt: put text files of your own
// reports into the folder, and change the values of report.
import { DataDesignerConfigBuilder } from 'data-designer';
import { z } from 'zod';

export default new DataDesignerConfigBuilder({
  // The simulator needs no key and makes its answers up. For real answers, change model and provider, for example to
  // gpt-4.1-mini and openai, which reads OPENAI_API_KEY; `npx data-designer config providers` adds an endpoint of your own.
  modelConfigs: [
    { alias: 'writer', model: 'sim-small', provider: 'simulator', inferenceParameters: { maxTokens: 2000 } },
  ],
})
  .addToolConfig({
    toolAlias: 'reader',
    providers: ['reports'],
    allowTools: ['list_pages', 'read_page'],
    maxToolCallTurns: 8,
  })
  .addColumn({
    name: 'report',
    columnType: 'sampler',
    samplerType: 'category',
    params: { values: ['harbour-report.txt'] },
  })
  .addColumn({
    name: 'focus',
    columnType: 'sampler',
    samplerType: 'category',
    params: { values: ['a figure in a table', 'a decision and its reason', 'a change since the year before'] },
  })
  .addColumn({
    name: 'item',
    columnType: 'llm-structured',
    modelAlias: 'writer',
    toolAlias: 'reader',
    withTrace: 'all_messages',
    prompt: `Call the tool list_pages for the report: {{ report }}. Then read the pages that matter with the tool read_page, and
write a question about {{ focus }} with its answer.`,
    outputFormat: z.object({
      question: z.string(),
      answer: z.string(),
      pages: z.array(z.int().min(1).max(500)).min(1).max(4).describe('The pages that the answer is from.'),
      unit: z.string().nullable().describe('The unit of a figure, such as euros or tonnes; else null.'),
    }),
  })
  // The answer of a model that has only the question shows whether the report is necessary.
  .addColumn({
    name: 'closed_book_answer',
    columnType: 'llm-text',
    modelAlias: 'writer',
    prompt: 'Answer in one sentence, or say that you do not know: {{ item.question }}',
  });
