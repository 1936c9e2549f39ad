import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import { messageOf, stringifyJson } from '@data-designer/core';
import { DatasetMaker } from './damaged-dataset.ts';
import { READERS, type Reading } from './dataset-readings.ts';
import { FILE_DAMAGES } from './file-damages.ts';

const MADE = 'made';
const SEED = 7;
/** Every reading of a whole dataset by the name of its part. */
type Readings = ReadonlyMap<string, Reading>;

/** What became of one damage. */
export interface DamageReport {
  readonly file: string;
  readonly damage: string;
  /** Readings that differ without an error or event that names the file: one sentence each. */
  readonly faults: readonly string[];
}

/** How damages are tried. */
interface DamageOptions {
  /** Which damages are tried: all unless given, with `all/` or `selected/` before the file. */
  readonly isTried?: (file: string, damage: string) => boolean;
  /** Called with each damage that was tried. */
  readonly tell: (report: DamageReport) => unknown;
}

/** Damages each file of a dataset in each way; it must be read as before, or an error or event must name the file. */
export async function runDamage({ tell, isTried = () => true }: DamageOptions): Promise<readonly DamageReport[]> {
  const root = mkdtempSync(join(tmpdir(), 'chaos-'));
  const reports: DamageReport[] = [];
  for (const select of [false, true]) {
    const home = join(root, select ? 'selected' : 'all');
    const [whole, other, scratch] = ['whole', 'other', 'scratch'].map((name) => join(home, name)) as [
      string,
      string,
      string,
    ];
    mkdirSync(scratch, { recursive: true });
    await using maker = new DatasetMaker(home);
    const path = await maker.make({ name: MADE, select, seed: SEED });
    await maker.make({ name: 'other', select, seed: SEED + 1 });
    cpSync(path, whole, { recursive: true });
    const restore = () => {
      rmSync(path, { recursive: true, force: true });
      cpSync(whole, path, { recursive: true });
    };
    const before = await readEach(path, scratch);
    for (const [part, reading] of before) {
      if ('error' in reading) throw new Error(`the whole dataset cannot be read, ${part}: ${reading.error}`);
    }
    for (const file of filesIn(whole)) {
      for (const [damage, apply] of Object.entries(FILE_DAMAGES)) {
        if (!isTried(`${basename(home)}/${file}`, damage)) continue;
        restore();
        apply(join(path, file), join(other, file));
        const faults = [...differences(await readEach(path, scratch), before, file)];
        restore();
        apply(join(path, file), join(other, file));
        faults.push(...(await resumed(maker, { path, select, file, before, scratch })));
        const report = { file: `${basename(home)}/${file}`, damage, faults };
        tell(report);
        reports.push(report);
      }
    }
  }
  rmSync(root, { recursive: true });
  return reports;
}

/** What differs after a resume that neither its events nor an error names. */
async function resumed(
  maker: DatasetMaker,
  {
    path,
    select,
    file,
    before,
    scratch,
  }: {
    readonly path: string;
    readonly select: boolean;
    readonly file: string;
    readonly before: Readings;
    readonly scratch: string;
  },
): Promise<readonly string[]> {
  const told: string[] = [];
  try {
    await maker.resume({ name: MADE, select, seed: SEED }, (event) => told.push(textOf(event)));
  } catch (thrown) {
    const error = messageOf(thrown);
    return isNamed(error, file) ? [] : [`resume: ${error}`];
  }
  if (told.some((event) => isNamed(event, file))) return [];
  return differences(await readEach(path, scratch), before, file).map((fault) => `after a resume, ${fault}`);
}

/** An event as text, with the other file that its message names. */
function textOf(event: { readonly type: string }): string {
  return `${stringifyJson(event)}${event.type === 'usage-restore' ? ' metadata.json' : ''}`;
}

async function readEach(path: string, scratch: string): Promise<Readings> {
  const found = new Map<string, Reading>();
  for (const [name, read] of Object.entries(READERS)) {
    try {
      for (const [part, reading] of await read(path, scratch)) found.set(`${name} ${part}`, reading);
    } catch (thrown) {
      found.set(name, { error: messageOf(thrown) });
    }
  }
  return found;
}

/** The parts that differ from those of the whole dataset. In the viewer one page is enough to name the file. */
function differences(now: Readings, before: Readings, file: string): readonly string[] {
  const isNamedInView = [...now].some(
    ([part, reading]) => part.startsWith('view') && isNamed('error' in reading ? reading.error : '', file),
  );
  return [...now].flatMap(([part, reading]) => {
    if (isNamedInView && part.startsWith('view ')) return [];
    if ('error' in reading) return isNamed(reading.error, file) ? [] : [`${part} says: ${reading.error}`];
    const was = before.get(part);
    const text = was && 'answer' in was ? was.answer : '';
    if (text === reading.answer || reading.answer.includes(`${file}: it is missing or damaged`)) return [];
    let at = 0;
    while (text[at] === reading.answer[at]) at++;
    const near = (one: string) => one.slice(Math.max(0, at - 40), at + 100);
    return [`${part} differs, and nothing names the file: it was ${near(text)}, and is ${near(reading.answer)}`];
  });
}

/** Whether a text names a file. */
function isNamed(text: string, file: string): boolean {
  return text.includes(file) || text.includes(basename(file));
}

/** The paths of all files in a folder, relative to it. */
function filesIn(folder: string): readonly string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return entries.map(({ parentPath, name }) => relative(folder, join(parentPath, name))).toSorted();
}
