import { join } from 'node:path';
import { checkOptions, type ColumnRegistry, oneOf, optionRule, type OptionRules } from '@data-designer/config';
import { DataDesignerError, type Plan } from '@data-designer/core';
import { packageFolder } from '@data-designer/declaration';
import { withColours } from '@data-designer/printing';
import { printSections, rule } from './print-sections.ts';
import { recordLayout } from './record-layout.ts';
import { processedSection, recordSections, type Section, type SectionOptions } from './record-sections.ts';

/** The options to show a sample record. */
export interface SampleRecordOptions extends SectionOptions {
  /** The record, counted from 0; default: the next one at each call, from the last to the first. */
  readonly index?: number;
  /** The processors whose output is shown; default: all. */
  readonly processorsToDisplay?: readonly string[];
  /** An `.html` or `.svg` file to write; default: standard output. */
  readonly savePath?: string;
  /** The theme of the page; default: the reader's system setting, and dark for an `.svg` file. */
  readonly theme?: 'dark' | 'light' | undefined;
  /** Terminal columns to use, 40 or more; default 110, at most the terminal's width. */
  readonly displayWidth?: number | undefined;
}

/** The display checks the index, the processors and the width. */
const RULES: OptionRules<SampleRecordOptions> = {
  hideSeedColumns: optionRule.flag,
  includeTraces: optionRule.flag,
  index: optionRule.any,
  processorsToDisplay: optionRule.list,
  savePath: optionRule.text,
  theme: oneOf('a theme', ['dark', 'light']),
  displayWidth: optionRule.any,
};

type RecordAt = (index: number) => Promise<Readonly<Record<string, unknown>> | undefined>;

/** Records that can be shown one by one. */
export interface ShownRecords {
  readonly title: string;
  readonly plan: Pick<Plan, 'columns' | 'fields' | 'models'>;
  /** The types of the columns. */
  readonly types: Pick<ColumnRegistry, 'get'>;
  readonly count: number;
  readonly recordAt: RecordAt;
  /** The processors with an output for every record, and the output at a position. */
  readonly processed: readonly { readonly processor: string; readonly recordAt: RecordAt }[];
  /** The folder of the pictures; null where the rows hold them. */
  readonly folder: string | null;
}

const WIDTH = 110;
const MIN_WIDTH = 40;

/** Shows records one by one, on a terminal or as pages. */
export class RecordDisplay {
  readonly #shown: ShownRecords;
  #next = 0;

  constructor(shown: ShownRecords) {
    this.#shown = shown;
  }

  get count(): number {
    return this.#shown.count;
  }

  /** Prints a record, or writes it as a page; throws `report/invalid-option` and `dataset/unwritable`. */
  async show(options: SampleRecordOptions = {}): Promise<void> {
    checkOptions(options, RULES, 'displaySampleRecord()');
    const { index = this.#next, savePath } = options;
    if (options.index === undefined) this.#next = this.count === 0 ? 0 : (this.#next + 1) % this.count;
    if (savePath === undefined) process.stdout.write(await this.text(index, options));
    else await this.#save(index, savePath, options);
  }

  /** A record as text for a terminal. */
  async text(index: number, options: SampleRecordOptions = {}): Promise<string> {
    const { displayWidth: wanted = WIDTH } = options;
    if (!(wanted >= MIN_WIDTH)) throw invalidOption('displayWidth', wanted, `${MIN_WIDTH} or more`);
    const columns = Math.max(MIN_WIDTH, Math.min(wanted, process.stdout.columns ?? wanted));
    const sections = await this.#sections(index, options);
    const head = `${rule(`Record ${index + 1} of ${this.count}`, columns)}\n\n`;
    return `${head}${await printSections(sections, columns)}`;
  }

  async #save(index: number, path: string, options: SampleRecordOptions): Promise<void> {
    const { writePage } = await import('@data-designer/printing/write-page');
    await writePage(path, {
      '.html': () => this.#page([index], options),
      '.svg': async () => {
        const { terminalPicture } = await import('@data-designer/printing/terminal-picture');
        const text = await withColours(() => this.text(index, options));
        return terminalPicture(text, { theme: options.theme, label: `Record ${index + 1} of ${this.#shown.title}` });
      },
    });
  }

  /** Writes records as one self-contained page. */
  async savePage(indexes: Iterable<number>, path: string, options: SampleRecordOptions = {}): Promise<void> {
    const { writePage } = await import('@data-designer/printing/write-page');
    await writePage(path, { '.html': () => this.#page(indexes, options) });
  }

  async #page(indexes: Iterable<number>, options: SampleRecordOptions): Promise<string> {
    const { loadSinglePages, recordInliner } = await import('@data-designer/viewer/single-pages');
    const { recordsPage } = await loadSinglePages(join(packageFolder(), 'dist', 'single-pages'));
    const { title } = this.#shown;
    const { columns, inline } = recordInliner({ ...this.#shown, ...options });
    const rowsOf = (index: number) => this.#rows(index, options);
    const records = (async function* () {
      for (const index of indexes) yield inline({ index, ...(await rowsOf(index)) });
    })();
    return recordsPage(records, { title, columns, theme: options.theme });
  }

  async #sections(index: number, options: SampleRecordOptions): Promise<Section[]> {
    const { plan, types } = this.#shown;
    const { row, processed } = await this.#rows(index, options);
    const made = processed.map((output) => processedSection(output.processor, output.row));
    return [...recordSections(row, recordLayout(plan, types), options), ...made];
  }

  /** A record with the output of processors for it. */
  async #rows(index: number, { processorsToDisplay }: SampleRecordOptions) {
    const { count, recordAt, processed: all } = this.#shown;
    const processors = all.map(({ processor }) => processor);
    const unknown = processorsToDisplay?.find((name) => !processors.includes(name));
    if (unknown !== undefined) {
      const known = processors.length === 0 ? 'none, as no processor has an output' : processors.join(', ');
      throw invalidOption('processorsToDisplay', unknown, `names among: ${known}`);
    }
    const row = Number.isInteger(index) && index >= 0 && index < count ? await recordAt(index) : undefined;
    if (!row) throw invalidOption('index', index, count === 0 ? 'none: there are no records' : `0 to ${count - 1}`);
    const wanted = (processorsToDisplay ?? processors).flatMap((name) =>
      all.filter(({ processor }) => processor === name),
    );
    const outputs = await Promise.all(
      wanted.map(async ({ processor, recordAt: outputAt }) => {
        const output = await outputAt(index);
        return output ? [{ processor, row: output }] : [];
      }),
    );
    return { row, processed: outputs.flat() };
  }
}

function invalidOption(option: string, found: unknown, wanted: string): DataDesignerError {
  return new DataDesignerError('report/invalid-option', { option, found: String(found), wanted });
}
