import { checkOptions, oneOf, optionRule, type OptionRules } from '@data-designer/config';
import type { AnalyseOptions } from '@data-designer/profile';
import {
  type ArrowTable,
  type ExportFormat,
  exportFormatOf,
  exportRows,
  readStreams,
  streamRowsAt,
  streamsTable,
} from '@data-designer/dataset';
import { EXPORT_FORMATS } from '@data-designer/dataset/formats';
import type { PreviewResult, TaskTrace } from '@data-designer/engine';
import type { DataDesignerConfigBuilder } from '@data-designer/declaration';
import { analyseOnce } from '../report/analyse-once.ts';
import type { DatasetAnalysis } from '../report/dataset-analysis.ts';
import { MadeRecords } from './made-records.ts';
import { type ConfigBuilderOptions, type DeclaredAliases, seededBuilder } from './seeded-builder.ts';
import { recordWindow } from './sample-record/record-window.ts';

/** The options of an export of a preview. */
export interface PreviewExportOptions {
  /** Default: by the extension of the file. */
  readonly format?: ExportFormat;
  /** Whether texts that a spreadsheet would run as a formula begin with an apostrophe in a `csv` file. Default true. */
  readonly escape?: boolean;
}

const EXPORT_RULES: OptionRules<PreviewExportOptions> = {
  format: oneOf('an export format', EXPORT_FORMATS),
  escape: optionRule.flag,
};

/** The properties of a preview that do not come from its run. */
interface PreviewParts {
  readonly declared: DeclaredAliases;
  readonly analyseOptions: AnalyseOptions;
  readonly taskTraces: readonly TaskTrace[] | null;
}

/** A few rows made in memory. */
export class PreviewResults<Row = Record<string, unknown>> extends MadeRecords {
  /** With the run setting `asyncTrace`, the tasks in the order in which they ended; else null. */
  readonly taskTraces: readonly TaskTrace[] | null;
  readonly #result: PreviewResult;
  readonly #analyse: () => Promise<DatasetAnalysis>;
  readonly #declared: DeclaredAliases;

  constructor(result: PreviewResult, { declared, analyseOptions, taskTraces }: PreviewParts) {
    const { batches, sideTables, plan, summary } = result;
    super(result, () => ({
      title: 'Preview',
      plan,
      types: analyseOptions.registry,
      count: summary.rows,
      recordAt: recordsIn(batches),
      processed: Object.entries(sideTables).map(([processor, streams]) => {
        return { processor, recordAt: recordsIn(streams) };
      }),
      folder: null,
    }));
    this.taskTraces = taskTraces;
    this.#result = result;
    this.#declared = declared;
    this.#analyse = analyseOnce(async () => {
      const { analysePreview } = await import('@data-designer/profile');
      return analysePreview(result, analyseOptions);
    });
  }

  /** The rows in order. */
  records(): AsyncIterable<Row> {
    return readStreams(this.#result.batches) as AsyncIterable<Row>;
  }

  /** The output of each processor that has a side table, by the processor's name. */
  async processorArtifacts(): Promise<Readonly<Record<string, readonly Record<string, unknown>[]>>> {
    const artifacts: Record<string, readonly Record<string, unknown>[]> = {};
    for (const [name, streams] of Object.entries(this.#result.sideTables)) {
      artifacts[name] = await Array.fromAsync(readStreams(streams));
    }
    return artifacts;
  }

  /** The rows as an Arrow table. */
  toArrow(): ArrowTable {
    return streamsTable(this.#result.batches);
  }

  /**
   * Starts a new config with these rows as its seed, with the same models and tools, and without columns. The builder
   * knows the types of the rows. Throws `dataset/no-column`.
   */
  toConfigBuilder<const Name extends keyof Row & string = keyof Row & string>(
    options: ConfigBuilderOptions<Name> = {},
  ): Promise<DataDesignerConfigBuilder<Pick<Row, Name>>> {
    return seededBuilder<Pick<Row, Name>>(options, {
      source: 'The preview',
      plan: this.#result.plan,
      table: () => this.toArrow(),
      declared: () => this.#declared,
    });
  }

  /** Writes the rows to a `.jsonl`, `.csv`, `.parquet` or `.arrow` file, which appears complete or not at all. Returns the path. */
  async export(path: string, options: PreviewExportOptions = {}): Promise<string> {
    checkOptions(options, EXPORT_RULES, 'export()');
    const { format = exportFormatOf(path), escape } = options;
    const records = readStreams(this.#result.batches);
    await exportRows({ records, fields: this.#result.plan.fields }, path, { format, escape });
    return path;
  }

  /** Statistics of the columns and of all rows, calculated at the first call. */
  analysis(): Promise<DatasetAnalysis> {
    return this.#analyse();
  }
}

function recordsIn(streams: readonly Uint8Array[]): ReturnType<typeof recordWindow> {
  return recordWindow((position) => streamRowsAt(streams, position));
}
