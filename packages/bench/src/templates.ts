import { readFileSync } from 'node:fs';
import { columnTypes } from '@data-designer/columns';
import { type Cell, DataDesignerError, Random, type Row, type WrittenValues } from '@data-designer/core';
import { compileTemplate, type TemplateMode } from '@data-designer/template';
import type { BenchRow } from './spine.ts';

/** Records of one pass; each pass has records of its own, since what is decoded of one is remembered. */
const RECORDS = 4096;

/** Milliseconds of passes that a round lasts; the best of several rounds counts, the others were disturbed. */
const ROUND_MS = 300;
const ROUNDS = 7;

/** What templates cost, each beside the template literal that does the same. */
export async function templates(): Promise<readonly BenchRow[]> {
  return [...prompts(), ...expressions('plain'), ...expressions('JSON-looking'), ...worst()];
}

/** Characters made so far, so that no work can be left out as unused. */
let made = 0;

/** Nanoseconds that `make` takes for one text; what `prepare` makes of a record is in memory before the time counts. */
function nanoseconds<Prepared>(prepare: (index: number) => Prepared, make: (prepared: Prepared) => string): number {
  let best = Infinity;
  for (let round = 0; round < ROUNDS; round++) {
    let [ms, passes] = [0, 0];
    for (; ms < ROUND_MS; passes++) {
      const prepared = Array.from({ length: RECORDS }, (_, index) => prepare(index));
      const start = performance.now();
      for (const one of prepared) made += make(one).length;
      ms += performance.now() - start;
    }
    best = Math.min(best, (ms * 1e6) / (passes * RECORDS));
  }
  return best;
}

/** Rows of a table: the floor, then what is measured against it. */
function compared(what: string, ways: Readonly<Record<string, () => number>>): BenchRow[] {
  const rows: BenchRow[] = [];
  let floor: number | undefined;
  for (const [name, measured] of Object.entries(ways)) {
    const ns = measured();
    floor ??= ns;
    const figures = { 'us/cell': ns / 1000, 'cells/s': 1e9 / ns, 'x literal': ns / floor };
    rows.push({ what: `${what}, ${name}`, figures });
  }
  return rows;
}

const TEN = ['topic', 'place', 'person', 'year', 'score', 'tone', 'language', 'audience', 'length', 'style'] as const;

/** A record whose cells are all plain. */
type PlainRow = Readonly<Record<string, string | number>>;

/** A prompt of 1 kB with ten variables. */
function prompts(): BenchRow[] {
  const filler = 'Write with care, keep to the facts, and say plainly what is not known. ';
  const length = Math.ceil(1024 / TEN.length);
  const part = (name: string): string => `${filler.repeat(2).slice(0, length - name.length - 7)}{{ ${name} }}\n`;
  const source = TEN.map(part).join('');
  const prepare = (index: number): PlainRow => Object.fromEntries(TEN.map((name) => [name, valueOf(name, index)]));
  return compared(`(a) prompt of ${source.length} characters, ten variables`, {
    'template literal': () => nanoseconds(prepare, literalOf(source)),
    secure: () => nanoseconds(prepare, compileTemplate(source, { mode: 'secure' })),
    native: () => nanoseconds(prepare, compileTemplate(source, { mode: 'native' })),
  });
}

/** The template literal that says what a template of the ten variables does. */
function literalOf(source: string): (row: PlainRow) => string {
  const p = source.split(/\{\{ \w+ \}\}/);
  return (r) =>
    `${p[0]}${r['topic']}${p[1]}${r['place']}${p[2]}${r['person']}${p[3]}${r['year']}${p[4]}${r['score']}` +
    `${p[5]}${r['tone']}${p[6]}${r['language']}${p[7]}${r['audience']}${p[8]}${r['length']}${p[9]}${r['style']}${p[10]}`;
}

function valueOf(name: string, index: number): string | number {
  return name === 'year' || name === 'score' ? index : `${name} ${index}`;
}

const EXPRESSION = '{{ first | upper }} {{ last }}: {{ score + 1 }}';

interface Person extends PlainRow {
  readonly first: string;
  readonly last: string;
  readonly score: string | number;
}

/** Records of the expression; JSON-looking ones hold a document and a number as text. */
const PEOPLE = {
  plain: (index: number): Person => ({ first: 'Ada', last: `Lovelace ${index}`, score: index }),
  'JSON-looking': (index: number): Person => ({
    first: 'Ada',
    last: `{"name": "Lovelace", "index": ${index}}`,
    score: String(index),
  }),
} as const;

function expressionLiteral({ first, last, score }: Person): string {
  return `${first.toUpperCase()} ${last}: ${Number(score) + 1}`;
}

/** Cells of an expression column, all that its cell function does included. */
function expressions(kind: keyof typeof PEOPLE): BenchRow[] {
  const rowOf = PEOPLE[kind];
  const cell = cellFunction();
  return compared(`(b) expression, ${kind} cells`, {
    'template literal': () => nanoseconds(rowOf, expressionLiteral),
    'expression column': () =>
      nanoseconds(
        (index) => cellOf(rowOf(index), index),
        (one) => cell(one)[0] as string,
      ),
  });
}

/** The cell function of an expression column, as a thread makes it. */
function cellFunction(): (cell: Cell) => WrittenValues {
  const column = columnTypes.find(({ type }) => type === 'expression');
  if (column === undefined || !('cell' in column)) throw new Error('there is no expression column');
  const config = column.schema.parse({ name: 'label', columnType: 'expression', expr: EXPRESSION });
  const make = column.cell as unknown as (
    config: unknown,
    setting: { readonly templates: 'secure' },
  ) => (cell: Cell) => WrittenValues;
  return make(config, { templates: 'secure' });
}

const nobody = () => Promise.reject(new Error('an expression asks nobody'));

function cellOf(row: Row, rowIndex: number): Cell {
  return {
    row,
    rowIndex,
    random: Random.of(1, 'label').at(rowIndex),
    signal: new AbortController().signal,
    ask: nobody,
    callTool: nobody,
    embed: nobody,
    generateImage: nobody,
    toolSchemas: nobody,
    keepPicture: nobody,
    validate: nobody,
    runPrograms: nobody,
    readMedia: nobody,
    recordOutcome: nobody,
    run: nobody,
    note: () => {},
  };
}

interface Attack {
  readonly id: string;
  readonly area: string;
  readonly template: string;
  readonly record: Row;
}

const ATTACKS = new URL('../../../test/conformance/data/templates.jsonl', import.meta.url);

/** Templates made to last, beside those of the attack corpus. */
const LASTING: readonly Attack[] = [
  '{% for a in range(100000) %}{% for b in range(100000) %}{% endfor %}{% endfor %}',
  '{% for a in range(100000) %}{{ range(100000) | list | sort | length }}{% endfor %}',
  "{{ ('\\n' * 3000000) | indent(1) | length }}",
  "{{ ('ab' * 1000000).replace('a', 'bb') | title | length }}",
  '{% set n = namespace(x=3) %}{% for i in range(60) %}{% set n.x = n.x * n.x %}{% endfor %}{{ n.x }}',
  "{% set n = namespace(x='a') %}{% for i in range(60) %}{% set n.x = n.x ~ n.x %}{% endfor %}{{ n.x }}",
].map((template, at) => ({ id: `lasting-${at + 1}`, area: 'attack', template, record: {} }));

/** The templates of the attack corpus, and those made to last, that take longest until they are done or refused. */
function worst(): BenchRow[] {
  const corpus = readFileSync(ATTACKS, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line): Attack => JSON.parse(line))
    .filter(({ area }) => area === 'attack');
  return [corpus, LASTING].flatMap((attacks, at) => {
    const timed = attacks.flatMap((attack) => [untilLimit(attack, 'secure'), untilLimit(attack, 'native')]);
    const slowest = timed.toSorted((a, b) => b.ms - a.ms).slice(0, at === 0 ? 3 : timed.length);
    return slowest.map(({ what, ms, end }) => ({ what: `(c) ${what}, ${end}`, figures: { ms } }));
  });
}

function untilLimit({ id, template, record }: Attack, mode: TemplateMode): { what: string; ms: number; end: string } {
  let ms = Infinity;
  let end = '';
  for (let round = 0; round < ROUNDS; round++) {
    const start = performance.now();
    try {
      compileTemplate(template, { mode })(record, () => 0.5);
      end = 'rendered';
    } catch (thrown) {
      end = thrown instanceof DataDesignerError ? thrown.code : String(thrown);
    }
    ms = Math.min(ms, performance.now() - start);
  }
  return { what: `${id}, ${mode}`, ms, end };
}
