import { DataDesignerConfigBuilder } from 'data-designer';

/** Whose model is asked, and how long a call of the tool may take, in seconds. */
interface ToolColumnOptions {
  readonly provider: string;
  readonly timeoutSec: number;
}

/** Rows of a column whose prompt names one tool of the tool provider `mine`, so that each calls it once at least. */
export function toolColumn(tool: string, { provider, timeoutSec }: ToolColumnOptions) {
  return new DataDesignerConfigBuilder()
    .addModelConfig({ alias: 'writer', model: 'sim-small', provider })
    .addToolConfig({ toolAlias: 'kit', providers: ['mine'], timeoutSec })
    .addColumn({ name: 'id', columnType: 'sampler', samplerType: 'uuid', params: {} })
    .addColumn({
      name: 'answer',
      columnType: 'llm-text',
      modelAlias: 'writer',
      toolAlias: 'kit',
      withTrace: true,
      prompt: `Say something of {{ id }}. Use the tool ${tool}.`,
    });
}
