import { createWriteStream, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { DataDesigner, loadDataset, type TrainingFormatName } from 'data-designer';

// A child process: `make FOLDER ROWS` makes a dataset of conversations of 2 kB, and any other word exports it in that format.

const [task = '', folder = '', count = ''] = process.argv.slice(2);
const WORDS = 'the answer of a model to a question has about as many words as a reader takes in without a rest '.split(
  ' ',
);

/** A text of a length in characters that differs from row to row. */
function textOf(row: number, length: number): string {
  const words: string[] = [];
  for (let size = 0, at = row; size < length; at = (at * 31 + 7) % 9973) {
    const word = WORDS[at % WORDS.length] ?? '';
    words.push(word);
    size += word.length + 1;
  }
  return words.join(' ').slice(0, length);
}

function* recorded(rows: number): Generator<string> {
  for (let row = 0; row < rows; row++) {
    const messages = [
      { role: 'system', content: 'You write plain sentences.' },
      { role: 'user', content: `${row} ${textOf(row, 600)}` },
      { role: 'assistant', content: textOf(row + 1, 1400) },
    ];
    yield `${JSON.stringify({ topic: `topic ${row % 1000}`, messages })}\n`;
  }
}

if (task === 'make') {
  const scratch = mkdtempSync(join(tmpdir(), 'bench-chats-'));
  const seed = join(scratch, 'chats.jsonl');
  await pipeline(Readable.from(recorded(Number(count))), createWriteStream(seed));
  // Row groups as models' columns have them.
  await using designer = new DataDesigner({ artifactPath: folder, runConfig: { bufferSize: 1000 } });
  const columns = [{ name: 'upper', column_type: 'expression', expr: '{{ topic | upper }}' }];
  const document = { columns, seed_config: { source: { seed_type: 'local', path: seed } } };
  await designer.create({ document, source: 'bench' }, { numRecords: Number(count), datasetName: 'chats' });
  rmSync(scratch, { recursive: true });
} else {
  const dataset = await loadDataset(join(folder, 'chats'));
  const path = join(folder, `${task}.jsonl`);
  const before = process.cpuUsage();
  const start = performance.now();
  await dataset.export(path, { format: task as TrainingFormatName, column: 'messages' });
  const ms = performance.now() - start;
  const { user, system } = process.cpuUsage(before);
  const mb = statSync(path).size / 1e6;
  rmSync(path);
  const { maxRSS } = process.resourceUsage();
  process.stdout.write(JSON.stringify({ ms, mb, cpuMs: (user + system) / 1000, peakMb: maxRSS / 1024 }));
}
