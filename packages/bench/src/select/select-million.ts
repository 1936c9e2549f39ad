import { BenchmarkBuilder, type Candidate, Selector } from '@data-designer/select';
import { TextGenerator } from './planted-texts.ts';
import { nearDuplicates } from './select-texts.ts';

/** One measured piece of work: items a second of CPU, and memory in MB that the process added at most. */
interface Figures {
  readonly perSecond: number;
  readonly addedMb: number;
  /** The size of the result, if it has one. */
  readonly resultMb?: number;
}

const MEGABYTE = 1e6;

/** A million candidates of 250 shingles that match no other, with keys from a fixed sequence. */
function candidates(): Figures {
  const count = 1_000_000;
  const values = Uint32Array.from({ length: 250 }, (_, at) => at * 1e7);
  const keys = new Uint32Array(14);
  const candidate: Candidate = { kind: 'features', unique: [{ kind: 'shingles', keys, values }] };
  let state = 1;
  using selector = new Selector(nearDuplicates(0.8));
  return measured(count, () => {
    for (let index = 0; index < count; index++) {
      for (let band = 0; band < keys.length; band++) {
        state ^= state << 13;
        state ^= state >>> 17;
        state ^= state << 5;
        keys[band] = state;
      }
      selector.decide(index, candidate);
    }
  });
}

/** Six million n-grams of 100,000 items. */
function ngrams(): Figures {
  const generator = new TextGenerator(7);
  const items = Array.from({ length: 10_000 }, () => generator.words(67).join(' '));
  const builder = new BenchmarkBuilder(8);
  let bytes = 0;
  const figures = measured(6_000_000, () => {
    for (let item = 0; item < 100_000; item++) {
      builder.add({ file: 'items', item }, `item ${items[item % items.length] ?? ''}`.slice(5));
    }
    const benchmarks = builder.build();
    for (const part of Object.values(benchmarks)) if (ArrayBuffer.isView(part)) bytes += part.byteLength;
  });
  return { ...figures, resultMb: bytes / MEGABYTE };
}

function measured(count: number, work: () => void): Figures {
  const before = process.memoryUsage.rss();
  const start = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(start);
  const peak = process.resourceUsage().maxRSS * 1024;
  return { perSecond: (count * 1e6) / (user + system), addedMb: (peak - before) / MEGABYTE };
}

process.stdout.write(JSON.stringify(process.argv[2] === 'ngrams' ? ngrams() : candidates()));
