import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bucketOf, BUCKETS, NUMBER_BYTES } from '../src/tokens/vocabulary.ts';

// Writes `src/tokens/cl100k-base.bin` from the tokens in `gpt-tokenizer`; `Vocabulary` says what is in the file.

const SOURCE = new URL(import.meta.resolve('gpt-tokenizer/data/cl100k_base.tiktoken'));
const FILE = join(import.meta.dirname, '../src/tokens/cl100k-base.bin');

const buckets: Buffer[][] = Array.from({ length: BUCKETS }, () => []);
// Each line is a token in base64, a space and its rank.
for (const line of readFileSync(SOURCE, 'utf8').trim().split('\n')) {
  const [base64 = '', rank = ''] = line.split(' ');
  const token = Buffer.from(base64, 'base64');
  const entry = Buffer.concat([Buffer.from([token.length]), numberOf(Number(rank)), token]);
  buckets[bucketOf(token, 0, token.length)]?.push(entry);
}

let address = (BUCKETS + 1) * NUMBER_BYTES;
const addresses = [numberOf(address)];
for (const bucket of buckets) {
  for (const entry of bucket) address += entry.length;
  addresses.push(numberOf(address));
}
writeFileSync(FILE, Buffer.concat([...addresses, ...buckets.flat()]));

function numberOf(value: number): Buffer {
  const bytes = Buffer.alloc(NUMBER_BYTES);
  bytes.writeUIntLE(value, 0, NUMBER_BYTES);
  return bytes;
}
