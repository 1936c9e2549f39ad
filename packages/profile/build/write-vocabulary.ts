import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bucketOf, BUCKETS, type Encoding, ENCODINGS, NUMBER_BYTES, vocabularyFile } from '../src/tokens/vocabulary.ts';

// Writes the vocabularies in `src/tokens` from the tokens in `gpt-tokenizer`; `Vocabulary` says what is in a file.

for (const encoding of ENCODINGS) {
  writeFileSync(join(import.meta.dirname, '../src/tokens', vocabularyFile(encoding)), tableOf(encoding));
}

function tableOf(encoding: Encoding): Buffer {
  const source = new URL(import.meta.resolve(`gpt-tokenizer/data/${encoding}.tiktoken`));
  const buckets: Buffer[][] = Array.from({ length: BUCKETS }, () => []);
  // Each line is a token in base64, a space and its rank.
  for (const line of readFileSync(source, 'utf8').trim().split('\n')) {
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
  return Buffer.concat([...addresses, ...buckets.flat()]);
}

function numberOf(value: number): Buffer {
  const bytes = Buffer.alloc(NUMBER_BYTES);
  bytes.writeUIntLE(value, 0, NUMBER_BYTES);
  return bytes;
}
